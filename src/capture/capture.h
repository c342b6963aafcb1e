// Runs a plan and leaves a run directory from which every report can be made
// again, anywhere: the reports of ncu, its logs, the exact commands, the
// machine, the program, and a manifest that says which file came of which run
// and why.
//
// What has been captured is never lost: the manifest is rewritten after every
// run, a run that fails keeps what it left, and a fallback sets the run before
// it aside without deleting it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "capture/progress.h"

namespace rangefinder {

// One run of ncu that was made.
struct RunRecord {
  std::string name{};
  std::string mode{};
  std::string why{};
  std::vector<std::string> command{};
  std::vector<std::string> nvtx_include{};  // that ncu was given
  std::vector<std::string> regions{};       // that it was to measure; labels
  bool filtered = true;
  std::string started{};  // 2026-11-21T03:00:00Z
  double seconds = 0;
  int status = 0;
  std::uint64_t results = 0;  // by ncu's own count
  int passes = 0;             // of the last kernel, by ncu's own count
  // "ok", "nothing" (a success without results), "failed", or "replaced" by the
  // run after it.
  std::string outcome{};
  std::string message{};
  std::filesystem::path report{};  // empty: it left none
  std::filesystem::path log{};
  bool used = false;  // whether the report belongs into the results
  std::optional<int> rank{};
};

struct Capture {
  std::filesystem::path run_dir{};
  std::vector<std::string> program{};
  std::string ncu_version{};
  std::vector<RunRecord> runs{};
  Notes notes{};
  // Why it is not complete. The artifacts are those of before.
  std::optional<Error> failure{};

  // The reports that belong into the results, in the order of the runs.
  std::vector<std::filesystem::path> artifacts() const;
};

using ProgressCallback = std::function<void(const Progress&)>;

// Runs `plan`. An Error means that nothing could be begun: no ncu, no program,
// a run directory that cannot be written or that another capture is writing.
// All that happens later is in the Capture.
Result<Capture> RunCapture(const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress = {});

}  // namespace rangefinder
