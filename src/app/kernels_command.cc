// `kernels`: the kernels that take the most GPU time, for people, for scripts,
// and in the form that `profile` reads.

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/kernel_list_file.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "base/file.h"
#include "base/text.h"
#include "ingest/nsys/nsys_kernel_csv.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::vector<TopKernel> kernels{};
  Notes notes{};
};

// Whether a file is a kernel summary of nsys, by its header or its extension.
bool IsSummary(const fs::path& path, std::string_view bytes) {
  return LooksLikeKernelSummary(bytes) ||
         (FindReader(bytes) == nullptr && path.extension() == ".csv");
}

// The kernels of captures and traces, or of kernel summaries of Nsight Systems.
// kUsage for a mix, since their numbers are never added.
Result<Found> FindKernels(const std::vector<std::string>& paths,
                          const AnalysisOptions& options) {
  std::vector<KernelSummaryRow> rows;
  std::vector<std::string> captures;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
      captures.push_back(path);
      continue;
    }
    const MappedFile file = TRY(MappedFile::Open(path));
    if (!IsSummary(path, file.bytes())) {
      captures.push_back(path);
      continue;
    }
    for (KernelSummaryRow& row :
         TRY(ReadKernelSummary(file.bytes()).In(path))) {
      // Shares of several files have different wholes.
      if (paths.size() > 1) row.share.reset();
      rows.push_back(std::move(row));
    }
  }
  Found found;
  if (captures.empty()) {
    found.kernels = TopKernels(rows);
    return found;
  }
  if (captures.size() != paths.size()) {
    return UsageError(
        "{} is a capture and another file a summary: their numbers are never "
        "added; name one kind",
        Printable(captures.front()));
  }
  const auto analysis = TRY(AnalyzePaths(paths, options));
  found.notes = analysis->notes;
  found.kernels = TopKernels(analysis->profile, analysis->tree, found.notes);
  return found;
}

std::string FormatOf(const CommandLine& line) {
  if (!line.format.empty()) return line.format;
  const std::string extension = fs::path(line.output).extension().string();
  if (extension == ".yaml" || extension == ".yml") return "yaml";
  if (extension == ".json") return "json";
  return line.output.empty() ? "table" : "yaml";
}

}  // namespace

Status DoKernels(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(CheckFormat(line, {"table", "json", "yaml"}));
  TRY(NeedPaths(asked, "kernels"));
  const std::uint64_t top = TRY(CountOf("--top", line.top));
  const Settings settings = TRY(SettingsOfRun(asked));
  const Found found = TRY(FindKernels(paths, settings.analysis));
  const std::span<const TopKernel> all = found.kernels;
  const std::size_t shown =
      top == 0
          ? all.size()
          : std::min<std::size_t>(all.size(), static_cast<std::size_t>(top));
  const KernelListView view{
      .kernels = all.first(shown), .all = all.size(), .sources = paths};
  const std::string format = FormatOf(line);
  const std::string text = format == "yaml" ? KernelListYaml(view)
                           : format == "json"
                               ? KernelListJson(view)
                               : KernelListTable(view, console.width());
  console.SayNotes(found.notes);
  if (format != "table" && shown < all.size()) {
    console.Say(fmt::format("{} of {} kernels; --top {} has them all", shown,
                            all.size(), all.size()));
  }
  return WriteResult(asked, [&](std::ostream& out) { out << text; });
}

void AddKernelsOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--top", line.top, "how many of them (20); 0: all")
      ->type_name("N");
  FormatOption(command, line, "table, json or yaml");
  OutputOption(command, line, "write it there, as yaml");
}

}  // namespace rangefinder
