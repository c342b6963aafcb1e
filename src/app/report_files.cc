#include "app/report_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "report/writers.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kRegionFiles = {
    "report.md", "report.json", "raw.csv", "sections.txt"};

template <typename Write>
Status WriteWith(const fs::path& path, Write write) {
  return WriteFileBy(path, write);
}

bool Wanted(const std::vector<std::string>& formats, std::string_view name) {
  return std::ranges::find(formats, name) != formats.end();
}

// Folders of an earlier report; a folder with anything else in it is the user's
// and stays.
void RemoveStale(const fs::path& regions,
                 const std::set<std::string>& current) {
  std::error_code error;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(regions, error)) {
    if (!entry.is_directory(error) || entry.is_symlink(error) ||
        current.contains(entry.path().filename().string()))
      continue;
    const bool ours = std::ranges::all_of(
        fs::directory_iterator(entry.path(), error), [](const auto& file) {
          return std::ranges::find(kRegionFiles,
                                   file.path().filename().string()) !=
                 kRegionFiles.end();
        });
    if (ours && !error) stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove_all(path, error);
}

}  // namespace

Status WriteReportFiles(const Report& report, const fs::path& run_dir,
                        const std::vector<std::string>& formats,
                        const std::function<void(std::string_view)>& progress) {
  const fs::path regions = run_dir / "ncu" / "regions";
  TRY(MakeDirectories(regions));
  TRY(WriteWith(run_dir / "ncu" / "raw.csv",
                [&](auto& out) { WriteCsv(report, out); }));
  TRY(WriteWith(run_dir / "report.md",
                [&](auto& out) { WriteGlanceMarkdown(report, out); }));
  TRY(WriteWith(run_dir / "kernels.md",
                [&](auto& out) { WriteKernelsMarkdown(report, out); }));
  TRY(WriteWith(run_dir / "ncu" / "sections_report.txt",
                [&](auto& out) { WriteSectionsReport(report, out); }));
  for (const Format& format : Formats()) {
    if (!Wanted(formats, format.name)) continue;
    progress(fmt::format("writing report{}", format.extension));
    TRY(WriteWith(regions / fmt::format("report{}", format.extension),
                  [&](auto& out) { format.write(report, out); }));
  }

  std::set<std::string> current;
  const std::size_t count = report.tree->regions().size();
  for (std::size_t i = 1; i < count; ++i) {
    const auto region = static_cast<RegionId>(i);
    const std::string& folder = report.folders[i];
    if (!IsReported(report, region)) continue;
    current.insert(folder);
    if (i % 100 == 0)
      progress(fmt::format("writing region {} of {}", i, count - 1));
    const fs::path path = regions / folder;
    TRY(MakeDirectories(path));
    TRY(WriteWith(path / "report.md", [&](auto& out) {
      WriteRegionMarkdown(report, region, out);
    }));
    TRY(WriteWith(path / "report.json",
                  [&](auto& out) { WriteRegionJson(report, region, out); }));
    TRY(WriteWith(path / "raw.csv",
                  [&](auto& out) { WriteRegionCsv(report, region, out); }));
    TRY(WriteWith(path / "sections.txt", [&](auto& out) {
      WriteRegionSections(report, region, out);
    }));
  }
  RemoveStale(regions, current);
  return Ok();
}

}  // namespace rangefinder
