// The regions of a scope in Markdown: a table with a row a region, the whole
// below it, and what its marks mean.

#pragma once

#include <ostream>

#include "report/absent_values.h"
#include "report/markdown_columns.h"
#include "report/report.h"

namespace rangefinder {

void WriteTreeMarkdown(const Report& report, const ScopeRollup& scope,
                       const MarkdownColumns& columns, AbsentValues& absent,
                       std::ostream& out);

}  // namespace rangefinder
