// The record of a capture: its runs, their files and outcomes; and its file,
// the manifest.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "capture/plan.h"

namespace rangefinder {

// A finished run of ncu.
struct RunRecord {
  std::string name{};
  std::string mode{};
  std::string why{};
  std::vector<std::string> command{};
  std::vector<std::string> nvtx_include{};  // the filter of the run
  // The filters of an unfiltered run (`filtered` is false): the report applies
  // them.
  std::vector<std::string> wanted_include{};
  std::vector<std::string> wanted_exclude{};
  std::vector<std::string> regions{};  // labels of the regions to measure
  bool filtered = true;
  // The instances that ncu selected; nothing: the report selects.
  std::optional<InstanceWindow> window{};
  std::string started{};  // 2026-11-21T03:00:00Z
  double seconds = 0;
  int status = 0;
  std::uint64_t results = 0;  // as ncu counts
  int passes = 0;             // of the last kernel or of the program
  // "ok", "nothing" (a success without results), "failed", or "replaced" by the
  // next run.
  std::string outcome{};
  std::string message{};
  std::filesystem::path report{};  // empty: there is none
  std::filesystem::path log{};
  bool used = false;  // the report is part of the results
  std::optional<int> rank{};
};

struct Capture {
  std::filesystem::path run_dir{};
  std::vector<std::string> program{};
  std::string ncu_version{};
  std::vector<RunRecord> runs{};
  std::vector<TraceRecord> traces{};  // one, or one per rank
  std::optional<Forecast> forecast{};
  std::optional<BudgetRecord> budget{};
  Notes notes{};
  // The reason why the capture is not complete. Earlier artifacts are kept.
  std::optional<Error> failure{};

  // The reports that are part of the results, in the order of the runs.
  std::vector<std::filesystem::path> artifacts() const;
};

// The real cost of the runs.
struct Spent {
  std::uint64_t results = 0;
  int passes = 0;  // the most of any run
  double seconds = 0;
};
Spent SpentOf(const Capture& capture);

// ---- The manifest ----------------------------------------------------------

// ncu/manifest.json. Under a launcher each rank writes its own,
// ncu/manifest.rank3.json; reading joins them.

// Writes the manifest into the run directory.
Status WriteManifest(const CaptureOptions& options, const Capture& capture);

// The manifests of `run_dir`, in the order of the ranks.
std::vector<std::filesystem::path> ManifestsIn(
    const std::filesystem::path& run_dir);

// Reads the manifests of `run_dir`. kUsage if there are none. A failure of the
// capture, and a damaged manifest, become notes.
Result<Capture> ReadCapture(const std::filesystem::path& run_dir);
// Reads one rank's manifest only: it lists no folder and opens no other file.
Result<Capture> ReadCaptureOfRank(const std::filesystem::path& run_dir,
                                  int rank);

// Whether a manifest of `capture` is damaged: there may be files that no
// manifest names.
bool HasDamagedManifest(const Capture& capture);

}  // namespace rangefinder
