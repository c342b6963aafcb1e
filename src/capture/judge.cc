#include "capture/judge.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::string_view kErrorMark = "==ERROR== ";
constexpr std::string_view kWarningMark = "==WARNING== ";
constexpr std::string_view kReturned = "The application returned an error code";
// ncu reports this for a range without launches, and continues.
constexpr std::string_view kEmptyRange = "(RecordStatusEmpty)";

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string_view> LinesAfter(std::string_view log,
                                         std::string_view mark) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    if (line.starts_with(mark)) lines.push_back(line.substr(mark.size()));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return lines;
}

// N of "… returned an error code (N)."
int ReturnedCode(std::string_view line) {
  const std::size_t open = line.find('(');
  int code = 0;
  if (open != std::string_view::npos)
    std::from_chars(line.data() + open + 1, line.data() + line.size(), code);
  return code;
}

// The signal of a crash that an error code stands for: ncu gives the signal's
// number, a shell adds 128. 0: no crash.
int CrashSignal(int code) {
  const int signal = code > 128 ? code - 128 : code;
  constexpr std::array kCrashes = {SIGILL, SIGTRAP, SIGABRT,
                                   SIGBUS, SIGFPE,  SIGSEGV};
  const bool crash = Has(kCrashes, signal);
  return crash ? signal : 0;
}

std::string Quoted(std::string_view line) {
  return fmt::format("ncu said: {}", Ellipsize(Printable(line), 400));
}

// The error that explains the others: the first specific error, otherwise the
// first error.
struct Cause {
  std::string_view line{};
  const NcuMessage* message = nullptr;
};

std::optional<Cause> FirstCause(std::string_view log) {
  std::optional<Cause> first;
  for (const std::string_view line : LinesAfter(log, kErrorMark)) {
    // These are consequences, not causes.
    if (Contains(line, kReturned) || Contains(line, kEmptyRange)) continue;
    const Cause cause{line, FindNcuMessage(line)};
    if (cause.message != nullptr && !cause.message->general) return cause;
    if (!first || (first->message != nullptr && first->message->general &&
                   cause.message == nullptr))
      first = cause;
  }
  return first;
}

std::optional<int> ProgramsCode(std::string_view log) {
  for (const std::string_view line : LinesAfter(log, kErrorMark)) {
    if (Contains(line, kReturned)) return ReturnedCode(line);
  }
  return std::nullopt;
}

Error ProgramFailed(const Outcome& outcome, int code) {
  const int signal = CrashSignal(code);
  std::string what = fmt::format("the program failed with code {}", code);
  std::string why = "the program returned this code; ncu had no error";
  std::string next = "run it without rangefinder and see that it succeeds";
  if (signal != 0) {
    what += fmt::format(" ({})", ::strsignal(signal));
    why = "the program crashed; ncu had no error before";
    next = "run it alone, then under compute-sanitizer";
  } else if (code == SIGKILL || code == 128 + SIGKILL) {
    why = "it was killed, as the system does when memory runs out";
    next = "watch its memory; fewer metrics need fewer copies of GPU memory";
  } else if (code == 127) {
    why = "a program was not found, or a shared library is missing";
    next = "try it alone, and `ldd` on it";
  }
  if (outcome.has_report)
    next += "; earlier results are kept and can be reported";
  return Error(ErrorCode::kTarget, Explained(what, why, next));
}

void AddWarnings(const Outcome& outcome, Verdict& verdict) {
  for (const std::string_view line : LinesAfter(outcome.log, kErrorMark)) {
    if (!Contains(line, kEmptyRange)) continue;
    verdict.notes.Add(Severity::kInfo, "empty_range",
                      "ncu left out a range without launches");
  }
  for (const std::string_view line : LinesAfter(outcome.log, kWarningMark)) {
    if (Contains(line, "No kernels were profiled") ||
        Contains(line, "No ranges were profiled")) {
      verdict.nothing = true;
    } else if (Contains(line, "Running with unmodified GPU clocks")) {
      verdict.notes.Add(
          Severity::kInfo, "free_clocks",
          "GPU clocks were not locked (clock_control=none): times "
          "may vary from run to run");
    } else if (Contains(line, "Backing up device memory in system memory")) {
      verdict.notes.Add(Severity::kWarning, "slow_replay",
                        "GPU memory was copied to the host for every kernel; "
                        "replay_mode=application or metrics of one pass avoid "
                        "this");
    } else if (Contains(line, "--target-processes all")) {
      verdict.notes.Add(Severity::kDataLoss, "child_processes",
                        "kernels of child processes were not measured; set "
                        "pipeline.ncu.ncu_cli.target_processes=all");
    } else if (Contains(line, "taking more time than expected")) {
      verdict.notes.Add(Severity::kInfo, "slow_launch",
                        "ncu waited long for a kernel");
    } else if (!Contains(line, "outstanding GPU clock reset")) {
      verdict.notes.Add(Severity::kWarning, "ncu_warning",
                        "ncu: " + Ellipsize(Printable(line), 400));
    }
  }
}

void AddNothing(const Outcome& outcome, Verdict& verdict) {
  const bool ranges = IsRangeMode(outcome.run.mode);
  std::string text =
      fmt::format("ncu measured no {}", ranges ? "ranges" : "kernels");
  if (Contains(outcome.log, "before first instrumented API call")) {
    text += ": the program called no CUDA function";
  } else if (outcome.run.filtered && !outcome.run.nvtx_include.empty()) {
    text +=
        ": no kernel was launched inside the wanted ranges on their thread, "
        "or no kernel name matched; `rangefinder filter` on a capture with "
        "pipeline.ncu.gating_nvtx=false shows the reason";
  } else {
    text += ": the program launched no selected kernel";
  }
  verdict.notes.Add(Severity::kWarning, "nothing_profiled", text);
}

// Sets a remedy if it would change the run.
void SetRemedy(const Outcome& outcome, Remedy remedy, std::string reason,
               Verdict& verdict) {
  const PlannedRun& run = outcome.run;
  if (remedy == Remedy::kOtherMode && run.mode != "range") return;
  if (remedy == Remedy::kFreeClocks && run.free_clocks) return;
  if (remedy == Remedy::kNoFilter &&
      (!run.filtered || run.nvtx_include.empty()))
    return;
  verdict.remedy = remedy;
  verdict.reason = std::move(reason);
}

void Explain(const Outcome& outcome, const Cause& cause, Verdict& verdict) {
  if (cause.message == nullptr) {
    verdict.failure = Error(
        ErrorCode::kProfiler,
        Explained(Quoted(cause.line), "rangefinder does not know this message",
                  "read ncu's log, and try `rangefinder doctor`"));
    return;
  }
  const NcuMessage& message = *cause.message;
  std::string reason(message.what);
  const std::size_t open = cause.line.rfind('(');
  if (message.remedy == Remedy::kOtherMode && open != std::string_view::npos) {
    const std::string_view inside = cause.line.substr(open + 1);
    reason +=
        fmt::format(" ({})", Printable(inside.substr(0, inside.find(')'))));
  }
  verdict.failure =
      Error(message.code,
            Explained(fmt::format("{}\n  {}", reason, Quoted(cause.line)),
                      message.why, message.next));
  SetRemedy(outcome, message.remedy, std::move(reason), verdict);
}

Error Hung(const Outcome& outcome) {
  return Error(
      ErrorCode::kProfiler,
      Explained(
          fmt::format("no progress at kernel {} for {:.0f} s; the run was "
                      "ended",
                      Printable(outcome.hung_kernel), outcome.options.hang_s),
          "ncu runs kernels one by one, so a kernel that waits for another "
          "kernel (NCCL, NVSHMEM, a persistent kernel) waits for ever",
          "exclude communication by name with "
          "pipeline.ncu.exclude_communication=true, or profile with "
          "pipeline.ncu.ncu_cli.replay_mode=app-range, or allow more time "
          "with pipeline.ncu.hang_timeout=600"));
}

// Judges interruptions, timeouts and hangs. Returns whether the run ended so.
bool JudgeEnding(const Outcome& outcome, Verdict& verdict) {
  const Finished& finished = outcome.finished;
  if (finished.ending == Ending::kInterrupted ||
      (finished.ending == Ending::kExited &&
       Contains(outcome.log, "==PROF== Received signal"))) {
    verdict.failure =
        Error(ErrorCode::kInterrupted,
              outcome.has_report ? "interrupted; results are kept"
                                 : "interrupted; there are no results");
    return true;
  }
  if (finished.ending == Ending::kTimedOut) {
    verdict.failure = Error(
        ErrorCode::kProfiler,
        Explained(fmt::format("ncu was ended after {:.0f} s "
                              "(pipeline.ncu.timeout)",
                              outcome.options.timeout_s),
                  "replaying kernels takes many times as long as running them",
                  "ask for fewer metrics, launches or regions, or allow more "
                  "time"));
    return true;
  }
  if (finished.ending == Ending::kStopped) {
    verdict.failure = Hung(outcome);
    return true;
  }
  return false;
}

void JudgeSilent(const Outcome& outcome, Verdict& verdict) {
  const Finished& finished = outcome.finished;
  if (finished.signal != 0) {
    verdict.failure =
        Error(ErrorCode::kProfiler,
              Explained(fmt::format("ncu itself was ended by a signal ({})",
                                    ::strsignal(finished.signal)),
                        "it crashed, or it was killed, as the system does when "
                        "memory runs out",
                        "try fewer metrics or launches; read its log"));
  } else if (finished.status != 0) {
    verdict.failure = Error(
        ErrorCode::kProfiler,
        Explained(fmt::format("ncu ended with status {} and no message",
                              finished.status),
                  "unknown", "read its log, and try `rangefinder doctor`"));
  } else if (!outcome.has_report && !verdict.nothing) {
    verdict.failure =
        Error(ErrorCode::kProfiler,
              Explained("ncu succeeded without a report", "unknown",
                        "read its log; is there room on the disk?"));
  }
}

}  // namespace

Verdict Judge(const Outcome& outcome) {
  Verdict verdict;
  AddWarnings(outcome, verdict);
  if (JudgeEnding(outcome, verdict)) return verdict;
  const std::optional<Cause> cause = FirstCause(outcome.log);
  const std::optional<int> code = ProgramsCode(outcome.log);
  // After "returned an error code", ncu adds a general error.
  const bool echo = code && cause && cause->message != nullptr &&
                    cause->message->general &&
                    outcome.log.find(cause->line) > outcome.log.find(kReturned);
  if (cause && !echo) {
    Explain(outcome, *cause, verdict);
  } else if (code) {
    verdict.failure = ProgramFailed(outcome, *code);
    if (CrashSignal(*code) != 0) {
      SetRemedy(outcome, Remedy::kNoFilter,
                fmt::format("the program crashed under an NVTX filter (code "
                            "{}), as programs do that open a range without a "
                            "name",
                            *code),
                verdict);
    }
  } else {
    JudgeSilent(outcome, verdict);
  }
  if (!verdict.failure && verdict.nothing) AddNothing(outcome, verdict);
  return verdict;
}

}  // namespace rangefinder
