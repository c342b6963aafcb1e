// The kernel summary of Nsight Systems as CSV: what
// `nsys stats --report cuda_gpu_kern_sum --format csv` prints or writes.
//
// Columns are found by their names, which differ from version to version; a
// unit stands in the name's brackets: "Total Time (ns)", "Avg (us)". What nsys
// says before the table is skipped, and an empty line ends it.

#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/kernel_summary.h"

namespace rangefinder {

// Whether the header of such a table is near the beginning of `bytes`.
bool LooksLikeKernelSummary(std::string_view bytes);

// The rows in the order of the file. kCorrupt with the line where the table is
// malformed, or where there is none.
Result<std::vector<KernelSummaryRow>> ReadKernelSummary(std::string_view bytes);

}  // namespace rangefinder
