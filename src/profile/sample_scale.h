// What the samples of a counter are drawn as over time: a count becomes a rate,
// so that samples of unequal length can be compared.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace rangefinder {

struct SampleScale {
  std::string unit{};       // "byte/s" "%"; empty: a plain number
  bool per_second = false;  // the value is divided by the sample's seconds
  double factor = 1;
};

// Counters ("x.sum", "x.avg") are shown per second; cycles of an SM in the mean
// over the SMs as the share of those that the clock can make; what is a ratio
// already as it is. `clock_hz`: the highest of the SMs; 0: unknown.
SampleScale ScaleOfSamples(std::string_view chip, std::string_view metric,
                           double clock_hz);

// The value of a sample of `ns`; NaN where it has none.
double OnScale(const SampleScale& scale, double value, std::uint64_t ns);

// The highest clock of a device's SMs in Hz; 0: unknown.
double HighestClock(const Profile& profile, std::int32_t device);

}  // namespace rangefinder
