// The merged names of a region (insight/members.h) in JSON, Markdown and text.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "insight/members.h"
#include "report/json_stream.h"
#include "report/report.h"

namespace rangefinder {

// How many a document has, from the first on; the rest is a number.
inline constexpr std::size_t kMostMembers = 64;

// The field `merged`, which is there only where something is.
void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id);
// A sentence, and a table.
void WriteMembersMarkdown(std::ostream& out, const Report& report,
                          const Scope& scope, RegionId id);
// The same as lines of plain text, safe to print; empty where nothing is
// merged.
std::string MembersText(const Report& report, const Scope& scope, RegionId id);

}  // namespace rangefinder
