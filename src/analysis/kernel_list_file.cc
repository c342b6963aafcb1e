#include "analysis/kernel_list_file.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/numbers.h"
#include "base/text.h"
#include "config/yaml.h"
#include "profile/short_name.h"
#include "region/pattern.h"

namespace rangefinder {
namespace {

constexpr std::size_t kNarrowestName = 20;

// A scalar in single quotes, or in double quotes if it needs escapes.
std::string YamlQuoted(std::string_view raw) {
  const std::string text = ValidUtf8(raw);
  if (Printable(text) == text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
  }
  // JSON's strings are YAML's double-quoted ones.
  return nlohmann::json(text).dump(-1, ' ', true);
}

std::string Path(const std::vector<std::string>& frames) {
  if (frames.empty()) return std::string(RegionTree::kUnattributed);
  std::string path;
  for (const std::string& frame : frames)
    path += (path.empty() ? "" : " › ") +
            (frame.empty() ? "\"\"" : Printable(frame));
  return path;
}

// "A › A1 +3": the region with the most time, and the number of further
// regions, in at most `width` cells.
std::string RegionsText(const TopKernel& kernel, std::size_t width) {
  if (kernel.regions.empty()) return "–";
  std::string more;
  if (kernel.regions.size() > 1)
    more = fmt::format(" +{}", kernel.regions.size() - 1);
  return Ellipsize(Path(kernel.regions.front()),
                   width - std::min(width, more.size())) +
         more;
}

std::string Description(std::size_t rank, const TopKernel& kernel) {
  if (!kernel.known_ns())
    return fmt::format("Kernel #{} - {} calls, time not measured", rank,
                       kernel.calls);
  return fmt::format("Kernel #{} - {:.1f}% of GPU time, {} calls", rank,
                     100 * kernel.share, kernel.calls);
}

// ---- Reading ----

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
  // In the form of ncu's option.
  if (kernel.regex.starts_with(kRegexPrefix))
    kernel.regex.erase(0, kRegexPrefix.size());
  if (kernel.name.empty() && kernel.regex.empty())
    return Malformed(entry, "a kernel needs a name or a regex");
  const bool exact =
      kernel.regex.empty() || kernel.regex == ExactRegex(kernel.name);
  if (kernel.regex.empty()) kernel.regex = ExactRegex(kernel.name);
  if (kernel.name.empty()) kernel.name = kernel.regex;
  // A regex that differs from the name is the user's own.
  const std::string mangled = TRY(TextOf(entry, "mangled"));
  if (!mangled.empty() && exact) {
    kernel.regex = ExactRegex(mangled);
    kernel.mangled = true;
  }
  return kernel;
}

}  // namespace

std::string KernelListYaml(const KernelListView& view) {
  std::string text =
      "# Kernels by GPU time, to be profiled one by one:\n"
      "#   rangefinder profile pipeline.ncu.kernel_config=THIS "
      "-- PROGRAM\n";
  for (const std::string& source : view.sources)
    text += fmt::format("# Source: {}\n", Printable(source));
  text += view.kernels.empty() ? "kernels: []\n" : "kernels:\n";
  std::size_t rank = 0;
  for (const TopKernel& kernel : view.kernels) {
    text += fmt::format("  - name: {}\n    regex: {}\n    description: '{}'\n",
                        YamlQuoted(kernel.name),
                        YamlQuoted(ExactRegex(ValidUtf8(kernel.name))),
                        Description(++rank, kernel));
    if (!kernel.mangled.empty())
      text += fmt::format("    mangled: {}\n", YamlQuoted(kernel.mangled));
  }
  return text;
}

std::string KernelListJson(const KernelListView& view) {
  using nlohmann::ordered_json;
  const auto ms = [](const std::optional<double>& ns) {
    return ns ? ordered_json(*ns / 1e6) : ordered_json(nullptr);
  };
  ordered_json kernels = ordered_json::array();
  for (const TopKernel& kernel : view.kernels) {
    const std::size_t rank = kernels.size() + 1;
    ordered_json row = {{"rank", rank},
                        {"name", kernel.name},
                        {"regex", ExactRegex(kernel.name)},
                        {"description", Description(rank, kernel)},
                        {"calls", kernel.calls},
                        {"total_ms", ms(kernel.known_ns())},
                        {"mean_ms", ms(kernel.mean_ns())},
                        {"min_ms", ms(kernel.min_ns)},
                        {"max_ms", ms(kernel.max_ns)},
                        {"share", kernel.known_ns() ? ordered_json(kernel.share)
                                                    : ordered_json(nullptr)},
                        {"regions", kernel.regions}};
    if (!kernel.mangled.empty()) row["mangled"] = kernel.mangled;
    kernels.push_back(std::move(row));
  }
  const ordered_json document = {{"schema", "rangefinder.kernels/1"},
                                 {"sources", view.sources},
                                 {"kernel_count", view.all},
                                 {"kernels", std::move(kernels)}};
  return JsonDocument(document, 2) + "\n";
}

std::string KernelListTable(const KernelListView& view, std::size_t width) {
  if (view.kernels.empty()) return "no kernel to list\n";
  std::vector<std::vector<std::string>> rows = {
      {"#", "share", "total", "calls", "mean", "min", "max"}};
  const auto time = [](const std::optional<double>& ns) {
    return ns ? FormatNs(*ns) : std::string("–");
  };
  bool in_regions = false;
  for (const TopKernel& kernel : view.kernels) {
    rows.push_back({fmt::format("{}", rows.size()),
                    kernel.known_ns() ? FormatShare(kernel.share, 1) : "–",
                    time(kernel.known_ns()), FormatCount(kernel.calls),
                    time(kernel.mean_ns()), time(kernel.min_ns),
                    time(kernel.max_ns)});
    in_regions = in_regions || !kernel.regions.empty();
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  std::size_t used = 0;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    for (const auto& row : rows)
      widths[column] = std::max(widths[column], DisplayWidth(row[column]));
    used += widths[column] + 2;
  }
  // The name and the regions share the rest of the line; the regions shrink
  // first.
  std::size_t room = width > used ? width - used : 0;
  std::size_t regions = 0;
  std::size_t widest_name = 4;
  for (const TopKernel& kernel : view.kernels) {
    regions = std::max(regions, DisplayWidth(RegionsText(kernel, width)));
    widest_name = std::max(widest_name, DisplayWidth(Printable(kernel.name)));
  }
  regions = in_regions && room >= 2 * kNarrowestName
                ? std::min(std::max(regions, std::size_t{7}), room / 3)
                : 0;
  if (regions > 0) room -= regions + 2;
  const std::size_t name =
      std::min(widest_name, std::max(room, kNarrowestName));
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column)
      line += PadLeft(rows[i][column], widths[column]) + "  ";
    const TopKernel* kernel = i == 0 ? nullptr : &view.kernels[i - 1];
    std::string shown = kernel != nullptr ? Printable(kernel->name) : "kernel";
    if (DisplayWidth(shown) > name) shown = ShortKernelName(shown);
    line += PadRight(Ellipsize(shown, name), regions > 0 ? name : 0);
    if (regions > 0) {
      line += "  ";
      line += kernel != nullptr ? RegionsText(*kernel, regions) : "regions";
    }
    text += line + "\n";
  }
  if (view.all > view.kernels.size()) {
    text += fmt::format("… {} more kernels (--top {} has them all)\n",
                        FormatCount(view.all - view.kernels.size()), view.all);
  }
  return text;
}

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
