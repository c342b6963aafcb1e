// Reads the kernel summary of Nsight Systems as CSV, which
// `nsys stats --report cuda_gpu_kern_sum --format csv` prints or writes.
//
// Columns are found by their names, which differ from version to version; units
// are in brackets: "Total Time (ns)", "Avg (us)". Lines before the table are
// skipped, and an empty line ends the table.
//
// In a Profile, a row is one measurement that stands for all launches of its
// kernel, outside all regions.

#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/kernel_summary.h"
#include "profile/profile.h"

namespace rangefinder {

// Whether `bytes` has the header of such a table near its beginning.
bool LooksLikeKernelSummary(std::string_view bytes);

// The rows in the order of the file. kCorrupt, with the line, where the table
// is malformed or missing.
Result<std::vector<KernelSummaryRow>> ReadKernelSummary(std::string_view bytes);
Result<Profile> ReadNsysKernelSummary(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
