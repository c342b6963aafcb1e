// The merged names of a region (insight/members.h) as text.

#pragma once

#include <cstddef>
#include <string>

#include "insight/members.h"
#include "report/report.h"

namespace rangefinder {

// The members as lines of plain text, safe to print; empty where nothing is
// merged.
std::string MembersText(const Report& report, const Scope& scope, RegionId id);

}  // namespace rangefinder
