// The clock rate of the SMs of a process's devices over time, from counter
// samples.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// Cycles of an SM, and the time that they took.
struct CountedCycles {
  double cycles = 0;
  double ns = 0;

  void operator+=(const CountedCycles& other) {
    cycles += other.cycles;
    ns += other.ns;
  }
};

class SmClock {
 public:
  SmClock(const Profile& profile, ProcessId process);

  bool empty() const { return by_device_.empty(); }
  // The cycles in the sampled part of a time on a device.
  CountedCycles In(std::int32_t device, std::uint64_t start_ns,
                   std::uint64_t end_ns) const;

 private:
  // Samples in order of time, and the sums before each.
  struct Device {
    const CounterSamples* samples = nullptr;
    std::size_t metric = 0;
    std::vector<CountedCycles> before{};
  };

  static CountedCycles Until(const Device& device, std::uint64_t ns);

  std::map<std::int32_t, Device> by_device_;
};

}  // namespace rangefinder
