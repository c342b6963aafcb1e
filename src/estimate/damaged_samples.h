// Damaged samples: now and then the device loses the counters of one kind of
// unit, or of all SMs, in a sample whose other counters are whole. Such a
// sample tells nothing.

#pragma once

#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/estimate.h"
#include "estimate/matrix.h"
#include "estimate/windows.h"

namespace rangefinder {

// By sample. A metric is missing where it has less than half of the count that
// `x` predicts, is eight times as far off as usual, and the neighbouring
// samples do not have the rest. A sample is damaged if two metrics of launches
// or more are missing while another one has its count: a single missing metric
// is no damage, since a cache may have held bytes back. It is also damaged if
// all metrics of launches have less than a tenth while a metric of other units
// (as PCIe) has its count, unless that happens in more than one sample of 500:
// then the end of a kernel may count next to nothing in each launch. And it is
// damaged if it has far more of a metric than its launches explain and than 99
// of 100 samples with launches have. If more than one sample in fifty is
// damaged by these rules, the launches explain the samples badly, and no sample
// is damaged.
std::vector<bool> FindDamaged(const Design& design, const RowMatrix& own,
                              const Matrix& x,
                              std::span<const EstimatedMetric> metrics);

// Leaves out damaged samples; their times count as idle. Returns their number.
std::size_t LeaveOut(const std::vector<bool>& damaged, SampleWindows& samples);

}  // namespace rangefinder
