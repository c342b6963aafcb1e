#include "app/kernels_command.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "analysis/analysis.h"
#include "app/kernel_list_text.h"
#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "ingest/nsys/nsys_kernel_csv.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::vector<TopKernel> kernels{};
  Notes notes{};
};

// A summary of nsys's by its header, or a file that is called one.
bool IsSummary(const fs::path& path, std::string_view bytes) {
  return FindReader(bytes) == nullptr &&
         (LooksLikeKernelSummary(bytes) || path.extension() == ".csv");
}

Result<Found> FindKernels(const std::vector<std::string>& paths,
                          const Settings& settings) {
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
      // Shares of several files are of several wholes.
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
    return Error(ErrorCode::kUsage,
                 fmt::format("{} is a capture and another file a summary: "
                             "their numbers are never added; name one kind",
                             Printable(captures.front())));
  }
  const auto analysis = TRY(AnalyzePaths(paths, settings.analysis));
  found.notes = analysis->notes;
  found.kernels = TopKernels(analysis->profile, analysis->tree, found.notes);
  return found;
}

std::string FormatOf(const KernelsRequest& request) {
  if (!request.format.empty()) return request.format;
  const std::string extension = fs::path(request.output).extension().string();
  if (extension == ".yaml" || extension == ".yml") return "yaml";
  return extension == ".json" ? "json" : "table";
}

}  // namespace

Status RunKernels(const std::vector<std::string>& paths,
                  const KernelsRequest& request, const RunSettings& run,
                  const Console& console) {
  const Found found = TRY(FindKernels(paths, run.settings));
  const std::span<const TopKernel> all = found.kernels;
  const std::size_t shown =
      request.top == 0 ? all.size()
                       : std::min<std::size_t>(
                             all.size(), static_cast<std::size_t>(request.top));
  const KernelListView view{
      .kernels = all.first(shown), .all = all.size(), .sources = paths};
  const std::string format = FormatOf(request);
  const std::string text = format == "yaml" ? KernelListYaml(view)
                           : format == "json"
                               ? KernelListJson(view)
                               : KernelListTable(view, console.width());
  console.SayNotes(found.notes);
  if (format != "table" && shown < all.size()) {
    console.Say(fmt::format("{} of {} kernels; --top {} has them all", shown,
                            all.size(), all.size()));
  }
  if (request.output.empty()) {
    console.Out(text);
    return Ok();
  }
  TRY(WriteOutput(request.output, text));
  console.Out(fmt::format("{}\n", request.output));
  return Ok();
}

}  // namespace rangefinder
