// Reading a list of kernels.

#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/kernel_list_text.h"
#include "base/text.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

Error Malformed(const Node& node, std::string_view message) {
  std::string text = node.place.source ? Describe(node.place) + ": " : "";
  text += message;
  return Error(ErrorCode::kCorrupt, std::move(text));
}

Result<std::string> TextOf(const Node& entry, std::string_view key) {
  const Node* node = entry.Find(key);
  if (node == nullptr || node->is_null()) return std::string();
  if (node->is_container())
    return Malformed(*node, fmt::format("{} is no text", key));
  return PythonStr(*node);
}

Result<ListedKernel> KernelOf(const Node& entry) {
  if (entry.is_string())
    return ListedKernel{.name = entry.text, .regex = ExactRegex(entry.text)};
  if (!entry.is_map()) {
    return Malformed(entry, "a kernel is a map of name, regex and description");
  }
  ListedKernel kernel;
  kernel.name = TRY(TextOf(entry, "name"));
  kernel.regex = TRY(TextOf(entry, "regex"));
  kernel.description = TRY(TextOf(entry, "description"));
  constexpr std::string_view kPrefix = "regex:";  // as ncu's option has it
  if (kernel.regex.starts_with(kPrefix)) kernel.regex.erase(0, kPrefix.size());
  if (kernel.name.empty() && kernel.regex.empty())
    return Malformed(entry, "a kernel needs a name or a regex");
  const bool exact =
      kernel.regex.empty() || kernel.regex == ExactRegex(kernel.name);
  if (kernel.regex.empty()) kernel.regex = ExactRegex(kernel.name);
  if (kernel.name.empty()) kernel.name = kernel.regex;
  // A regex that somebody wrote is what they want.
  const std::string mangled = TRY(TextOf(entry, "mangled"));
  if (!mangled.empty() && exact) {
    kernel.regex = ExactRegex(mangled);
    kernel.mangled = true;
  }
  return kernel;
}

}  // namespace

Result<std::vector<ListedKernel>> ReadKernelList(std::string_view file_name,
                                                 std::string text) {
  auto source = std::make_shared<const Source>(
      Source{.name = std::string(file_name), .text = std::move(text)});
  Result<Node> read = ReadYaml(std::move(source));
  if (!read.ok()) return Error(ErrorCode::kCorrupt, read.error().message());
  const Node& tree = read.value();
  const Node* list = tree.is_list() ? &tree : tree.Find("kernels");
  if (list == nullptr || !list->is_list()) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("{}: no list of kernels (`kernels:` with name and "
                             "regex of each); `rangefinder kernels --format "
                             "yaml PATH` writes one",
                             file_name));
  }
  std::vector<ListedKernel> kernels;
  std::set<std::string> names;
  for (const Node& entry : list->items) {
    ListedKernel kernel = TRY(KernelOf(entry));
    if (!names.insert(kernel.name).second) {
      return Malformed(entry, fmt::format("the kernel {} is listed twice",
                                          Printable(kernel.name)));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace rangefinder
