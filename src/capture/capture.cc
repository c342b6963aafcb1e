#include "capture/capture.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "capture/judge.h"
#include "capture/machine.h"
#include "capture/ncu.h"
#include "capture/ncu_options.h"
#include "capture/provenance.h"
#include "capture/rank.h"
#include "capture/record.h"
#include "capture/run_dir.h"
#include "capture/tracer.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// The mode to try after `mode`, by the order of `fallback`.
std::optional<std::string> NextMode(const std::vector<std::string>& fallback,
                                    const std::string& mode) {
  auto at = std::ranges::find(fallback, mode);
  at = at == fallback.end() ? fallback.begin() : std::next(at);
  while (at != fallback.end() && *at == mode) ++at;
  if (at == fallback.end()) return std::nullopt;
  return *at;
}

// Makes the runs of a plan one after the other, and the fallbacks of failed
// runs.
class Execution {
 public:
  Execution(CaptureOptions options, const CapturePlan& plan,
            ProcessRunner& runner, const ProgressCallback& progress)
      : options_(std::move(options)),
        queue_(plan.runs),
        runner_(runner),
        progress_(progress) {
    capture_.run_dir = options_.run_dir;
    capture_.program = options_.program;
    capture_.notes = plan.notes;
    if (plan.groundwork.trace) {
      capture_.traces = {*plan.groundwork.trace};
      if (options_.rank) capture_.traces[0].rank = options_.rank->rank;
    }
    capture_.forecast = plan.groundwork.forecast;
    capture_.budget = plan.groundwork.budget;
    capture_.failure = plan.groundwork.failure;
  }

  Result<Capture> Execute(const fs::path& program) {
    capture_.ncu_version = TRY(NcuVersion(runner_, options_.ncu.ncu));
    TRY(WriteProvenance(options_, program, options_.ncu.ncu,
                        capture_.ncu_version, runner_));
    if (capture_.failure || queue_.empty())
      TRY(SaveCapture(options_, capture_));
    for (next_ = 0; next_ < queue_.size() && !capture_.failure; ++next_)
      TRY(RunOne());
    return std::move(capture_);
  }

 private:
  Status RunOne() {
    const PlannedRun run = queue_[next_];
    Command command = NcuCommand(options_, run);
    command.environment.merge(MeetingPlace(
        options_.launcher, options_.earlier_runs + static_cast<int>(next_),
        RepeatsProgram(run.mode)));
    const RunFiles files = FilesOf(options_, run);
    // Remove the files of earlier captures.
    std::error_code ignored;
    fs::remove(files.report, ignored);
    fs::remove(files.log, ignored);

    RunRecord record{.name = run.name,
                     .mode = run.mode,
                     .why = run.why,
                     .command = command.argv,
                     .regions = run.regions,
                     .filtered = run.filtered,
                     .window = run.window,
                     .started = Now(),
                     .log = files.log};
    if (run.filtered) {
      record.nvtx_include = run.nvtx_include;
    } else {
      record.wanted_include = run.nvtx_include;
      record.wanted_exclude = options_.ncu.nvtx_exclude;
    }
    if (options_.rank) record.rank = options_.rank->rank;
    NcuLog log;
    std::string hung_kernel;
    const auto finished = Watched(command, log, hung_kernel);
    if (!finished.ok()) {
      record.outcome = "failed";
      capture_.failure =
          Error(ErrorCode::kProfiler, finished.error().message());
      capture_.runs.push_back(std::move(record));
      return SaveCapture(options_, capture_);
    }
    if (const std::string output = AskAgain(run, finished.value(), log);
        !output.empty())
      log.Feed(output);
    record.seconds = finished.value().seconds;
    record.status = finished.value().status;
    record.results = log.progress().results;
    record.passes = std::max(log.progress().passes, log.progress().replay_pass);
    if (fs::file_size(files.report, ignored) > 0 && !ignored)
      record.report = files.report;

    Verdict verdict = Judge({.run = run,
                             .options = options_.ncu,
                             .finished = finished.value(),
                             .log = log.text(),
                             .has_report = !record.report.empty(),
                             .hung_kernel = hung_kernel});
    capture_.notes.Merge(verdict.notes);
    Settle(run, std::move(verdict), std::move(record));
    return SaveCapture(options_, capture_);
  }

  // ncu prints errors of its command line to standard output, mixed with the
  // program's output, before it starts the program. To get them, this runs ncu
  // again with a program that does nothing.
  std::string AskAgain(const PlannedRun& run, const Finished& finished,
                       const NcuLog& log) {
    if (finished.ending != Ending::kExited || finished.status == 0 ||
        log.text().find("==ERROR== ") != std::string::npos ||
        log.text().find("Connected to process") != std::string::npos)
      return "";
    CaptureOptions idle = options_;
    idle.program = {"true"};
    Command command = NcuCommand(idle, run);
    command.out = Command::Output::kCapture;
    command.err = Command::Output::kCapture;
    command.timeout_s = 60;
    const auto again = runner_.Run(command);
    return again.ok() ? again.value().out + again.value().err : "";
  }

  Result<Finished> Watched(const Command& command, NcuLog& log,
                           std::string& hung_kernel) {
    double last_bytes = 0;
    double last_shown = 0;
    double now = 0;
    const auto show = [&] {
      if (!progress_) return;
      Progress progress = log.progress();
      progress.run = queue_[next_].name;
      progress.run_index = next_;
      progress.run_count = queue_.size();
      progress.seconds = now;
      progress_(progress);
      last_shown = now;
    };
    const Watch watch{
        .on_bytes =
            [&](std::string_view bytes) {
              last_bytes = now;
              if (log.Feed(bytes)) show();
            },
        .on_tick =
            [&](double seconds) {
              now = seconds;
              if (now - last_shown >= 1) show();
              const double limit = options_.ncu.hang_s;
              if (limit <= 0 || !log.at_zero() || now - last_bytes < limit)
                return true;
              hung_kernel = log.progress().kernel;
              return false;
            }};
    return runner_.Run(command, watch);
  }

  // Decides what follows a finished run: the next run, a fallback, or the end
  // of the capture.
  void Settle(const PlannedRun& run, Verdict verdict, RunRecord record) {
    if (!verdict.failure) {
      record.outcome = verdict.nothing ? "nothing" : "ok";
      record.used = !record.report.empty();
      capture_.runs.push_back(std::move(record));
      return;
    }
    record.message = verdict.failure->message();
    // In a chain of fallbacks, any failure of ncu leads to the next fallback.
    if (fallen_back_ && verdict.remedy == Remedy::kNone &&
        verdict.failure->code() == ErrorCode::kProfiler &&
        IsRangeMode(run.mode)) {
      verdict.remedy = Remedy::kOtherMode;
      verdict.reason = record.message.substr(0, record.message.find('\n'));
    }
    if (Replace(run, verdict, record)) {
      capture_.runs.push_back(std::move(record));
      return;
    }
    record.outcome = "failed";
    record.used = !record.report.empty();
    capture_.failure = std::move(verdict.failure);
    if (record.report.empty() && IsFull(options_.run_dir)) {
      capture_.failure = Error(
          ErrorCode::kSystem,
          Explained("the disk is full: " + options_.run_dir.string(),
                    "ncu had no room for its report",
                    "make room, or write elsewhere: hydra.run.dir=FOLDER"));
    }
    capture_.runs.push_back(std::move(record));
  }

  // Replaces `run` and the runs after it by fallbacks. Returns false if there
  // are none.
  bool Replace(const PlannedRun& run, const Verdict& verdict,
               RunRecord& record) {
    const std::vector<PlannedRun> rest(
        queue_.begin() + static_cast<std::ptrdiff_t>(next_), queue_.end());
    if (options_.launcher.starts_once && verdict.remedy != Remedy::kNone) {
      capture_.notes.Add(
          Severity::kWarning, "fallback",
          verdict.reason + "; no other way was tried: " + kMpiOnce,
          record.name);
      return false;
    }
    std::vector<PlannedRun> instead;
    std::string how;
    switch (verdict.remedy) {
      case Remedy::kNone:
        return false;
      case Remedy::kOtherMode: {
        const auto mode = NextMode(options_.ncu.fallback, run.mode);
        if (!mode || !CheckNcuOptions(*mode, options_.ncu.options,
                                      !options_.ncu.nvtx_exclude.empty())
                          .ok())
          return false;
        instead = Replanned(rest, *mode);
        how = fmt::format("measured with {} replay instead", *mode);
        fallen_back_ = true;
        break;
      }
      case Remedy::kNoFilter: {
        instead = Replanned(rest, "kernel");
        instead.resize(1);
        instead[0].name = "unfiltered";
        instead[0].filtered = false;
        instead[0].launch_numbers.clear();  // they number filtered launches
        instead[0].why = "every kernel; the report selects regions";
        how = "captured without a filter instead; the report selects regions";
        break;
      }
      case Remedy::kFreeClocks:
        instead = rest;
        for (PlannedRun& other : instead) {
          other.free_clocks = true;
          other.name += "-free-clocks";
        }
        how = "measured with clock_control=none instead";
        break;
    }
    record.outcome = "replaced";
    // Ranges measured as a whole are never added up, so the results before the
    // failure may stay. Kernels would count twice.
    record.used = !record.report.empty() && IsRangeMode(run.mode) &&
                  instead[0].mode != run.mode;
    capture_.notes.Add(Severity::kWarning, "fallback",
                       verdict.reason + "; " + how, record.name);
    queue_.resize(next_ + 1);
    queue_.insert(queue_.end(), instead.begin(), instead.end());
    return true;
  }

  CaptureOptions options_;
  std::vector<PlannedRun> queue_;
  std::size_t next_ = 0;
  bool fallen_back_ = false;
  ProcessRunner& runner_;
  const ProgressCallback& progress_;
  Capture capture_{};
};

}  // namespace

Result<ReadyCapture> PrepareCapture(const CaptureOptions& options,
                                    ProcessRunner& runner) {
  ReadyCapture ready;
  ready.program = TRY(FindProgram(options.program, options.cwd, runner));
  ready.ncu = TRY(FindNcu(runner, options.ncu.ncu));
  ready.held = TRY(ClaimForCapture(options));
  return ready;
}

Result<Capture> RunCapture(const ReadyCapture& ready,
                           const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress) {
  CaptureOptions found = options;
  found.ncu.ncu = ready.ncu.string();
  const InterruptGuard guard;
  return Execution(std::move(found), plan, runner, progress)
      .Execute(ready.program);
}

Result<Capture> RunCapture(const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress) {
  const ReadyCapture ready = TRY(PrepareCapture(options, runner));
  return RunCapture(ready, options, plan, runner, progress);
}

}  // namespace rangefinder
