#include "capture/judge.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The log before an error of ncu.
constexpr std::string_view kConnected =
    "==PROF== Connected to process 42 (/tmp/nested)\n";

// Lines that ncu adds after the first error.
constexpr std::string_view kEcho =
    "==PROF== Trying to shutdown target application\n"
    "==ERROR== The application returned an error code (9).\n"
    "==ERROR== An error occurred while trying to profile.\n";

struct Case {
  PlannedRun run{};
  Finished finished{.status = 1};
  bool has_report = false;
  std::string hung_kernel{};
};

Verdict JudgeLog(const std::string& log, const Case& c = {}) {
  const NcuOptions options{.timeout_s = 60, .hang_s = 30};
  return Judge({.run = c.run,
                .options = options,
                .finished = c.finished,
                .log = log,
                .has_report = c.has_report,
                .hung_kernel = c.hung_kernel});
}

std::string Log(std::string_view error) {
  return std::string(kConnected) + std::string(error) + "\n" +
         std::string(kEcho);
}

struct KnownMessage {
  std::string line;
  ErrorCode code;
  std::string says;

  friend void PrintTo(const KnownMessage& known, std::ostream* out) {
    *out << known.line;
  }
};

class EveryMessage : public ::testing::TestWithParam<KnownMessage> {};

TEST_P(EveryMessage, IsExplained) {
  const KnownMessage& known = GetParam();
  const Verdict verdict = JudgeLog(Log(known.line));

  ASSERT_TRUE(verdict.failure.has_value());
  EXPECT_EQ(verdict.failure->code(), known.code) << verdict.failure->message();
  EXPECT_THAT(verdict.failure->message(), HasSubstr(known.says));
  EXPECT_THAT(verdict.failure->message(), HasSubstr("\n  why:  "));
  EXPECT_THAT(verdict.failure->message(), HasSubstr("\n  next: "));
  EXPECT_THAT(verdict.failure->message(), Not(HasSubstr("code (9)")));
}

using enum ErrorCode;

// The texts as ncu printed them.
INSTANTIATE_TEST_SUITE_P(
    KnownMessage, EveryMessage,
    ::testing::Values(
        KnownMessage{
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission "
            "to access NVIDIA GPU Performance Counters on the target device "
            "0. For instructions on enabling permissions and to get more "
            "information see https://developer.nvidia.com/ERR_NVGPUCTRPERM",
            kProfiler, "NVreg_RestrictProfilingToAdminUsers=0"},
        KnownMessage{"==ERROR== Profiling failed because a driver resource was "
                     "unavailable. Ensure that no other tool (like DCGM) is "
                     "concurrently collecting profiling data.",
                     kProfiler, "dcgmi profile --pause"},
        KnownMessage{
            "==ERROR== Failed to open/create lock file "
            "/tmp/nsight-compute-lock. Please check that this process has "
            "write permissions on this file.",
            kProfiler, "TMPDIR"},
        KnownMessage{"==ERROR== Cannot lock GPU clock frequencies on MIG! Try "
                     "locking the clocks externally or profile without fixed "
                     "frequencies (see '--clock-control').",
                     kProfiler, "clock_control=none"},
        KnownMessage{
            "==ERROR== An error was reported by the driver:\n"
            "==ERROR== Unsupported API during capture (cuGraphLaunch)\n"
            "==ERROR== Skipping invalid capture range "
            "(RecordStatusUnsupportedApi).",
            kProfiler, "cuGraphLaunch"},
        KnownMessage{
            "==ERROR== Option import-source is not supported during range "
            "replay",
            kUsage, "import-source"},
        KnownMessage{
            "==ERROR== Option profile-from-start is not supported during "
            "range replay.",
            kUsage, "profile-from-start"},
        KnownMessage{
            "==ERROR== Option nvtx-exclude is not supported during range "
            "replay.",
            kUsage, "nvtx-exclude"},
        KnownMessage{
            "==ERROR== Option '--app-replay-buffer' is not supported with "
            "range-based replay modes.",
            kUsage, "app-replay-buffer"},
        KnownMessage{
            "==ERROR== Option '--section Nope' did not match any section.",
            kUsage, "--list-sections"},
        KnownMessage{"==ERROR== Invalid configuration for nvtx-include", kUsage,
                     "rangefinder filter"},
        KnownMessage{
            "==ERROR== unrecognised option '--frobnicate'. Use --help for "
            "further details.",
            kUsage, "--frobnicate"},
        KnownMessage{
            "==ERROR== the argument for option '--replay-mode' is invalid. "
            "Use --help for further details.",
            kUsage, "--replay-mode"},
        KnownMessage{
            "==ERROR== option '--metrics' cannot be specified more than "
            "once. Use --help for further details.",
            kUsage, "one list"},
        KnownMessage{
            "==ERROR== Failed to initialize the profiler: LibraryNotLoaded",
            kProfiler, "NVIDIA_DRIVER_CAPABILITIES=all"},
        KnownMessage{
            "==ERROR== './nested' does not exist or is not an executable. "
            "Please make sure to specify the absolute path to './nested' if "
            "the executable is not in the local directory.",
            kUsage, "-- ./program"},
        KnownMessage{"==ERROR== Failed to save memory for replay.", kProfiler,
                     "replay_mode=application"},
        KnownMessage{"==ERROR== ContextSaveFailed", kProfiler,
                     "replay_mode=application"},
        KnownMessage{"==ERROR== Unhandled C++ exception: bad allocation",
                     kProfiler, "ran out of memory"},
        KnownMessage{"==ERROR== UnknownError", kProfiler, "UnknownError"},
        KnownMessage{"==ERROR== Failed to prepare kernel for profiling",
                     kProfiler, "versions"},
        KnownMessage{
            "==ERROR== An error was reported by the counter measurement "
            "library:",
            kProfiler, "versions"},
        KnownMessage{"==ERROR== An error was reported by the driver", kProfiler,
                     "driver refused"},
        KnownMessage{"==ERROR== LaunchFailed", kProfiler, "compute-sanitizer"},
        KnownMessage{"==ERROR== Failed to profile \"burn\" in process 42",
                     kProfiler, "\"burn\""},
        KnownMessage{
            "==ERROR== Cuda driver is not compatible with Nsight Compute.",
            kProfiler, "doctor"},
        KnownMessage{"==ERROR== Profiling is not supported on this device.",
                     kProfiler, "cannot profile this GPU"},
        KnownMessage{"==ERROR== CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
                     kProfiler, "PyTorch profiler"},
        KnownMessage{"==ERROR== CUPTI_ERROR_HARDWARE_BUSY", kProfiler,
                     "another tool uses"},
        KnownMessage{"==ERROR== CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", kProfiler,
                     "permission"},
        KnownMessage{
            "==ERROR== Failed to write report: No space left on device",
            kSystem, "disk is full"},
        KnownMessage{"==ERROR== Something nobody has seen before", kProfiler,
                     "Something nobody has seen before"}));

TEST(Judge, ARunWithoutErrorsSucceeds) {
  const Verdict verdict = JudgeLog(
      "==PROF== Profiling \"a\" - 0: 0%....50%....100% - 9 passes\n"
      "==PROF== Report: /run/ncu/run.ncu-rep\n",
      {.finished = {.status = 0}, .has_report = true});

  EXPECT_FALSE(verdict.failure.has_value());
  EXPECT_FALSE(verdict.nothing);
  EXPECT_TRUE(verdict.notes.empty());
}

TEST(Judge, TheFirstSpecificErrorIsTheCause) {
  const Verdict verdict = JudgeLog(
      Log("==ERROR== Failed to profile \"saxpy\" in process 42\n"
          "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"
          "==ERROR== Failed to open/create lock file /tmp/x."));
  EXPECT_THAT(verdict.failure->message(), HasSubstr("ERR_NVGPUCTRPERM"));
}

TEST(Judge, NothingToProfileIsAnAnswer) {
  const Verdict kernels =
      JudgeLog("==WARNING== No kernels were profiled.\n",
               {.run = {.nvtx_include = {"A"}}, .finished = {.status = 0}});
  EXPECT_FALSE(kernels.failure.has_value());
  EXPECT_TRUE(kernels.nothing);
  EXPECT_EQ(kernels.notes.all()[0].kind, "nothing_profiled");
  EXPECT_THAT(kernels.notes.all()[0].text, HasSubstr("rangefinder filter"));

  const Verdict ranges =
      JudgeLog("==WARNING== No ranges were profiled.\n",
               {.run = {.mode = "range"}, .finished = {.status = 0}});
  EXPECT_THAT(ranges.notes.all()[0].text, HasSubstr("no ranges"));

  const Verdict no_cuda = JudgeLog(
      "==PROF== Target process 7 terminated before first instrumented API "
      "call.\n==WARNING== No kernels were profiled.\n",
      {.finished = {.status = 0}});
  EXPECT_THAT(no_cuda.notes.all()[0].text, HasSubstr("called no CUDA"));
}

TEST(Judge, AFailedProgramIsNoFailureOfTheProfiler) {
  const std::string log =
      std::string(kConnected) +
      "==PROF== Disconnected from process 42\n"
      "==ERROR== The application returned an error code (3).\n";
  const Verdict verdict = JudgeLog(log, {.has_report = true});

  EXPECT_EQ(verdict.failure->code(), kTarget);
  EXPECT_THAT(verdict.failure->message(), HasSubstr("code 3"));
  EXPECT_THAT(verdict.failure->message(), HasSubstr("are kept"));
  EXPECT_EQ(verdict.remedy, Remedy::kNone);
}

TEST(Judge, TheEchoOfAProgramsFailureIsNotTheCause) {
  const Verdict verdict = JudgeLog(
      "==ERROR== The application returned an error code (3).\n"
      "==ERROR== An error occurred while trying to profile.\n");
  EXPECT_EQ(verdict.failure->code(), kTarget);
}

TEST(Judge, ACrashIsNamed) {
  const std::string log =
      "==ERROR== The application returned an error code (11).\n";
  const Verdict bare = JudgeLog(log);
  EXPECT_EQ(bare.failure->code(), kTarget);
  EXPECT_THAT(bare.failure->message(), HasSubstr("Segmentation fault"));
  EXPECT_EQ(bare.remedy, Remedy::kNone);

  // Under a filter, ncu may have caused the crash.
  const Verdict filtered = JudgeLog(log, {.run = {.nvtx_include = {"A/"}}});
  EXPECT_EQ(filtered.remedy, Remedy::kNoFilter);
  EXPECT_THAT(filtered.reason, HasSubstr("without a name"));
}

TEST(Judge, ARefusedCallAsksForAnotherModeInRangeReplayOnly) {
  const std::string log =
      Log("==ERROR== An error was reported by the driver:\n"
          "==ERROR== Unsupported API during capture (cuKernelSetAttribute)");
  const Verdict range = JudgeLog(log, {.run = {.mode = "range"}});
  EXPECT_EQ(range.remedy, Remedy::kOtherMode);
  EXPECT_THAT(range.reason, HasSubstr("(cuKernelSetAttribute)"));

  EXPECT_EQ(JudgeLog(log, {.run = {.mode = "kernel"}}).remedy, Remedy::kNone);
}

// As a range was seen to end in which the program launched nothing: ncu goes
// on with the others.
TEST(Judge, AnEmptyRangeIsNoFailure) {
  const std::string line =
      "==ERROR== Skipping invalid capture range (RecordStatusEmpty).\n";
  const Verdict verdict =
      JudgeLog(std::string(kConnected) + line, {.run = {.mode = "range"},
                                                .finished = {.status = 0},
                                                .has_report = true});
  EXPECT_FALSE(verdict.failure.has_value());
  EXPECT_EQ(verdict.remedy, Remedy::kNone);
  ASSERT_EQ(verdict.notes.all().size(), 1U);
  EXPECT_EQ(verdict.notes.all()[0].kind, "empty_range");

  const Verdict worse = JudgeLog(
      line + Log("==ERROR== Unsupported API during capture (cuGraphLaunch)"),
      {.run = {.mode = "range"}});
  EXPECT_EQ(worse.remedy, Remedy::kOtherMode);
}

// As range replay of a CUDA graph was seen to end.
TEST(Judge, AnUnknownErrorAsksForAnotherModeInRangeReplayOnly) {
  const std::string log =
      Log("==PROF== Profiling \"range\" - 1: 0%....50%....100%==ERROR== An "
          "error was reported by the driver:\n"
          "==ERROR== UnknownError\n"
          "==ERROR== Failed to profile \"range\" in process 3031");
  const Verdict range = JudgeLog(log, {.run = {.mode = "range"}});
  EXPECT_EQ(range.remedy, Remedy::kOtherMode);
  EXPECT_THAT(range.reason, HasSubstr("UnknownError"));
  EXPECT_EQ(JudgeLog(log).remedy, Remedy::kNone);
}

TEST(Judge, MigAsksForFreeClocksOnce) {
  const std::string log =
      Log("==ERROR== Cannot lock GPU clock frequencies on MIG! Try locking");
  EXPECT_EQ(JudgeLog(log).remedy, Remedy::kFreeClocks);
  EXPECT_EQ(JudgeLog(log, {.run = {.free_clocks = true}}).remedy,
            Remedy::kNone);
}

TEST(Judge, AHangIsReportedWithItsKernel) {
  const Verdict verdict =
      JudgeLog("==PROF== Profiling \"ncclDevKernel\" - 0: 0%",
               {.finished = {.ending = Ending::kStopped, .status = 130},
                .hung_kernel = "ncclDevKernel"});
  EXPECT_EQ(verdict.failure->code(), kProfiler);
  EXPECT_THAT(verdict.failure->message(), HasSubstr("ncclDevKernel for 30 s"));
  EXPECT_THAT(verdict.failure->message(),
              HasSubstr("pipeline.ncu.exclude_communication=true"));
}

TEST(Judge, ATimeLimitIsReported) {
  const Verdict verdict =
      JudgeLog("", {.finished = {.ending = Ending::kTimedOut, .status = 130}});
  EXPECT_EQ(verdict.failure->code(), kProfiler);
  EXPECT_THAT(verdict.failure->message(), HasSubstr("after 60 s"));
}

TEST(Judge, AnInterruptionIsNoFailure) {
  const Verdict ours =
      JudgeLog("==PROF== Received signal\n",
               {.finished = {.ending = Ending::kInterrupted, .status = 1},
                .has_report = true});
  EXPECT_EQ(ours.failure->code(), kInterrupted);
  EXPECT_THAT(ours.failure->message(), HasSubstr("are kept"));
  // On a terminal the signal may reach ncu and not us.
  EXPECT_EQ(JudgeLog("==PROF== Received signal\n").failure->code(),
            kInterrupted);
}

TEST(Judge, AnNcuWithoutMessagesHasAVerdict) {
  EXPECT_THAT(JudgeLog("").failure->message(), HasSubstr("status 1"));
  EXPECT_THAT(JudgeLog("", {.finished = {.status = 139, .signal = SIGSEGV}})
                  .failure->message(),
              HasSubstr("ended by a signal"));
  EXPECT_THAT(JudgeLog("", {.finished = {.status = 0}}).failure->message(),
              HasSubstr("without a report"));
}

TEST(Judge, WarningsBecomeNotes) {
  const Verdict verdict = JudgeLog(
      "==WARNING== Note: Running with unmodified GPU clocks. If not controlled "
      "otherwise, profiling results may be inconsistent.\n"
      "==WARNING== Backing up device memory in system memory. Kernel replay "
      "might be slow.\n"
      "==WARNING== Profiling kernels launched by child processes requires the "
      "--target-processes all option.\n"
      "==WARNING== Found outstanding GPU clock reset, trying to "
      "revert...Success.\n"
      "==WARNING== Never heard of\x1b[31m this\n",
      {.finished = {.status = 0}, .has_report = true});

  EXPECT_FALSE(verdict.failure.has_value());
  std::vector<std::string> kinds;
  for (const Note& note : verdict.notes.all()) kinds.push_back(note.kind);
  EXPECT_THAT(kinds, ::testing::ElementsAre("free_clocks", "slow_replay",
                                            "child_processes", "ncu_warning"));
  EXPECT_THAT(verdict.notes.all()[3].text, Not(HasSubstr("\x1b")));
}

TEST(NcuMessages, EachRowIsFoundByItsOwnText) {
  for (const NcuMessage& message : NcuMessages()) {
    EXPECT_EQ(FindNcuMessage(message.text), &message) << message.text;
    EXPECT_FALSE(message.what.empty() || message.why.empty() ||
                 message.next.empty())
        << message.text;
  }
}

TEST(NcuMessages, EachRowIsInTheDocument) {
  std::ifstream in(std::string(RANGEFINDER_SOURCE_DIR) + "/docs/errors.md");
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  for (const NcuMessage& message : NcuMessages()) {
    EXPECT_THAT(document, HasSubstr("`" + std::string(message.text) + "`"));
  }
}

}  // namespace
}  // namespace rangefinder
