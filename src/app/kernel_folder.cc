#include "app/kernel_folder.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu.h"
#include "config/yaml.h"
#include "ingest/reader.h"
#include "report/section_csv.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// A section's identifier comes from a file, and goes into a file's name.
std::string Safe(std::string_view identifier) {
  std::string safe;
  for (const char c : identifier) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '_' || c == '-';
    safe += plain ? c : '_';
  }
  return safe.substr(0, 100);
}

Node TextNode(std::string_view text) {
  return Node::String(ValidUtf8(text));
}

Node ListNode(const std::vector<std::string>& texts) {
  Node list = Node::List();
  for (const std::string& text : texts) list.items.push_back(TextNode(text));
  return list;
}

}  // namespace

std::string KernelFolderName(const RankedKernel& kernel) {
  const std::size_t digits =
      std::max<std::size_t>(4, std::to_string(kernel.of).size());
  return fmt::format("kernel_{:0{}}_{}", kernel.rank, digits,
                     Md5(kernel.kernel.name));
}

Status WriteKernelTables(const CaptureOptions& options,
                         const RunRecord& record) {
  if (record.report.empty()) return Ok();
  Notes notes;
  const std::vector<fs::path> files = {record.report};
  const Profile profile = TRY(ReadArtifacts(files, notes));
  const fs::path folder =
      record.report.parent_path().lexically_relative(options.run_dir);
  const std::string stem = RankedStem(options, "ncu");
  const auto write = [&](const std::string& name, std::string_view section) {
    return WriteBelowBy(
        options.run_dir, folder / fmt::format("{}.{}.csv", stem, name),
        [&](std::ostream& out) { WriteSectionCsv(profile, section, out); });
  };
  for (const std::string& section : SectionNames(profile))
    TRY(write("section_" + Safe(section), section));
  return write("details", "");
}

Status WriteKernelCommand(const CaptureOptions& options,
                          const RankedKernel& kernel, const RunRecord& record,
                          const std::string& ncu_version) {
  Node tree = Node::Map();
  Node& of = tree.Set("kernel", Node::Map());
  of.Set("rank", Node::Int(static_cast<std::int64_t>(kernel.rank)));
  of.Set("name", TextNode(kernel.kernel.name));
  of.Set("regex", TextNode(kernel.kernel.regex));
  if (!kernel.kernel.description.empty())
    of.Set("description", TextNode(kernel.kernel.description));
  tree.Set("command", ListNode(record.command));
  std::error_code error;
  const fs::path cwd =
      options.cwd.empty() ? fs::current_path(error) : options.cwd;
  tree.Set("cwd", TextNode(cwd.string()));
  tree.Set("program", ListNode(options.program));
  tree.Set("started", TextNode(record.started));
  tree.Set("seconds", Node::Float(record.seconds));
  tree.Set("status", Node::Int(record.status));
  tree.Set("outcome", TextNode(record.outcome));
  if (!record.message.empty()) tree.Set("message", TextNode(record.message));
  tree.Set("results", Node::Int(static_cast<std::int64_t>(record.results)));
  tree.Set("passes", Node::Int(record.passes));
  Node& versions = tree.Set("versions", Node::Map());
  versions.Set("ncu", TextNode(ncu_version));
  versions.Set("rangefinder", TextNode(options.version));
  return WriteBelow(options.run_dir,
                    fs::path("ncu") / KernelFolderName(kernel) /
                        (RankedStem(options, "command") + ".yaml"),
                    WriteYaml(tree));
}

}  // namespace rangefinder
