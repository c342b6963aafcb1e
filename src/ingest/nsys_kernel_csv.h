// The kernel summary of Nsight Systems as CSV: what
// `nsys stats --report cuda_gpu_kern_sum --format csv` prints or writes.
//
// Columns are found by their names, which differ from version to version; a
// unit stands in the name's brackets: "Total Time (ns)", "Avg (us)". What nsys
// says before the table is skipped, and an empty line ends it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

// One row: all launches of one kernel, in one launch configuration where the
// report is by grid and block.
struct KernelSummaryRow {
  std::string name{};
  std::uint64_t calls = 0;
  double total_ns = 0;
  std::optional<double>
      share{};  // of all kernels' time, 0 to 1, as nsys has it
  std::optional<double> min_ns{};
  std::optional<double> max_ns{};
};

// Whether the header of such a table is near the beginning of `bytes`.
bool LooksLikeKernelSummary(std::string_view bytes);

// The rows in the order of the file. kCorrupt with the line where the table is
// malformed, or where there is none.
Result<std::vector<KernelSummaryRow>> ReadKernelSummary(std::string_view bytes);

}  // namespace rangefinder
