// Words and cells of a region that several documents share.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "insight/region_rows.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

// How often it ran in the scope, as far as its measurements tell.
std::uint64_t ExecutionsIn(const Region& region, const Scope& scope);

// "push_pop" "start_end", or "none" for (unattributed).
std::string_view RegionKindName(const Region& region);

// The time of the kernels that were measured; nothing where none has one,
// unless it is known that there was no launch.
std::optional<double> MeasuredNs(const Amounts& amounts, const RegionRow& of);

// A cell for a table: its value, led in by "~" where it is approximate, "≤" or
// "≥" where it is a bound, the spread where there is no one value, "–" where it
// is absent.
std::string FormatCell(const Profile& profile, const Cell& cell,
                       std::string_view unit);

}  // namespace rangefinder
