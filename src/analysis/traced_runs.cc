#include "analysis/traced_runs.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/write_file.h"
#include "capture/standard_input.h"

namespace rangefinder {
namespace {

Result<TracerOutcome> RunOnce(const TracedTarget& target,
                              const std::optional<SamplingPlan>& plan,
                              std::size_t set, ProcessRunner& runner) {
  const CaptureOptions& options = target.options;
  std::optional<SampleRequest> samples;
  if (plan) samples = RequestOf(*plan, set);
  TRY(MakeFolderBelow(options.run_dir, target.folder));
  return RunTracer({.program = options.program,
                    .trace_dir = options.run_dir / target.folder,
                    .mode = target.trace.mode,
                    .api = target.trace.api,
                    .samples = std::move(samples),
                    .cwd = options.cwd,
                    .on_tick = target.on_tick},
                   std::getenv, runner);
}

}  // namespace

Result<TracerOutcome> RunUnderTracer(
    const TracedTarget& target, const std::optional<SamplingPlan>& plan,
    const std::function<Status(const Finished&)>& check, ProcessRunner& runner,
    const Listener& listener, Status& status) {
  const StandardInput input;
  const std::size_t sets = plan ? plan->sets.size() : 1;
  TracerOutcome outcome = TRY(RunOnce(target, plan, 0, runner));
  status = check(outcome.program);
  for (std::size_t set = 1; set < sets && status.ok(); ++set) {
    if (!input.CanBeReadAgain()) {
      listener.say(fmt::format(
          "{} of {} sets of counters are left out: the standard input is a "
          "pipe, which can be read only once",
          sets - set, sets));
      break;
    }
    input.ReadAgain();
    listener.say(fmt::format("run {} of {}: {}", set + 1, sets,
                             fmt::join(plan->sets[set], ", ")));
    Result<TracerOutcome> more = RunOnce(target, plan, set, runner);
    status = more.ok() ? check(more.value().program) : Status(more.error());
    if (more.ok()) {
      std::ranges::move(more.value().traces,
                        std::back_inserter(outcome.traces));
    }
  }
  return outcome;
}

}  // namespace rangefinder
