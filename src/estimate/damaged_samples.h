// Damaged samples: now and then the device loses the counters of one kind of
// unit in a sample whose other counters are whole. Such a sample tells nothing.

#pragma once

#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/estimate.h"
#include "estimate/matrix.h"
#include "estimate/windows.h"

namespace rangefinder {

// By sample. A sample is damaged where two metrics or more have less than half
// of the count that `x` predicts, are eight times as far off as usual, and are
// not made up for by the neighbouring samples, while some other metric has the
// predicted count. A single low metric is no damage: a cache may have held
// bytes back. A sample is also damaged if it has far more of a metric than its
// launches explain and than 99 of 100 samples with launches have. If more than
// one sample in fifty is damaged by these rules, the launches explain the
// samples badly, and no sample is damaged.
std::vector<bool> FindDamaged(const Design& design, const RowMatrix& own,
                              const Matrix& x,
                              std::span<const EstimatedMetric> metrics);

// Leaves out damaged samples; their times count as idle. Returns their number.
std::size_t LeaveOut(const std::vector<bool>& damaged, SampleWindows& samples);

}  // namespace rangefinder
