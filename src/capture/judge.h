// Whether a run of ncu did what it was asked to, told from how it ended and
// what it printed. The first error is the cause; the ones after it are its
// echo.
//
// The profiled program's failure is kept apart from the profiler's: kTarget
// says that the program failed by itself, kProfiler that it could not be
// profiled.

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

// All that is known of a run when it is over.
struct Outcome {
  const PlannedRun& run;
  const NcuOptions& options;
  const Finished& finished;
  std::string_view log{};
  bool has_report = false;
  std::string hung_kernel{};  // where the watch for hangs ended it
};

struct Verdict {
  std::optional<Error> failure{};  // none: it did what it was asked to
  Remedy remedy = Remedy::kNone;
  std::string reason{};  // of the remedy, half a sentence for a note
  bool nothing = false;  // no kernel or range was selected: a success
  Notes notes{};
};

Verdict Judge(const Outcome& outcome);

}  // namespace rangefinder
