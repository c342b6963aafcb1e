// Which scopes the terminal shows, and by what names a reader asks for them.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "report/report.h"

namespace rangefinder {

// `asked` is "all", a scope's name, its owner ("rank 3"), or empty: the
// aggregate where there is one, else all. kUsage, with the nearest, for others.
Result<std::vector<const ScopeRollup*>> FindScopes(const Report& report,
                                                   const std::string& asked);

}  // namespace rangefinder
