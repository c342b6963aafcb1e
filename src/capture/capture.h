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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/groundwork.h"
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
  // Where it was given none (`filtered` is false): what it should have been
  // given, for the report to select by.
  std::vector<std::string> wanted_include{};
  std::vector<std::string> wanted_exclude{};
  std::vector<std::string> regions{};  // that it was to measure; labels
  bool filtered = true;
  // The instances that ncu was told to take; nothing: the report selects.
  std::optional<InstanceWindow> window{};
  std::string started{};  // 2026-11-21T03:00:00Z
  double seconds = 0;
  int status = 0;
  std::uint64_t results = 0;  // by ncu's own count
  int passes = 0;  // of the last kernel or of the program, by ncu's own count
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
  std::vector<TraceRecord> traces{};  // one, or one a rank
  // The traces above are all there are; older manifests name none.
  bool names_traces = true;
  std::optional<Forecast> forecast{};
  std::optional<BudgetRecord> budget{};
  Notes notes{};
  // Why it is not complete. The artifacts are those of before.
  std::optional<Error> failure{};

  // The reports that belong into the results, in the order of the runs.
  std::vector<std::filesystem::path> artifacts() const;
};

// What the runs really took.
struct Spent {
  std::uint64_t results = 0;
  int passes = 0;  // the most of any run
  double seconds = 0;
};
Spent SpentOf(const Capture& capture);

using ProgressCallback = std::function<void(const Progress&)>;

class RunDirectory;

// All that a capture needs before its first run: the program, ncu, and a run
// directory that nobody else writes into while this lives.
struct ReadyCapture {
  std::filesystem::path program{};
  std::filesystem::path ncu{};
  std::shared_ptr<const RunDirectory> held{};
};

// kUsage where there is no such program, or another capture has the run
// directory; kProfiler without ncu.
Result<ReadyCapture> PrepareCapture(const CaptureOptions& options,
                                    ProcessRunner& runner);

// Runs `plan`. An Error means that nothing could be begun; all that happens
// later is in the Capture. A plan with a failure in its groundwork runs nothing
// and leaves a run directory that says why.
Result<Capture> RunCapture(const ReadyCapture& ready,
                           const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress = {});

// The same, prepared here.
Result<Capture> RunCapture(const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress = {});

}  // namespace rangefinder
