// Numbers dressed for people: scaled, with their unit. Nothing here is ever
// read back; files for programs have base units at full precision.

#pragma once

#include <string>
#include <string_view>

#include "rollup/rollup.h"

namespace rangefinder {

// "108.4 µs", "1.24 s"; three to four significant digits.
std::string FormatNs(double ns);

// `value` in base `unit` (ns, byte, hz, %, …): "12.3 MB", "1.98 GHz", "44.1 %",
// "49.5 M inst". SI steps of 1000, as Nsight Compute scales.
std::string FormatValue(double value, std::string_view unit);

// An estimate and its standard error in one unit, rounded as WithError() does:
// "1.234 ± 0.032 GB", "41.2 ± 1.6 %". The larger of the two gives the unit.
std::string FormatEstimate(double value, double error, std::string_view unit);

// A cell for a table: its value, led in by "~" where it is approximate, "≤" or
// "≥" where it is a bound, the spread where there is no one value, "–" where it
// is absent.
std::string FormatCell(const Profile& profile, const Cell& cell,
                       std::string_view unit);

// "12.3 %" of a whole, "–" of nothing.
std::string FormatShare(double part, double whole);

// Digits grouped for reading: "12,345".
std::string FormatCount(std::uint64_t count);

}  // namespace rangefinder
