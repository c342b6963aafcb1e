// The times of a region (insight/times.h) in Markdown and the cells of a table.

#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "insight/times.h"
#include "report/report.h"

namespace rangefinder {

// The table and sentences of one region.
void WriteTimesMarkdown(std::ostream& out, const Report& report,
                        const RegionTimes& times);
// Of a tree's row, "–" where it is not known: instances, CPU, busy, and idle
// inside the instances.
struct TimesCells {
  std::string runs{}, cpu{}, busy{}, idle{};
};
TimesCells TimesCellsOf(const std::optional<RegionTimes>& times);

}  // namespace rangefinder
