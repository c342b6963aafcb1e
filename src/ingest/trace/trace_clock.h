// The clock of a trace: converts ticks of the CPU's counter to ns of
// CLOCK_REALTIME.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/trace_format.h"

namespace rangefinder {

// The injection library writes a pair of both clocks every ten milliseconds or
// so. Between two pairs the rate is assumed constant.
class TraceClock {
 public:
  TraceClock() = default;
  explicit TraceClock(std::vector<wire::ClockPair> pairs);
  // `hint` is any number at first; it speeds up queries of neighbouring
  // moments.
  std::uint64_t Ns(std::uint64_t ticks, std::size_t& hint) const;

 private:
  struct Segment {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
    double rate = 1;
  };
  std::vector<Segment> segments_;
};

}  // namespace rangefinder
