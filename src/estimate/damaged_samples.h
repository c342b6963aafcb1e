// Samples that the device lost most of a counter of: now and then the counters
// of one kind of unit are missing in a sample whose others are whole. Such a
// sample is as good as none.

#pragma once

#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/estimate.h"
#include "estimate/matrix.h"
#include "estimate/windows.h"

namespace rangefinder {

// By sample. One is damaged where two metrics or more have less than half of
// what `x` says, eight times as far off as what is usually left, and its
// neighbours do not make up for it, while some other metric has what it says.
// One metric alone may be as it is, as bytes that a cache had. Damaged is also
// a sample that has far more of a metric than what ran in it explains and than
// 99 of 100 samples have. Where that is so
// of more than one sample in fifty it is the launches that explain the samples
// badly, and none is.
std::vector<bool> FindDamaged(const Design& design, const RowMatrix& own,
                              const Matrix& x,
                              std::span<const EstimatedMetric> metrics);

// Leaves samples out; their times are as if nothing had run. How many.
std::size_t LeaveOut(const std::vector<bool>& damaged, SampleWindows& samples);

}  // namespace rangefinder
