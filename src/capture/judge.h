// Judges a run of ncu by its ending and its log. The first error is the cause;
// later errors follow from it.
//
// kTarget means that the target failed by itself, kProfiler that it could not
// be profiled.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/ncu_messages.h"
#include "capture/options.h"
#include "capture/plan.h"

namespace rangefinder {

// A finished run.
struct Outcome {
  const PlannedRun& run;
  const NcuOptions& options;
  const Finished& finished;
  std::string_view log{};
  bool has_report = false;
  // The kernel at which the watch for hangs ended the run.
  std::string hung_kernel{};
};

struct Verdict {
  std::optional<Error> failure{};  // nothing: the run succeeded
  Remedy remedy = Remedy::kNone;
  std::string reason{};  // for the remedy: half a sentence for a note
  bool nothing = false;  // success, but no kernel or range was selected
  Notes notes{};
};

Verdict Judge(const Outcome& outcome);

}  // namespace rangefinder
