// Numbers as ncu prints them: scaled by thousands, two decimals, thousands
// separated.

#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"
#include "rollup/cell.h"

namespace rangefinder {

struct Scaled {
  double factor = 1;   // the divisor
  std::string unit{};  // "Mbyte/s" "us" "Ghz"
};

// The scale for a value of `unit`.
Scaled ScaleFor(double value, std::string_view unit);

// The text of a cell in a given unit: "44.34", "~ 18.97", "<= 3.10", "41.22 ±
// 0.16" for an estimate, "16 .. 32" for differing values, "-" without a value.
std::string CellText(const Profile& profile, const Cell& cell,
                     const Scaled& scaled);

// The scale for the value of a cell, or for its spread if it has no value.
Scaled ScaleFor(const Cell& cell, std::string_view unit);

}  // namespace rangefinder
