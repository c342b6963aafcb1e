#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor_text.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

TEST(DoctorCounters, WithoutAGpuNothingIsTried) {
  const auto checks = CounterChecks(false, [](CounterMode) {
    ADD_FAILURE() << "tried";
    return Result<ProbeAnswer>(ProbeAnswer{});
  });
  EXPECT_THAT(checks, ElementsAre(Field(&Check::name, "CUPTI"),
                                  Field(&Check::name, "sampling"),
                                  Field(&Check::name, "counting")));
  for (const Check& check : checks) {
    EXPECT_FALSE(check.required) << check.name;
    EXPECT_FALSE(check.found.empty()) << check.name;
    EXPECT_EQ(check.ok, check.fix.empty()) << check.name;
  }
  EXPECT_EQ(checks[1].found, "not tried: there is no GPU");
}

TEST(DoctorCounters, TrialsAreReportedWithTheirRemarks) {
  const auto checks = CounterChecks(true, [](CounterMode mode) {
    if (mode == CounterMode::kSample) {
      return Result<ProbeAnswer>(
          ProbeAnswer{.works = true,
                      .found = "GA100: 97 samples of 2 metrics in 30 ms",
                      .remarks = {"GA100 samples by its system clock"}});
    }
    return Result<ProbeAnswer>(
        ProbeAnswer{.found = "another profiler has the counters: "
                             "cuptiRangeProfilerStart said "
                             "CUPTI_ERROR_HARDWARE_BUSY (26)",
                    .fix = "end it"});
  });
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_TRUE(checks[1].ok);
  EXPECT_EQ(checks[1].found,
            "GA100: 97 samples of 2 metrics in 30 ms; GA100 samples by its "
            "system clock");
  EXPECT_FALSE(checks[2].ok);
  EXPECT_THAT(checks[2].found, HasSubstr("HARDWARE_BUSY"));
  EXPECT_EQ(checks[2].fix, "end it");
}

TEST(DoctorCounters, AChildProcessThatCannotStartIsReported) {
  const auto checks = CounterChecks(true, [](CounterMode) {
    return Result<ProbeAnswer>(Error(ErrorCode::kSystem, "fork: no memory"));
  });
  EXPECT_EQ(checks[1].found, "not tried: fork: no memory");
  EXPECT_FALSE(checks[1].fix.empty());
}

}  // namespace
}  // namespace rangefinder
