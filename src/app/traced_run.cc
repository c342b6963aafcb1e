#include "app/traced_run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "app/standard_input.h"
#include "base/write_file.h"
#include "capture/cost.h"
#include "capture/ncu_messages.h"
#include "capture/tracer.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// ncu is told to take the program's status for no failure.
bool AnyStatusWillDo(const NcuOptions& ncu) {
  const auto asked = ncu.options.find("check_exit_code");
  if (asked == ncu.options.end() || asked->second.empty()) return false;
  const std::string& word = asked->second.front();
  return word == "no" || word == "off" || word == "0" || word == "false";
}

std::optional<Error> FailureOf(const Finished& program, const NcuOptions& ncu) {
  if (program.ending == Ending::kInterrupted) {
    return Error(ErrorCode::kInterrupted,
                 "interrupted while the program ran under the tracer; what it "
                 "did until then is reported, and ncu was not started");
  }
  if (program.status == 0) return std::nullopt;
  if (program.signal == 0 && AnyStatusWillDo(ncu)) return std::nullopt;
  std::string what =
      fmt::format("the program failed with code {}",
                  program.signal != 0 ? 128 + program.signal : program.status);
  if (program.signal != 0)
    what += fmt::format(" ({})", ::strsignal(program.signal));
  return Error(
      ErrorCode::kTarget,
      Explained(what + " in its run under the tracer; ncu runs it all the same",
                "it ended so by itself, or does not bear the tracer",
                "if only the tracer makes it fail, leave that out with "
                "pipeline.trace.enable=false"));
}

// Under a launcher every rank traces at the same time, so each does it in a
// folder of its own and then moves its files to the common one.
class TraceFolder {
 public:
  explicit TraceFolder(const CaptureOptions& options)
      : common_(options.run_dir / "trace"), own_(common_) {
    if (!options.rank) return;
    prefix_ = fmt::format("rank{}-", options.rank->rank);
    own_ = common_ / fmt::format(".rank{}", options.rank->rank);
  }

  const fs::path& path() const { return own_; }

  std::vector<fs::path> Collect(const std::vector<fs::path>& files) const {
    std::vector<fs::path> collected;
    for (const fs::path& file : files) {
      std::error_code error;
      fs::path there = common_ / (prefix_ + file.filename().string());
      if (!prefix_.empty()) fs::rename(file, there, error);
      collected.push_back(error || prefix_.empty() ? file : std::move(there));
    }
    std::error_code still_used;
    if (!prefix_.empty()) fs::remove(own_, still_used);
    return collected;
  }

 private:
  fs::path common_;
  fs::path own_;
  std::string prefix_{};
};

bool HasKernels(const Profile& profile) {
  return std::ranges::any_of(profile.measurements, [](const Measurement& m) {
    return m.kind == MeasurementKind::kKernel;
  });
}

// Why a trace has ranges alone, as its reader says it.
std::string WhyNoKernels(const Notes& reading, const std::string& mode) {
  for (const Note& note : reading.all()) {
    if (note.kind == "no_gpu_activity" || note.kind == "tracer_off")
      return note.text;
  }
  if (mode == "regions") return "pipeline.trace.mode=regions traces none";
  return "the program launched none that the tracer saw";
}

// Once a second: there is no forecast of what the program itself takes.
std::function<void(double)> ShowTracing(const Console& console) {
  return [&console, shown = -1](double seconds) mutable {
    const int now = static_cast<int>(seconds);
    if (now == shown) return;
    shown = now;
    console.Progress(fmt::format("running under the tracer, {} so far",
                                 DurationText(seconds)));
  };
}

Result<TracerOutcome> RunSet(const CaptureOptions& options,
                             const TraceFolder& folder, const std::string& mode,
                             const std::optional<SamplingPlan>& sampling,
                             std::size_t set, ProcessRunner& runner,
                             const Console& console) {
  std::optional<SampleRequest> samples;
  if (sampling) samples = RequestOf(*sampling, set);
  TRY(MakeFolderBelow(options.run_dir,
                      folder.path().lexically_relative(options.run_dir)));
  return RunTracer({.program = options.program,
                    .trace_dir = folder.path(),
                    .mode = mode,
                    .samples = std::move(samples),
                    .cwd = options.cwd,
                    .on_tick = ShowTracing(console)},
                   std::getenv, runner);
}

// Runs the program, and reads what it left into `run`: nothing where it left
// nothing or failed. Errors where it could not be run or read.
Status Trace(const CaptureOptions& options,
             const std::optional<SamplingPlan>& sampling, ProcessRunner& runner,
             const Console& console, TracerRun& run, Notes& reading) {
  const TraceFolder folder(options);
  const StandardInput input;
  const std::size_t sets = sampling ? sampling->sets.size() : 1;
  auto traced =
      RunSet(options, folder, run.record.mode, sampling, 0, runner, console);
  for (std::size_t set = 1; set < sets && traced.ok() &&
                            !FailureOf(traced.value().program, options.ncu);
       ++set) {
    input.ReadAgain();
    auto more = RunSet(options, folder, run.record.mode, sampling, set, runner,
                       console);
    if (!more.ok()) break;
    // Times and status are those of the first.
    std::ranges::move(more.value().traces,
                      std::back_inserter(traced.value().traces));
  }
  input.ReadAgain();
  console.Progress({});
  if (!traced.ok()) return traced.error();
  run.failure = FailureOf(traced.value().program, options.ncu);
  run.record.seconds = traced.value().program.seconds;
  run.record.files = folder.Collect(traced.value().traces);
  if (run.failure || run.record.files.empty()) return Ok();
  Profile profile = TRY(ReadArtifacts(run.record.files, reading));
  if (HasKernels(profile)) run.profile = std::move(profile);
  return Ok();
}

}  // namespace

TracerRun RunTraced(const CaptureOptions& options, const TraceSettings& trace,
                    const std::optional<SamplingPlan>& sampling,
                    ProcessRunner& runner, const Console& console,
                    Notes& notes) {
  TracerRun run{.record = {.status = "none", .mode = trace.mode}};
  const auto without = [&](std::string why) {
    notes.Add(Severity::kInfo, "not_traced",
              "the program was not traced before it was profiled: " + why);
    console.Detail("not traced: " + why);
    run.record.why = std::move(why);
  };
  if (!StandardInput().CanBeReadAgain()) {
    without("its standard input is a pipe, which can be read only once");
    return run;
  }
  console.Say(
      "running the program under the tracer first: regions, launches and "
      "undisturbed times");
  Notes reading;  // the report reads the traces again, and says so itself
  const Status status = Trace(options, sampling, runner, console, run, reading);
  if (!status.ok()) {
    run.record = {.status = "none", .mode = trace.mode};
    without(status.error().message());
  } else if (run.failure) {
    run.record.status = "failed";
    const std::string& message = run.failure->message();
    run.record.why = message.substr(0, message.find('\n'));
  } else if (run.record.files.empty()) {
    without(
        "it called neither NVTX nor CUDA where the tracer could see it (static "
        "programs and such with another user's rights cannot be traced)");
  } else {
    run.record.status = "ok";
    if (run.profile) return run;
    run.record.mode = "regions";
    run.record.why = WhyNoKernels(reading, trace.mode);
    notes.Add(Severity::kInfo, "no_kernels_traced",
              "the trace has ranges and no kernels: " + run.record.why);
  }
  return run;
}

}  // namespace rangefinder
