// Where a region and its kernels stand under the roofline, as Markdown.

#pragma once

#include <ostream>

#include "report/report.h"
#include "rollup/roofline.h"

namespace rangefinder {

// The region with its inner ones, then its own kernels, most time first;
// nothing where no floating-point work was measured.
void WriteRooflineTable(const Report& report, const Roofline& roofline,
                        const RegionRollup& rolled, std::ostream& out);

}  // namespace rangefinder
