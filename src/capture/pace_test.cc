#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/progress.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

Pace PaceAt(std::uint64_t results, double seconds) {
  Pace pace(Forecast{.units = 100, .passes = 9, .seconds = 200});
  pace.See({.seconds = seconds, .kernel = "sax\tpy", .results = results});
  return pace;
}

TEST(Pace, TimeLeftFollowsTheForecastBeforeTheFirstResult) {
  EXPECT_EQ(PaceAt(0, 30).seconds_left(), 170);
  // Longer than forecast, and nothing measured: the rest is not known.
  EXPECT_EQ(PaceAt(0, 300).seconds_left(), std::nullopt);
  EXPECT_THAT(PaceText(PaceAt(0, 300)), HasSubstr("5 min so far"));
}

TEST(Pace, TimeLeftFollowsTheSpeedMoreAndMore) {
  EXPECT_EQ(PaceAt(50, 100).seconds_left(), 100);  // as forecast
  EXPECT_EQ(PaceAt(50, 200).seconds_left(), 150);  // half as fast: between
  EXPECT_NEAR(*PaceAt(90, 360).seconds_left(), 38, 0.01);  // nearly its own
}

TEST(Pace, RunsAddUp) {
  Pace pace(Forecast{.unit = "range", .units = 4, .seconds = 40, .runs = 2});
  pace.See({.run_index = 0, .run_count = 2, .seconds = 9, .results = 3});
  pace.See({.run_index = 1, .run_count = 2, .seconds = 1, .results = 0});
  EXPECT_EQ(pace.measured(), 3U);
  EXPECT_EQ(pace.seconds(), 10);
  EXPECT_EQ(pace.fraction(), 0.75);
}

TEST(Pace, ApplicationReplayIsMeasuredByPassesOfTheProgram) {
  Pace pace(Forecast{.units = 4, .passes = 10, .seconds = 40});
  pace.See({.seconds = 9, .results = 4, .replay_pass = 6});
  EXPECT_EQ(pace.fraction(), 0.5);
}

TEST(Pace, MoreResultsThanForecastHaveNoFraction) {
  EXPECT_EQ(PaceAt(101, 10).fraction(), std::nullopt);
  EXPECT_EQ(PaceAt(100, 10).fraction(), 0.99);
  EXPECT_EQ(Pace().fraction(), std::nullopt);
}

TEST(PaceText, HasTheKnownParts) {
  EXPECT_EQ(PaceText(PaceAt(50, 100)),
            "50 %, about 2 min left; 50 of 100 kernels, sax\\tpy");
  EXPECT_EQ(PaceLine(PaceAt(50, 100), true),
            "████████░░░░░░░░  50 %  about 2 min left  50 of 100 kernels, "
            "sax\\tpy");
  EXPECT_THAT(PaceLine(PaceAt(50, 100), false),
              HasSubstr("########........  50 %"));
  Pace unknown;
  unknown.See({.run = "level-2",
               .run_index = 1,
               .run_count = 2,
               .seconds = 12.3,
               .results = 3});
  EXPECT_EQ(PaceText(unknown), "12 s so far; 3 measured, run 2 of 2 (level-2)");
}

}  // namespace
}  // namespace rangefinder
