#include "capture/capture.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "capture/record.h"
#include "tests/support/fake_runner.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const std::filesystem::path& path) {
  auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.error().message();
  return text.ok() ? text.value() : "";
}

// Captures with the stand-in of tests/fake_ncu, which leaves a file of our own
// as its report and prints the recorded log of the same name.
class CaptureTest : public ::testing::Test {
 protected:
  CaptureTest() {
    options_.run_dir = folder_ / "run";
    options_.program = {"sh", "-c", "echo program-output; exit 0"};
    options_.ncu.ncu =
        std::string(RANGEFINDER_SOURCE_DIR) + "/tests/fake_ncu/ncu";
    options_.version = "1.2.3";
    Set("FAKE_NCU_ARGV", (folder_ / "argv").string());
    Report("nested_basic");
  }
  ~CaptureTest() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }

  void Set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }

  // Which recorded log is printed, and the bytes of the report that is left.
  void Report(const std::string& name) {
    const std::filesystem::path report = folder_ / (name + ".ncu-rep");
    std::ofstream(report) << "NVR" << name;
    Set("FAKE_NCU_REPORT", report.string());
  }

  Result<Capture> Run(const ProgressCallback& progress = {}) {
    const CapturePlan plan = regions_.empty() ? PlanCapture(options_)
                                              : PlanByLevel(options_, regions_);
    return RunCapture(options_, plan, runner_, progress);
  }

  Capture RunOk(const ProgressCallback& progress = {}) {
    auto capture = Run(progress);
    EXPECT_TRUE(capture.ok()) << capture.error().message();
    return capture.ok() ? std::move(capture).value() : Capture{};
  }

  // The command lines that ncu got, but for --version.
  std::vector<std::vector<std::string>> Argvs() {
    std::vector<std::vector<std::string>> argvs;
    std::ifstream in(folder_ / "argv");
    for (std::string line; std::getline(in, line);)
      argvs.push_back(nlohmann::json::parse(line));
    return argvs;
  }

  std::vector<std::string> Outcomes(const Capture& capture) {
    std::vector<std::string> outcomes;
    for (const RunRecord& run : capture.runs)
      outcomes.push_back(run.mode + " " + run.outcome);
    return outcomes;
  }

  TempDir folder_;
  CaptureOptions options_;
  std::vector<RegionToMeasure> regions_;
  SystemRunner runner_;

 private:
  std::vector<std::string> set_;
};

TEST_F(CaptureTest, LeavesTheWholeRunDirectory) {
  options_.config_yaml = "a: 1\n";
  options_.ncu.metrics = {"gpu__time_duration.sum"};
  const Capture capture = RunOk();

  EXPECT_FALSE(capture.failure.has_value());
  ASSERT_EQ(capture.runs.size(), 1U);
  EXPECT_EQ(capture.runs[0].outcome, "ok");
  EXPECT_EQ(capture.runs[0].results, 28U);
  EXPECT_EQ(capture.runs[0].passes, 10);
  EXPECT_EQ(capture.ncu_version, "2025.3.1.0");
  const std::filesystem::path run = options_.run_dir;
  EXPECT_THAT(capture.artifacts(), ElementsAre(run / "ncu/run.ncu-rep"));
  EXPECT_EQ(Text(run / "ncu/run.ncu-rep"), "NVRnested_basic");
  EXPECT_EQ(Text(run / "config.yaml"), "a: 1\n");
  EXPECT_THAT(Text(run / "ncu/log.txt"), HasSubstr("Profiling \"saxpy\" - 0"));
  EXPECT_THAT(Text(run / "ncu/cmd.txt"), HasSubstr("--metrics"));
  EXPECT_THAT(Text(run / "inputs.yaml"),
              HasSubstr("  - \"echo program-output; exit 0\"\n"));
  const auto env = nlohmann::json::parse(Text(run / "env.json"));
  EXPECT_EQ(env["tools"]["ncu"]["version"], "2025.3.1.0");
  EXPECT_EQ(env["tools"]["rangefinder"], "1.2.3");
  EXPECT_FALSE(env["host"].get<std::string>().empty());
}

TEST_F(CaptureTest, TheManifestKeepsTheGroundwork) {
  const std::filesystem::path run = options_.run_dir;
  CapturePlan plan = PlanCapture(options_);
  plan.groundwork = {
      .trace = TraceRecord{.status = "ok",
                           .mode = "trace",
                           .seconds = 1.5,
                           .files = {run / "trace/a.rftrace"}},
      .forecast = Forecast{.units = 28, .passes = 9, .seconds = 12},
      .budget = BudgetRecord{.asked_s = 60,
                             .fitted = {.launch_count = 2,
                                        .measured = 12,
                                        .total = 840,
                                        .seconds = 50,
                                        .uncovered = {"A"}}}};
  ASSERT_TRUE(RunCapture(options_, plan, runner_).ok());
  const auto json = nlohmann::json::parse(Text(run / "ncu/manifest.json"));
  EXPECT_EQ(json["trace"]["seconds"], 1.5);
  EXPECT_EQ(json["trace"]["files"][0], "trace/a.rftrace");
  EXPECT_EQ(json["cost"]["spent"]["passes"], 10);
  EXPECT_EQ(json["budget"]["measured"], 12);

  const auto capture = ReadCapture(run);
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  const Capture& read = capture.value();
  ASSERT_EQ(read.traces.size(), 1U);
  EXPECT_EQ(read.traces[0].status, "ok");
  EXPECT_EQ(read.traces[0].seconds, 1.5);
  EXPECT_THAT(read.traces[0].files, ElementsAre(run / "trace/a.rftrace"));
  ASSERT_TRUE(read.forecast.has_value());
  EXPECT_EQ(read.forecast->passes, 9);
  ASSERT_TRUE(read.budget.has_value());
  EXPECT_EQ(read.budget->fitted.total, 840U);
  EXPECT_THAT(read.budget->fitted.uncovered, ElementsAre("A"));
}

TEST_F(CaptureTest, APlanWithAFailureRunsNothingAndKeepsTheReason) {
  CapturePlan plan;
  plan.groundwork.failure = Error(ErrorCode::kTarget, "it failed\n  why: so");
  const auto capture = RunCapture(options_, plan, runner_);
  ASSERT_TRUE(capture.ok());
  EXPECT_EQ(capture.value().failure->code(), ErrorCode::kTarget);
  EXPECT_TRUE(Argvs().empty());
  const auto read = ReadCapture(options_.run_dir);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().notes.all()[0].text,
            "the capture is not complete: it failed");
  EXPECT_NE(Text(options_.run_dir / "env.json"), "");
}

TEST_F(CaptureTest, PreparingLocksTheRunDirectory) {
  const auto ready = PrepareCapture(options_, runner_);
  ASSERT_TRUE(ready.ok());
  const auto other = PrepareCapture(options_, runner_);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code(), ErrorCode::kUsage);
  EXPECT_TRUE(
      RunCapture(ready.value(), options_, PlanCapture(options_), runner_).ok());
}

TEST_F(CaptureTest, TheProgramIsKnownByItsContent) {
  const std::string program = folder_ / "program";
  std::ofstream(program) << "#!/bin/sh\n";
  ::chmod(program.c_str(), 0755);
  options_.program = {program};
  RunOk();

  EXPECT_THAT(Text(options_.run_dir / "inputs.yaml"),
              HasSubstr("size: 10\n  sha256: " + Sha256("#!/bin/sh\n")));
}

TEST_F(CaptureTest, TheLogNeverMixesWithTheProgramsOutput) {
  testing::internal::CaptureStdout();
  const Capture capture = RunOk();
  std::fflush(stdout);
  const std::string printed = testing::internal::GetCapturedStdout();

  EXPECT_EQ(printed, "program-output\n");
  EXPECT_THAT(Text(capture.runs[0].log), Not(HasSubstr("program-output")));
}

TEST_F(CaptureTest, ReportsItsProgress) {
  Set("FAKE_NCU_DELAY", "0.001");
  std::vector<std::uint64_t> results;
  RunOk([&](const Progress& progress) {
    EXPECT_EQ(progress.run_count, 1U);
    results.push_back(progress.results);
  });

  ASSERT_GT(results.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(results));
  EXPECT_EQ(results.back(), 28U);
}

TEST_F(CaptureTest, NothingToProfileIsASuccess) {
  Set("FAKE_NCU_FAIL", "no_kernels");
  const Capture capture = RunOk();

  EXPECT_FALSE(capture.failure.has_value());
  EXPECT_TRUE(capture.artifacts().empty());
  EXPECT_THAT(Outcomes(capture), ElementsAre("kernel nothing"));
  EXPECT_EQ(capture.notes.all()[0].kind, "nothing_profiled");
}

TEST_F(CaptureTest, AFailedProgramKeepsItsReportAndIsReported) {
  options_.program = {"sh", "-c", "exit 3"};
  const Capture capture = RunOk();

  ASSERT_TRUE(capture.failure.has_value());
  EXPECT_EQ(capture.failure->code(), ErrorCode::kTarget);
  EXPECT_THAT(capture.failure->message(), HasSubstr("code 3"));
  EXPECT_EQ(capture.artifacts().size(), 1U);
}

struct Known {
  std::string fail;
  ErrorCode code;
  std::string says;

  friend void PrintTo(const Known& known, std::ostream* out) {
    *out << known.fail;
  }
};

class FailureTest : public CaptureTest,
                    public testing::WithParamInterface<Known> {};

TEST_P(FailureTest, IsReportedAndRecorded) {
  options_.program = {"sleep", "10"};
  Set("FAKE_NCU_FAIL", GetParam().fail);
  options_.ncu.gating_nvtx = false;
  const Capture capture = RunOk();

  ASSERT_TRUE(capture.failure.has_value());
  EXPECT_EQ(capture.failure->code(), GetParam().code);
  EXPECT_THAT(capture.failure->message(), HasSubstr(GetParam().says));
  EXPECT_TRUE(capture.artifacts().empty());
  const auto read = ReadCapture(options_.run_dir);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().runs[0].outcome, "failed");
  EXPECT_THAT(read.value().runs[0].message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Known, FailureTest,
    ::testing::Values(
        Known{"permission", ErrorCode::kProfiler, "ERR_NVGPUCTRPERM"},
        Known{"dcgm", ErrorCode::kProfiler, "dcgmi profile --pause"},
        Known{"lock", ErrorCode::kProfiler, "TMPDIR"},
        Known{"oom", ErrorCode::kProfiler, "could not save"},
        Known{"bad_alloc", ErrorCode::kProfiler, "ran out of memory"},
        Known{"unknown", ErrorCode::kProfiler, "UnknownError"},
        Known{"driver", ErrorCode::kProfiler, "are not compatible"},
        Known{"section", ErrorCode::kUsage, "--list-sections"},
        Known{"silent", ErrorCode::kProfiler, "status 1"}),
    [](const auto& known) { return known.param.fail; });

TEST_F(CaptureTest, ErrorsOnNcusStandardOutputAreFound) {
  options_.ncu.options["frobnicate"] = {"7"};
  testing::internal::CaptureStdout();
  const Capture capture = RunOk();
  testing::internal::GetCapturedStdout();

  ASSERT_TRUE(capture.failure.has_value());
  EXPECT_EQ(capture.failure->code(), ErrorCode::kUsage);
  EXPECT_THAT(capture.failure->message(), HasSubstr("'--frobnicate'"));
}

TEST_F(CaptureTest, AFullDiskIsReported) {
  options_.program = {"true"};
  Set("FAKE_NCU_FAIL", "disk_full");
  EXPECT_EQ(RunOk().failure->code(), ErrorCode::kSystem);
}

TEST_F(CaptureTest, LevelsAreMeasuredOneAfterTheOther) {
  Report("range_ABprefill");
  options_.ncu.replay_mode = "range";
  regions_ = {{.label = "A", .expressions = {"A/"}},
              {.label = "A/A::A1", .parent = 0, .expressions = {"A/A::A1/"}}};
  const Capture capture = RunOk();

  EXPECT_THAT(Outcomes(capture), ElementsAre("range ok", "range ok"));
  EXPECT_EQ(capture.artifacts().size(), 2U);
  EXPECT_THAT(capture.runs[1].regions, ElementsAre("A/A::A1"));
  ASSERT_EQ(Argvs().size(), 2U);
  EXPECT_THAT(Argvs()[0], Contains("A/"));
  EXPECT_THAT(Argvs()[0], Not(Contains("A/A::A1/")));
  EXPECT_THAT(Argvs()[1], Contains("A/A::A1/"));
}

TEST_F(CaptureTest, ARefusedRangeFallsBackAsOrdered) {
  options_.program = {"true"};
  options_.ncu.replay_mode = "range";
  options_.ncu.nvtx_include = {"A/"};
  Set("FAKE_NCU_FAIL", "range_api");
  const Capture app = RunOk();
  EXPECT_FALSE(app.failure.has_value());
  EXPECT_THAT(Outcomes(app), ElementsAre("range replaced", "app-range ok"));
  EXPECT_EQ(app.artifacts().size(), 1U);
  ASSERT_FALSE(app.notes.empty());
  EXPECT_THAT(app.notes.all().back().text, HasSubstr("(cuGraphLaunch)"));
  EXPECT_THAT(app.notes.all().back().text, HasSubstr("app-range"));

  options_.ncu.fallback = {"kernel"};
  EXPECT_THAT(Outcomes(RunOk()), ElementsAre("range replaced", "kernel ok"));

  options_.ncu.fallback = {"app-range"};
  options_.ncu.options["import_source"] = {"yes"};  // not in app-range replay
  EXPECT_THAT(Outcomes(RunOk()), ElementsAre("range failed"));

  options_.ncu.options.erase("import_source");
  options_.ncu.fallback = {};
  const Capture none = RunOk();
  EXPECT_THAT(Outcomes(none), ElementsAre("range failed"));
  EXPECT_EQ(none.failure->code(), ErrorCode::kProfiler);
}

TEST_F(CaptureTest, ACrashUnderAFilterIsRepeatedWithoutTheFilter) {
  options_.program = {"true"};
  options_.ncu.nvtx_include = {"A/"};
  Set("FAKE_NCU_FAIL", "crash11");
  const Capture capture = RunOk();

  EXPECT_FALSE(capture.failure.has_value());
  EXPECT_THAT(Outcomes(capture), ElementsAre("kernel replaced", "kernel ok"));
  EXPECT_FALSE(capture.runs[1].filtered);
  EXPECT_THAT(Argvs()[1], Not(Contains("--nvtx-include")));
  EXPECT_THAT(capture.notes.all()[0].text, HasSubstr("without a filter"));
}

TEST_F(CaptureTest, WithMigTheRunIsRepeatedWithFreeClocks) {
  options_.program = {"true"};
  Set("FAKE_NCU_FAIL", "mig");
  const Capture capture = RunOk();

  EXPECT_THAT(Outcomes(capture), ElementsAre("kernel replaced", "kernel ok"));
  EXPECT_THAT(Argvs()[1], Contains("--clock-control"));
}

TEST_F(CaptureTest, AHangIsEndedAndExplained) {
  options_.program = {"sleep", "60"};
  options_.ncu.hang_s = 0.3;
  Set("FAKE_NCU_FAIL", "hang");
  const Capture hung = RunOk();
  EXPECT_EQ(hung.failure->code(), ErrorCode::kProfiler);
  EXPECT_THAT(hung.failure->message(),
              HasSubstr("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_LT(hung.runs[0].seconds, 20);

  options_.program = {"true"};
  options_.ncu.exclude_communication = true;
  EXPECT_FALSE(RunOk().failure.has_value());
}

TEST_F(CaptureTest, ATimeLimitKeepsTheResults) {
  options_.program = {"sleep", "60"};
  options_.ncu.timeout_s = 4;
  const Capture capture = RunOk();

  EXPECT_EQ(capture.failure->code(), ErrorCode::kProfiler);
  EXPECT_THAT(capture.failure->message(), HasSubstr("pipeline.ncu.timeout"));
  EXPECT_EQ(capture.artifacts().size(), 1U);
}

TEST_F(CaptureTest, AnInterruptKeepsTheResults) {
  options_.program = {"sleep", "60"};
  bool pressed = false;
  const Capture capture = RunOk([&](const Progress& progress) {
    if (progress.results < 28 || std::exchange(pressed, true)) return;
    ::kill(::getpid(), SIGINT);
  });

  ASSERT_TRUE(capture.failure.has_value());
  EXPECT_EQ(capture.failure->code(), ErrorCode::kInterrupted);
  const auto read = ReadCapture(options_.run_dir);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().artifacts(), capture.artifacts());
  EXPECT_EQ(read.value().artifacts().size(), 1U);
  EXPECT_EQ(read.value().notes.all().back().kind, "incomplete_capture");
}

TEST_F(CaptureTest, ASecondCaptureInARunDirectoryIsRefused) {
  options_.program = {"true"};
  std::optional<Result<Capture>> second;
  RunOk([&](const Progress&) {
    if (!second) second = Run();
  });

  ASSERT_TRUE(second.has_value());
  ASSERT_FALSE(second->ok());
  EXPECT_EQ(second->error().code(), ErrorCode::kUsage);
  EXPECT_THAT(second->error().message(), HasSubstr("another capture"));
}

TEST_F(CaptureTest, AnEarlierCaptureIsKeptOnRequest) {
  RunOk();
  EXPECT_TRUE(Run().ok());
  options_.ncu.force_overwrite = false;
  const auto refused = Run();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUsage);
}

TEST_F(CaptureTest, RanksShareARunDirectory) {
  for (int rank : {1, 0, 10}) {
    options_.rank = Rank{.rank = rank, .world = 11, .launcher = "torchrun"};
    RunOk();
  }
  const auto read = ReadCapture(options_.run_dir);
  ASSERT_TRUE(read.ok()) << read.error().message();
  std::vector<int> ranks;
  for (const RunRecord& run : read.value().runs) ranks.push_back(*run.rank);
  EXPECT_THAT(ranks, ElementsAre(0, 1, 10));
  EXPECT_EQ(read.value().artifacts()[2],
            options_.run_dir / "ncu/run.rank10.ncu-rep");

  // A capture of a single process replaces the files of ranks.
  options_.rank.reset();
  RunOk();
  EXPECT_EQ(ReadCapture(options_.run_dir).value().runs.size(), 1U);
}

TEST_F(CaptureTest, ACaptureThatCannotBeginIsAnError) {
  CaptureOptions good = options_;
  options_.ncu.ncu = "no-such-ncu";
  EXPECT_EQ(Run().error().code(), ErrorCode::kProfiler);
  EXPECT_THAT(Run().error().message(), HasSubstr("pipeline.ncu.path"));

  options_ = good;
  options_.program = {"./no-such-program"};
  EXPECT_EQ(Run().error().code(), ErrorCode::kUsage);

  options_ = good;
  options_.run_dir = "/dev/null/x";
  EXPECT_EQ(Run().error().code(), ErrorCode::kSystem);
  EXPECT_TRUE(Argvs().empty());
}

TEST_F(CaptureTest, PathsOfAManifestStayInTheRunDirectory) {
  RunOk();
  const auto manifest = options_.run_dir / "ncu/manifest.json";
  auto json = nlohmann::json::parse(Text(manifest));
  for (const char* elsewhere : {"../../etc/passwd", "/etc/passwd", ""}) {
    json["runs"][0]["report"] = elsewhere;
    std::ofstream(manifest) << json.dump();
    const auto read = ReadCapture(options_.run_dir);
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(read.value().artifacts().empty()) << elsewhere;
  }
  for (const char* damaged :
       {"", "[", "[]", "{\"schema\": 1}",
        "{\"schema\": \"rangefinder.capture/1\"}",
        "{\"schema\": \"rangefinder.capture/1\", \"runs\": "
        "[], \"rank\": {\"rank\": -1e308}}"}) {
    std::ofstream(manifest) << damaged;
    const auto read = ReadCapture(options_.run_dir);
    ASSERT_TRUE(read.ok()) << damaged;
    EXPECT_TRUE(HasDamagedManifest(read.value())) << damaged;
    EXPECT_TRUE(read.value().runs.empty()) << damaged;
    ASSERT_EQ(read.value().notes.all().size(), 1U) << damaged;
    EXPECT_EQ(read.value().notes.all()[0].kind, "damaged_manifest") << damaged;
  }
}

}  // namespace
}  // namespace rangefinder
