// The kernels of a region in Markdown, those of its inner regions included and
// its own beside them, or what the undisturbed run has of them where none was
// measured.

#pragma once

#include <ostream>

#include "report/markdown_columns.h"
#include "report/report.h"

namespace rangefinder {

// Nothing where nothing is known of any kernel.
void WriteKernelTable(const Report& report, const ScopeRollup& scope,
                      RegionId id, const MarkdownColumns& columns,
                      std::ostream& out);

}  // namespace rangefinder
