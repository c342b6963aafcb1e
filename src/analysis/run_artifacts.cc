#include "analysis/run_artifacts.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "capture/ncu.h"
#include "capture/record.h"
#include "capture/run_dir.h"
#include "ingest/reader.h"
#include "ingest/trace/trace_blocks.h"
#include "plan/ncu_request.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// The N in the name of a rank's file: "run.rankN.sqlite".
std::optional<int> RankIn(const fs::path& file) {
  constexpr std::string_view kMark = ".rank";
  const std::string stem = file.stem().string();
  const std::size_t at = stem.rfind(kMark);
  if (at == std::string::npos) return std::nullopt;
  const auto rank = ParseNumber<int>(stem.substr(at + kMark.size()));
  return rank && *rank >= 0 ? rank : std::nullopt;
}

// The names of loose files have the rank if a launcher gave one.
void AddRanks(RunArtifacts& artifacts) {
  for (const fs::path& file : artifacts.files) {
    if (const auto rank = RankIn(file))
      artifacts.ranks.try_emplace(file.string(), *rank);
  }
}

void AddTraces(const Capture& capture, RunArtifacts& artifacts) {
  for (const TraceRecord& trace : capture.traces) {
    for (const fs::path& file : trace.files) {
      std::error_code error;
      if (fs::exists(file, error)) {
        artifacts.files.push_back(file);
        if (trace.rank) artifacts.ranks[file.string()] = *trace.rank;
      } else {
        artifacts.notes.Add(Severity::kDataLoss, "missing_trace",
                            "a trace of this run is gone", file.string());
      }
    }
  }
}

// Files of a run with a damaged manifest: all files that no other manifest
// names. Files that a fallback replaced cannot be recognised.
void AddUnnamed(const std::string& run_dir, const Capture& capture,
                RunArtifacts& artifacts) {
  std::set<fs::path> named(artifacts.files.begin(), artifacts.files.end());
  for (const RunRecord& run : capture.runs) named.insert(run.report);
  const std::vector<std::string> folder = {run_dir};
  const auto all = FindArtifacts(folder);
  if (!all.ok()) return;
  for (const fs::path& file : all.value()) {
    if (!named.contains(file)) artifacts.files.push_back(file);
  }
}

// The files of a capture.
void AddCapture(const Capture& capture, RunArtifacts& artifacts) {
  artifacts.notes = capture.notes;
  artifacts.files = capture.artifacts();
  for (const TraceRecord& trace : capture.traces) {
    artifacts.runs.push_back(
        {.name =
             trace.rank ? fmt::format("trace, rank {}", *trace.rank) : "trace",
         .mode = trace.mode,
         .seconds = trace.seconds,
         .passes = 1,
         .outcome = trace.status == "ok" ? trace.status : trace.why});
  }
  for (const RunRecord& run : capture.runs) {
    if (run.rank) artifacts.ranks[run.report.string()] = *run.rank;
    if (run.used && run.window)
      artifacts.windows[run.report.string()] = *run.window;
    if (run.used && !run.filtered) {
      artifacts.unfiltered[run.report.string()] =
          NvtxFilterOf(run.wanted_include, run.wanted_exclude);
    }
    artifacts.runs.push_back(
        {.name = run.rank ? fmt::format("{}, rank {}", run.name, *run.rank)
                          : run.name,
         .mode = run.mode,
         .seconds = run.seconds,
         .passes = static_cast<std::uint64_t>(std::max(run.passes, 0)),
         .outcome = run.outcome});
  }
  AddTraces(capture, artifacts);
}

// Adds the files of a rank without a manifest: by their names, and traces by
// their headers. `others`: the ranks of the other files.
Status FindFilesOf(const std::string& path, int rank, RunArtifacts& artifacts,
                   std::set<int>& others) {
  const std::vector<std::string> folder = {path};
  for (const fs::path& file : TRY(FindArtifacts(folder))) {
    auto known = RankIn(file);
    if (!known) known = RankOfTrace(file);
    if (known == rank)
      artifacts.files.push_back(file);
    else if (known)
      others.insert(*known);
  }
  return Ok();
}

// Whether no link leads to a file of the run directory.
bool IsInPlace(const fs::path& run_dir, const fs::path& file) {
  fs::path at = run_dir;
  std::error_code error;
  return std::ranges::all_of(file.lexically_relative(run_dir),
                             [&](const fs::path& part) {
                               at /= part;
                               return !fs::is_symlink(at, error);
                             });
}

// Whether a rank of a job replaces a trace: its own, and traces that no rank of
// this job can have made.
bool Replaces(const std::optional<Rank>& rank, const fs::path& trace) {
  if (!rank) return true;
  const auto of_trace = RankOfTrace(trace);
  return !of_trace || *of_trace == rank->rank ||
         (rank->world && *of_trace >= *rank->world);
}

// Files with the times of their last changes.
using ChangedFiles = std::map<fs::path, fs::file_time_type>;

// The files in the run directory that a capture with these options replaces:
// such as a capture writes. Others there are the user's.
ChangedFiles FilesOfCapture(const CaptureOptions& options) {
  const fs::path& run_dir = options.run_dir;
  std::vector<fs::path> all;
  for (const char* folder : {"trace", "trace/count"}) {
    for (const fs::path& file : PathsIn(run_dir / folder)) {
      const std::string name = file.filename().string();
      if ((name.ends_with(".rftrace") || name.ends_with(".rftrace.zst")) &&
          Replaces(options.rank, file))
        all.push_back(file);
    }
  }
  const std::string manifest = RankedStem(options, "manifest") + ".json";
  for (const fs::path& file : ManifestsIn(run_dir)) {
    if (!options.rank || file.filename() == manifest ||
        file.filename() == "manifest.json")
      all.push_back(file);
  }
  const auto capture = options.rank
                           ? ReadCaptureOfRank(run_dir, options.rank->rank)
                           : ReadCapture(run_dir);
  if (capture.ok()) {
    for (const RunRecord& run : capture.value().runs) all.push_back(run.report);
  }
  all.push_back(run_dir / "nsys" / (RankedStem(options, "run") + ".sqlite"));
  ChangedFiles files;
  std::error_code error;
  for (const fs::path& file : all) {
    if (fs::is_regular_file(file, error) && IsInPlace(run_dir, file))
      files.emplace(file, fs::last_write_time(file, error));
  }
  return files;
}

}  // namespace

Result<RunArtifacts> ArtifactsOfRank(const std::string& path, int rank) {
  const fs::path run_dir(path);
  std::error_code error;
  if (!fs::is_directory(run_dir, error)) {
    return Error(
        ErrorCode::kUsage,
        path + ": is no run directory, of which a rank could be taken");
  }
  RunArtifacts artifacts;
  const auto capture = ReadCaptureOfRank(run_dir, rank);
  if (!capture.ok() && capture.error().code() != ErrorCode::kUsage)
    return capture.error();
  std::set<int> others;
  if (capture.ok()) {
    AddCapture(capture.value(), artifacts);
    const fs::path nsys =
        run_dir / "nsys" / fmt::format("run.rank{}.sqlite", rank);
    if (fs::exists(nsys, error)) artifacts.files.push_back(nsys);
  } else {
    TRY(FindFilesOf(path, rank, artifacts, others));
  }
  AddRanks(artifacts);
  if (artifacts.files.empty()) {
    return Error(
        ErrorCode::kUsage,
        fmt::format("{}: nothing of rank {} is in this folder{}", path, rank,
                    capture.ok()     ? ""
                    : others.empty() ? ": no file of it tells its rank"
                                     : fmt::format(", which has rank {}",
                                                   fmt::join(others, ", "))));
  }
  return artifacts;
}

Result<RunArtifacts> ArtifactsOf(const std::vector<std::string>& paths) {
  RunArtifacts artifacts;
  if (paths.size() != 1 || ManifestsIn(paths[0]).empty()) {
    artifacts.files = TRY(FindArtifacts(paths));
    AddRanks(artifacts);
    return artifacts;
  }
  const fs::path run_dir(paths[0]);
  const Capture capture = TRY(ReadCapture(run_dir));
  AddCapture(capture, artifacts);
  if (HasDamagedManifest(capture)) {
    AddUnnamed(paths[0], capture, artifacts);
    AddRanks(artifacts);
    return artifacts;
  }
  // A missing folder, or a folder without files of nsys, adds nothing.
  const std::vector<std::string> nsys = {(run_dir / "nsys").string()};
  if (const auto more = FindArtifacts(nsys); more.ok()) {
    artifacts.files.insert(artifacts.files.end(), more.value().begin(),
                           more.value().end());
  }
  if (artifacts.files.empty() && MissingCapture(artifacts) != nullptr)
    artifacts.files = FindDerived(run_dir);
  AddRanks(artifacts);
  return artifacts;
}

Status ReplaceCapture(const CaptureOptions& options,
                      const std::function<Status()>& capture) {
  const ChangedFiles before = FilesOfCapture(options);
  if (!before.empty() && !options.ncu.force_overwrite)
    return KeptCapture(options.run_dir);
  Status made = capture();
  const ChangedFiles after = FilesOfCapture(options);
  const auto is_old = [&](const auto& file) {
    const auto same = before.find(file.first);
    return same != before.end() && same->second == file.second;
  };
  if (!made.ok() && std::ranges::all_of(after, is_old)) return made;
  std::error_code error;
  for (const auto& file : after) {
    if (!is_old(file) || fs::remove(file.first, error) || !error) continue;
    if (made.ok())
      made = Error(ErrorCode::kSystem,
                   file.first.string() + ": " + error.message());
  }
  return made;
}

const Note* MissingCapture(const RunArtifacts& artifacts) {
  const auto& notes = artifacts.notes.all();
  const auto missing = std::ranges::find_if(notes, [](const Note& note) {
    return note.kind == "missing_report" || note.kind == "missing_trace" ||
           note.kind == "damaged_manifest";
  });
  return missing == notes.end() ? nullptr : &*missing;
}

void ApplyFilters(const RunArtifacts& artifacts, Profile& profile,
                  Notes& notes) {
  for (const auto& unfiltered : artifacts.unfiltered) {
    const std::string& path = unfiltered.first;
    const ncu::NvtxFilter& filter = unfiltered.second;
    const auto left_out =
        std::erase_if(profile.measurements, [&](const Measurement& m) {
          return profile.artifacts[m.artifact].path == path &&
                 !ncu::Selects(filter, profile, m);
        });
    notes.Add(Severity::kInfo, "filtered_here",
              fmt::format("ncu was given no NVTX filter (the program crashed "
                          "under it); {} measurements outside of the selection "
                          "are left out here",
                          left_out),
              path);
  }
}

}  // namespace rangefinder
