// The merged names of a region (insight/members.h) in Markdown and text.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "insight/members.h"
#include "report/report.h"

namespace rangefinder {

// A sentence, and a table.
void WriteMembersMarkdown(std::ostream& out, const Report& report,
                          const Scope& scope, RegionId id);
// The same as lines of plain text, safe to print; empty where nothing is
// merged.
std::string MembersText(const Report& report, const Scope& scope, RegionId id);

}  // namespace rangefinder
