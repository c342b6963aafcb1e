// What a region is, in the words that documents for programs share.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "region/tree.h"
#include "report/region_row.h"
#include "rollup/rollup.h"

namespace rangefinder {

// How often it ran in the scope, as far as its measurements tell.
std::uint64_t ExecutionsIn(const Region& region, const Scope& scope);

// "push_pop" "start_end", or "none" for (unattributed).
std::string_view RegionKindName(const Region& region);

// The time of the kernels that were measured; nothing where none has one,
// unless it is known that there was no launch.
std::optional<double> MeasuredNs(const Amounts& amounts, const RegionRow& of);

}  // namespace rangefinder
