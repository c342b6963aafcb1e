#include "capture/tracer.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/write_file.h"
#include "ingest/reader.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class TracedProgram : public testing::Test {
 protected:
  Result<TracerOutcome> Run(std::vector<std::string> arguments,
                            const std::string& mode = "trace",
                            const std::string& api = "") {
    arguments.insert(arguments.begin(), INJECT_PROGRAM);
    return RunTracer({.program = arguments,
                      .trace_dir = folder_.path() / "trace",
                      .mode = mode,
                      .api = api},
                     std::getenv, runner_);
  }
  Profile Read(const TracerOutcome& outcome) {
    auto profile = ReadArtifacts(outcome.traces, notes_);
    EXPECT_TRUE(profile.ok());
    return profile.ok() ? std::move(profile).value() : Profile();
  }
  Folder folder_;
  SystemRunner runner_;
  Notes notes_;
};

TEST_F(TracedProgram, TheRegionsOfAllItsProcesses) {
  const auto outcome = Run({"fork"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_TRUE(outcome.value().program.ok());
  EXPECT_EQ(outcome.value().traces.size(), 2U);
  // By name, traces are in the order of their starts, whatever the ids are.
  for (const auto& trace : outcome.value().traces) {
    EXPECT_THAT(trace.filename().string(),
                testing::MatchesRegex("[0-9a-f]{16}-[0-9]+.rftrace"));
  }
  EXPECT_EQ(DrawVisits(Read(outcome.value())),
            "p0 t0 parent x1\n"
            "p0 t0 parent / beside the child x1\n"
            "p1 t1 parent / in the child x1\n"
            "p1 t1 after x1\n");
}

// Another rank of the job leaves a trace in the folder meanwhile.
TEST_F(TracedProgram, OfARankHasItsOwnTracesAlone) {
  const std::filesystem::path folder = folder_.path() / "trace";
  const auto outcome = RunTracer(
      {.program = {"sh", "-c",
                   ": > " + folder.string() + "/rank1-0-1.rftrace; exec " +
                       INJECT_PROGRAM + " fork"},
       .trace_dir = folder,
       .rank = Rank{.rank = 3, .world = 4}},
      std::getenv, runner_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_EQ(outcome.value().traces.size(), 2U);
  for (const auto& trace : outcome.value().traces) {
    EXPECT_THAT(trace.filename().string(),
                testing::MatchesRegex("rank3-[0-9a-f]{16}-[0-9]+.rftrace"));
  }
  EXPECT_EQ(TraceFilesIn(folder).size(), 3U);
}

TEST_F(TracedProgram, IgnoresABeginningOfNamesThatLeavesTheFolder) {
  const Variable variable("RANGEFINDER_INJECT_NAME", "../");
  const auto outcome = Run({"fork"}, "regions");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().traces.size(), 2U);
}

TEST_F(TracedProgram, ItsTraceSaysWhichCallsWereToBeTimed) {
  const Variable variable("RANGEFINDER_CUPTI_PATH", INJECT_FAKE_CUPTI);
  const auto outcome = Run({"gpu", "1"}, "trace", "calls");
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  const Profile profile = Read(outcome.value());
  ASSERT_EQ(profile.artifacts.size(), 1U);
  EXPECT_THAT(profile.artifacts[0].versions,
              testing::Contains(testing::Pair("api", "calls")));
}

TEST_F(TracedProgram, AFailureOfTheProgramsIsItsOwn) {
  const auto outcome = Run({"_exit", "10"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().program.status, 7);
  EXPECT_FALSE(Read(outcome.value()).visits.empty());
}

TEST_F(TracedProgram, AProgramWithoutRangesIsAnAnswer) {
  const auto outcome =
      RunTracer({.program = {"true"}, .trace_dir = folder_.path() / "trace"},
                std::getenv, runner_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome.value().traces.empty());
}

TEST_F(TracedProgram, AFolderWithTooLongAPathIsRefusedBeforeTheRun) {
  const std::filesystem::path folder =
      "/" + std::string(2016, 'a') + "/" + std::string(2014, 'b');
  const auto outcome = RunTracer({.program = {"true"}, .trace_dir = folder},
                                 std::getenv, runner_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message(),
            "the path of the trace folder has 4032 bytes; the system allows "
            "4015; choose a shorter path");
}

TEST_F(TracedProgram, TracesOfAnEarlierRunAreLeftAlone) {
  ASSERT_TRUE(Run({"pairs", "10"}).ok());
  const auto outcome = Run({"pairs", "20"}, "regions");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().traces.size(), 1U);
  EXPECT_EQ(Read(outcome.value()).visits[0].instances, 20U);
}

TEST_F(TracedProgram, AnotherToolInTheEnvironmentIsRefused) {
  const Variable variable("NVTX_INJECTION64_PATH", "/opt/tool/libtool.so");
  const auto outcome = Run({"pairs", "10"});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), ErrorCode::kProfiler);
  EXPECT_EQ(outcome.error().message(),
            "NVTX_INJECTION64_PATH names another tool's library "
            "(/opt/tool/libtool.so), and two tools cannot share a program; "
            "unset the variable, or run without that tool");
}

TEST(FindTracer, TheVariableNamesIt) {
  const Folder folder;
  const std::string path = (folder.path() / "library.so").string();
  ASSERT_TRUE(WriteFile(path, "x").ok());
  const Variable variable("RANGEFINDER_INJECT_LIBRARY", path);
  const auto found = FindTracer(std::getenv);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value(), path);
}

TEST(FindTracer, AVariableThatNamesNothingIsAnError) {
  const Variable variable("RANGEFINDER_INJECT_LIBRARY", "/nonexistent.so");
  const auto found = FindTracer(std::getenv);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), ErrorCode::kProfiler);
}

TEST(FindTracer, ItIsBesideTheProgram) {
  const auto found = FindTracer(std::getenv);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found.value(), INJECT_LIBRARY);
}

}  // namespace
}  // namespace rangefinder
