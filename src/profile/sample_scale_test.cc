#include "profile/sample_scale.h"

#include <cmath>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// "5 byte/s": of a sample of 2 ms that counted `value`, on a clock of 2 GHz.
std::string Drawn(std::string_view metric, double value, double clock = 2e9) {
  const SampleScale scale = ScaleOfSamples("GH100", metric, clock);
  char text[64];
  std::snprintf(text, sizeof text, "%g ", OnScale(scale, value, 2'000'000));
  return text + scale.unit;
}

TEST(SampleScales, CountersAreRates) {
  EXPECT_EQ(Drawn("dram__bytes_read.sum", 4000), "2e+06 byte/s");
  EXPECT_EQ(Drawn("sm__inst_executed.sum", 10), "5000 inst/s");
  EXPECT_EQ(Drawn("lts__t_sectors.avg", 10), "5000 sector/s");
}

TEST(SampleScales, CyclesOfTheSmsAreAShareOfTheirClock) {
  EXPECT_EQ(Drawn("sm__cycles_active.avg", 1e6), "25 %");
  EXPECT_EQ(Drawn("sm__pipe_tensor_cycles_active.avg", 4e6), "100 %");
}

TEST(SampleScales, WithoutAKnownClockCyclesAreARate) {
  EXPECT_EQ(Drawn("sm__cycles_active.avg", 1e6, 0), "5e+08 hz");
}

TEST(SampleScales, WhatIsARatioStaysWhatItIs) {
  EXPECT_EQ(Drawn("sm__warps_active.avg.pct_of_peak_sustained_active", 40),
            "40 %");
}

TEST(SampleScales, OfNoTimeThereIsNoRate) {
  const SampleScale scale = ScaleOfSamples("", "dram__bytes_read.sum", 0);
  EXPECT_TRUE(std::isnan(OnScale(scale, 7, 0)));
}

TEST(SampleScales, TheClockIsTheDevicesOwn) {
  Profile profile;
  profile.devices.push_back({.index = 1});
  profile.devices.back().attributes.emplace_back(
      profile.strings.Intern("device__attribute_clock_rate"),
      Value::Number(1'980'000));
  EXPECT_EQ(HighestClock(profile, 1), 1.98e9);
  EXPECT_EQ(HighestClock(profile, 0), 0);
}

}  // namespace
}  // namespace rangefinder
