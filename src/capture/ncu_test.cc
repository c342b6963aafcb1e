#include "capture/ncu.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::Not;

CaptureOptions Options() {
  CaptureOptions options;
  options.run_dir = "/run";
  options.program = {"./prog", "a b"};
  return options;
}

std::vector<std::string> Argv(const CaptureOptions& options,
                              const PlannedRun& run) {
  return NcuCommand(options, run).argv;
}

// The words that follow each `option`.
std::vector<std::string> Given(const std::vector<std::string>& argv,
                               const std::string& option) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] == option) words.push_back(argv[i + 1]);
  }
  return words;
}

TEST(NcuCommand, HasExactlyTheRequestedOptions) {
  CaptureOptions options = Options();
  options.ncu.set = "roofline";
  options.ncu.sections = {"SpeedOfLight", "Occupancy"};
  options.ncu.metrics = {"gpu__time_duration.sum", "dram__bytes.sum"};
  options.ncu.options = {{"kernel_name", {"regex:.*matmul.*"}},
                         {"kernel_name_base", {"demangled"}},
                         {"launch_skip", {"2"}},
                         {"rule", {"a", "b"}},
                         {"disable_extra_suffixes", {}}};

  EXPECT_EQ(Argv(options, {.mode = "kernel",
                           .nvtx_include = {"regex:LLM@.+/", "regex:LLM@.+"}}),
            (std::vector<std::string>{"ncu",
                                      "--config-file",
                                      "off",
                                      "--log-file",
                                      "/run/ncu/run.log",
                                      "--export",
                                      "/run/ncu/run.ncu-rep",
                                      "--force-overwrite",
                                      "--target-processes",
                                      "all",
                                      "--replay-mode",
                                      "kernel",
                                      "--nvtx",
                                      "--nvtx-include",
                                      "regex:LLM@.+/",
                                      "--nvtx-include",
                                      "regex:LLM@.+",
                                      "--set",
                                      "roofline",
                                      "--section",
                                      "SpeedOfLight",
                                      "--section",
                                      "Occupancy",
                                      "--metrics",
                                      "gpu__time_duration.sum,dram__bytes.sum",
                                      "--kernel-name",
                                      "regex:.*matmul.*",
                                      "--disable-extra-suffixes",
                                      "--kernel-name-base",
                                      "demangled",
                                      "--launch-skip",
                                      "2",
                                      "--rule",
                                      "a",
                                      "--rule",
                                      "b",
                                      "./prog",
                                      "a b"}));
}

TEST(NcuCommand, FollowsItsOwnLogAndLeavesTheProgramsStreamsAlone) {
  const Command command = NcuCommand(Options(), {});

  EXPECT_EQ(command.follow, "/run/ncu/run.log");
  EXPECT_EQ(command.out, Command::Output::kInherit);
  EXPECT_EQ(command.err, Command::Output::kInherit);
}

TEST(NcuCommand, WithoutFilterNvtxIsStillOn) {
  const auto argv =
      Argv(Options(), {.nvtx_include = {"A/"}, .filtered = false});

  EXPECT_THAT(argv, Contains("--nvtx"));
  EXPECT_THAT(argv, Not(Contains("--nvtx-include")));
}

TEST(NcuCommand, APercentSignInAFolderIsNoMacro) {
  CaptureOptions options = Options();
  options.run_dir = "/runs/50%p";

  EXPECT_EQ(Given(Argv(options, {}), "--export").front(),
            "/runs/50%%p/ncu/run.ncu-rep");
  EXPECT_EQ(Given(Argv(options, {}), "--log-file").front(),
            "/runs/50%p/ncu/run.log");
  EXPECT_EQ(FilesOf(options, {}).report, "/runs/50%p/ncu/run.ncu-rep");
}

// In range replay, ncu measures nothing if one of these metrics is requested.
TEST(NcuCommand, RangeModesRequestNoPatchedMetrics) {
  CaptureOptions options = Options();
  options.ncu.metrics = {"smsp__sass_inst_executed_op_shared.sum",
                         "smsp__inst_executed.sum", "sass__inst_executed"};
  const auto metrics = [&](const char* mode) {
    return Given(Argv(options, {.mode = mode, .nvtx_include = {"A/"}}),
                 "--metrics");
  };
  EXPECT_THAT(metrics("app-range"),
              ::testing::ElementsAre("smsp__inst_executed.sum"));
  EXPECT_THAT(
      metrics("kernel"),
      ::testing::ElementsAre("smsp__sass_inst_executed_op_shared.sum,"
                             "smsp__inst_executed.sum,sass__inst_executed"));
}

TEST(NcuCommand, AProgramIsNeverTakenForAnOption) {
  CaptureOptions options = Options();
  options.program = {"-x", "--metrics", "y"};

  const auto argv = Argv(options, {});
  EXPECT_EQ(argv[argv.size() - 3], "./-x");
  EXPECT_EQ(argv.back(), "y");
}

TEST(NcuCommand, EachRankHasItsOwnFiles) {
  CaptureOptions options = Options();
  options.rank = Rank{.rank = 3};

  EXPECT_EQ(Given(Argv(options, {}), "--export").front(),
            "/run/ncu/run.rank3.ncu-rep");
  EXPECT_EQ(Given(Argv(options, {}), "--log-file").front(),
            "/run/ncu/run.rank3.log");
}

TEST(NcuCommand, CommunicationIsLeftOutByName) {
  CaptureOptions options = Options();
  options.ncu.exclude_communication = true;

  EXPECT_THAT(Given(Argv(options, {}), "--kernel-name").front(),
              ::testing::StartsWith("regex:^(?!.*([nN][cC][cC][lL]|"));
  options.ncu.options["kernel_name"] = {"regex:gemm|attn"};
  EXPECT_THAT(Given(Argv(options, {}), "--kernel-name").front(),
              ::testing::EndsWith(").*(gemm|attn)"));
  // One kernel by its exact name needs nothing left out.
  options.ncu.options["kernel_name"] = {"saxpy"};
  EXPECT_EQ(Given(Argv(options, {}), "--kernel-name"),
            std::vector<std::string>{"saxpy"});
}

// ncu does not look at --kernel-name where there is a --kernel-id.
TEST(NcuCommand, LaunchesAreSelectedByTheirNumbers) {
  CaptureOptions options = Options();
  const PlannedRun run{.launch_numbers = {2, 3, 57}};
  EXPECT_EQ(Given(Argv(options, run), "--kernel-id").front(), ":::^(2|3|57)$");
  EXPECT_EQ(Given(Argv(options, run), "--kernel-name-base").front(),
            "demangled");
  options.ncu.exclude_communication = true;
  EXPECT_THAT(Given(Argv(options, run), "--kernel-id").front(),
              ::testing::StartsWith("::regex:^(?!.*([nN][cC][cC][lL]|"));
  options.ncu.options["kernel_name"] = {"saxpy"};
  EXPECT_EQ(Given(Argv(options, run), "--kernel-id").front(),
            "::saxpy:^(2|3|57)$");
  EXPECT_TRUE(Given(Argv(options, run), "--kernel-name").empty());
  EXPECT_TRUE(Given(Argv(options, run), "--kernel-name-base").empty());
}

TEST(NcuCommand, FreeClocksReplaceTheRequestedClocks) {
  CaptureOptions options = Options();
  options.ncu.options["clock_control"] = {"base"};

  EXPECT_EQ(Given(Argv(options, {.free_clocks = true}), "--clock-control"),
            std::vector<std::string>{"none"});
}

}  // namespace
}  // namespace rangefinder
