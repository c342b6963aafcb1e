#include "analysis/report_files.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/write_file.h"
#include "export/formats.h"
#include "report/documents.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kRegionFiles = {
    "report.md", "report.json", "raw.csv", "sections.txt"};

bool IsRegionFile(const fs::path& path) {
  const std::string name = path.filename().string();
  return std::ranges::any_of(kRegionFiles, [&](std::string_view file) {
    return name == file || IsPartOf(name, file);
  });
}

// The folders' inodes: different names may be the same folder if the file
// system ignores case.
std::set<ino_t> NumbersOf(const fs::path& regions,
                          const std::vector<std::string>& folders) {
  std::set<ino_t> numbers;
  for (const std::string& folder : folders) {
    struct stat about {};
    if (::stat((regions / folder).c_str(), &about) == 0)
      numbers.insert(about.st_ino);
  }
  return numbers;
}

// Removes folders of an earlier report, and parts of its files. A folder with
// any other file is the user's and stays.
void RemoveStale(const fs::path& regions,
                 const std::vector<std::string>& current) {
  ClearParts(regions);
  const std::set<ino_t> kept = NumbersOf(regions, current);
  std::error_code error;
  for (const fs::path& folder : PathsIn(regions)) {
    struct stat about {};
    if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) ||
        kept.contains(about.st_ino))
      continue;
    const bool ours = std::ranges::all_of(
        fs::directory_iterator(folder, error),
        [](const auto& file) { return IsRegionFile(file.path()); });
    if (ours && !error) fs::remove_all(folder, error);
  }
}

// The second of two concurrent reports waits until the first is written.
Result<FolderLock> OneReportAtATime(
    const fs::path& regions,
    const std::function<void(std::string_view)>& progress) {
  using enum FolderLock::Kind;
  auto held = TRY(FolderLock::Try(regions, kAlone));
  if (held) return *std::move(held);
  progress("waiting for another report into this run directory");
  return FolderLock::Wait(regions, kAlone);
}

// Data that the documents of the run and of the regions' folders share.
struct Shared {
  explicit Shared(const Report& report)
      : json(report), csv(report, report.options.max_folders != 0) {}

  RunJson json;
  RunCsv csv;
};

// Writes all files of one region's folder, `path` in `run_dir`.
Status WriteRegion(const Report& report, RegionId region, const Shared& shared,
                   const fs::path& run_dir, const fs::path& path) {
  const ReportFiles& files = report.options.files;
  const FolderBelow folder = TRY(FolderBelow::Open(run_dir, path));
  if (files.Has("md")) {
    TRY(folder.Write("report.md", [&](auto& out) {
      WriteMarkdown(RegionDocument(report, region), out);
    }));
  }
  if (files.Has("json")) {
    TRY(folder.Write("report.json",
                     [&](auto& out) { shared.json.WriteRegion(region, out); }));
  }
  if (files.csv) {
    TRY(folder.Write("raw.csv",
                     [&](auto& out) { shared.csv.WriteRegion(region, out); }));
  }
  return folder.Write("sections.txt", [&](auto& out) {
    WriteRegionSections(report, region, out);
  });
}

using Task = std::function<Status()>;

// Runs each task once, on all processors; the tasks only read the report.
// Returns the first error in the order of the tasks, after all have ended.
Status RunAll(const std::vector<Task>& tasks,
              const std::function<void(std::string_view)>& progress) {
  std::vector<std::optional<Error>> errors(tasks.size());
  InParallel(tasks.size(), [&](std::size_t i, std::size_t thread) {
    if (thread == 0)
      progress(fmt::format("writing {} of {}", i + 1, tasks.size()));
    if (Status status = tasks[i](); !status.ok())
      errors[i] = std::move(status).error();
  });
  for (std::optional<Error>& error : errors) {
    if (error) return *std::move(error);
  }
  return Ok();
}

// Adds the tables of a run, next to its documents.
template <typename Add>
void AddRunFiles(const Report& report, const Shared& shared, const Add& add) {
  const ReportFiles& files = report.options.files;
  if (files.csv) {
    add(fs::path("ncu") / "raw.csv",
        [&shared](std::ostream& out) { shared.csv.Write(out); });
  }
  if (files.Has("md")) {
    add("report.md", [&report](std::ostream& out) {
      WriteMarkdown(GlanceDocument(report), out);
    });
    add("kernels.md", [&report](std::ostream& out) {
      WriteMarkdown(KernelsDocument(report), out);
    });
  }
  add(fs::path("ncu") / "sections_report.txt",
      [&report](std::ostream& out) { WriteSectionsReport(report, out); });
}

}  // namespace

Status WriteReportFiles(const Report& report, const fs::path& run_dir,
                        const std::function<void(std::string_view)>& progress) {
  const ReportFiles& files = report.options.files;
  const fs::path regions = fs::path("ncu") / "regions";
  TRY(MakeFolderBelow(run_dir, regions));
  const FolderLock held = TRY(OneReportAtATime(run_dir / regions, progress));
  std::vector<Task> tasks;
  const auto add = [&](const fs::path& path, auto write) {
    tasks.push_back([&run_dir, path, write]() -> Status {
      return WriteBelowBy(run_dir, path,
                          [&](std::ostream& out) { write(out); });
    });
  };
  const Shared shared(report);
  // The largest tasks first, so that none begins last.
  for (const Format& format : Formats()) {
    if (!format.is_file || !files.Has(format.name)) continue;
    add(regions / fmt::format("report{}", format.extension),
        [&report, &shared, &format](std::ostream& out) {
          if (format.write_shared != nullptr)
            format.write_shared(report, shared.json, out);
          else
            format.write(report, out);
        });
  }
  if (report.options.max_folders != 0 ||
      (files.of_run_dir && report.profile->counter_samples.empty()))
    AddRunFiles(report, shared, add);

  std::vector<std::string> current;
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i) {
    const auto region = static_cast<RegionId>(i);
    const std::string& folder = shared.json.folders()[i];
    if (folder.empty()) continue;
    current.push_back(folder);
    tasks.push_back([&, region, path = regions / folder]() -> Status {
      return WriteRegion(report, region, shared, run_dir, path);
    });
  }
  TRY(RunAll(tasks, progress));
  RemoveStale(run_dir / regions, current);
  return Ok();
}

fs::path MainReport(const Report& report, const fs::path& run_dir) {
  for (const Format& format : Formats()) {
    if (format.is_file && report.options.files.Has(format.name))
      return run_dir / "ncu" / "regions" /
             fmt::format("report{}", format.extension);
  }
  return run_dir;
}

fs::path PageOf(const Report& report, const fs::path& run_dir) {
  if (!report.options.files.Has("html")) return {};
  return run_dir / "ncu" / "regions" / "report.html";
}

}  // namespace rangefinder
