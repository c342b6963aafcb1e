// A summary of kernels by another tool: sums, without single launches.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rangefinder {

// All launches of one kernel, or of one kernel in one grid and block.
struct KernelSummaryRow {
  std::string name{};
  std::uint64_t calls = 0;
  double total_ns = 0;
  std::optional<double> share{};  // of all kernels' time, 0 to 1
  std::optional<double> min_ns{};
  std::optional<double> max_ns{};
};

}  // namespace rangefinder
