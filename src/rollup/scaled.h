// Numbers for people, as ncu prints them: scaled by thousands, two decimals,
// thousands separated.

#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"
#include "rollup/cell.h"

namespace rangefinder {

struct Scaled {
  double factor = 1;   // what to divide by
  std::string unit{};  // "Mbyte/s" "us" "Ghz"
};

// How a value of `unit` is best shown.
Scaled ScaleFor(double value, std::string_view unit);

// A cell in one word or few, in a unit already chosen: "44.34", "~ 18.97",
// "<= 3.10", "41.22 ± 0.16" of an estimate, "16 .. 32" where it differs, "-"
// where there is nothing.
std::string CellText(const Profile& profile, const Cell& cell,
                     const Scaled& scaled);

// The scale of a cell, from its value or, without one, from its spread.
Scaled ScaleFor(const Cell& cell, std::string_view unit);

}  // namespace rangefinder
