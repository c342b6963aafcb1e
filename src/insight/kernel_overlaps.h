// How long the kernels of regions run beside other kernels.

#pragma once

#include <vector>

#include "insight/run_view.h"

namespace rangefinder {

// By RegionId, with inner regions: the summed time in ns in which a kernel of
// the region runs beside another kernel of its process on its device, of the
// region itself or not. 0 for kernels without a start.
std::vector<double> KernelOverlaps(const RunView& run, const Scope& scope);

}  // namespace rangefinder
