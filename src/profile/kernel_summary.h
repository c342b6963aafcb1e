// What a summary of kernels says that somebody else made: sums, and no single
// launches, so it is no Profile and is never added to one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rangefinder {

// One row: all launches of one kernel, in one launch configuration where the
// report is by grid and block.
struct KernelSummaryRow {
  std::string name{};
  std::uint64_t calls = 0;
  double total_ns = 0;
  std::optional<double> share{};  // of all kernels' time, 0 to 1, as said
  std::optional<double> min_ns{};
  std::optional<double> max_ns{};
};

}  // namespace rangefinder
