#include "app/command_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<CaptureOptions> OptionsOf(const Settings& settings,
                                 const std::vector<std::string>& program) {
  Notes notes;
  CaptureOptions options = TRY(RunOptionsOf(settings, program));
  TRY(AddNcu(settings.ncu, settings.analysis.rollup, options, notes));
  return options;
}

TEST(CaptureSettings, CarriesEverythingOver) {
  Settings settings;
  settings.run_dir = "/run";
  settings.ncu.sections = {"SpeedOfLight"};
  settings.ncu.nvtx_native = true;
  settings.ncu.nvtx_include = {"A/"};
  settings.ncu.nvtx_exclude = {"B/"};
  settings.ncu.set = "roofline";
  settings.ncu.options = {{"force_overwrite", {}}, {"launch_count", {"3"}}};
  settings.ncu.timeout_s = 7;

  const auto made = OptionsOf(settings, {"./a"});
  ASSERT_TRUE(made.ok());
  const CaptureOptions& options = made.value();
  EXPECT_EQ(options.run_dir, "/run");
  EXPECT_THAT(options.program, ElementsAre("./a"));
  EXPECT_THAT(options.ncu.nvtx_include, ElementsAre("A/"));
  EXPECT_THAT(options.ncu.nvtx_exclude, ElementsAre("B/"));
  EXPECT_THAT(options.ncu.fallback, ElementsAre("app-range", "kernel"));
  EXPECT_EQ(options.ncu.timeout_s, 7);
  EXPECT_TRUE(options.ncu.force_overwrite);
  EXPECT_EQ(options.ncu.options.size(), 1U);
  EXPECT_FALSE(options.version.empty());
}

TEST(CaptureSettings, WithoutTheFlagNothingIsOverwritten) {
  EXPECT_FALSE(OptionsOf({}, {"./a"}).value().ncu.force_overwrite);
}

TEST(CaptureSettings, TheWorkloadStandsInForAProgram) {
  Settings settings;
  settings.workload.argv = {"python3", "-m", "m"};
  EXPECT_THAT(OptionsOf(settings, {}).value().program,
              ElementsAre("python3", "-m", "m"));
}

TEST(CaptureSettings, AnUnknownReplayModeIsSuggested) {
  Settings settings;
  settings.ncu.replay_mode = "app_range";
  const auto made = OptionsOf(settings, {"./a"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code(), ErrorCode::kUsage);
  EXPECT_THAT(made.error().message(), HasSubstr("did you mean 'app-range'?"));

  settings.ncu.replay_mode = "range";
  settings.ncu.fallback = {"kernal"};
  EXPECT_FALSE(OptionsOf(settings, {"./a"}).ok());
  settings.ncu.fallback = {"none"};
  EXPECT_TRUE(OptionsOf(settings, {"./a"}).value().ncu.fallback.empty());
}

}  // namespace
}  // namespace rangefinder
