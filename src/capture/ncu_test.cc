#include "capture/ncu.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

CaptureOptions Options() {
  CaptureOptions options;
  options.run_dir = "/run";
  options.program = {"./prog", "a b"};
  return options;
}

std::vector<std::string> Argv(const CaptureOptions& options,
                              const PlannedRun& run) {
  const auto command = NcuCommand(options, run);
  EXPECT_TRUE(command.ok()) << command.error().message();
  return command.ok() ? command.value().argv : std::vector<std::string>{};
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

TEST(NcuCommand, IsExactlyWhatWasAsked) {
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
  const auto command = NcuCommand(Options(), {});

  EXPECT_EQ(command.value().follow, "/run/ncu/run.log");
  EXPECT_EQ(command.value().out, Command::Output::kInherit);
  EXPECT_EQ(command.value().err, Command::Output::kInherit);
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

// ncu measures nothing where range replay is asked for one of these.
TEST(NcuCommand, RangeModesAreNotAskedForPatchedMetrics) {
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
TEST(NcuCommand, LaunchesAreNamedByTheirNumbers) {
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

TEST(NcuCommand, FreeClocksReplaceTheOnesAskedFor) {
  CaptureOptions options = Options();
  options.ncu.options["clock_control"] = {"base"};

  EXPECT_EQ(Given(Argv(options, {.free_clocks = true}), "--clock-control"),
            std::vector<std::string>{"none"});
}

TEST(NcuCommand, RefusesWhatNcuWouldRefuseLater) {
  const auto refused = [](const CaptureOptions& options,
                          const std::string& mode) {
    const auto command = NcuCommand(options, {.mode = mode});
    EXPECT_FALSE(command.ok());
    EXPECT_EQ(command.error().code(), ErrorCode::kUsage);
    return command.error().message();
  };
  CaptureOptions exclude = Options();
  exclude.ncu.nvtx_exclude = {"A/"};
  EXPECT_THAT(refused(exclude, "range"), HasSubstr("--nvtx-exclude"));
  EXPECT_TRUE(NcuCommand(exclude, {.mode = "kernel"}).ok());

  CaptureOptions source = Options();
  source.ncu.options["import_source"] = {"on"};
  EXPECT_THAT(refused(source, "app-range"), HasSubstr("--import-source"));
  EXPECT_TRUE(NcuCommand(source, {.mode = "application"}).ok());

  CaptureOptions output = Options();
  output.ncu.options["export"] = {"x"};
  EXPECT_THAT(refused(output, "kernel"), HasSubstr("ncu_cli.export"));

  CaptureOptions nothing = Options();
  nothing.program.clear();
  EXPECT_THAT(refused(nothing, "kernel"), HasSubstr("after --"));
}

}  // namespace
}  // namespace rangefinder
