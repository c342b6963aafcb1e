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

// "16,384" "0.67": whole numbers without decimals.
std::string PlainNumber(double value);

// A cell in one word or few, in a unit already chosen: "44.34", "~ 18.97",
// "<= 3.10",
// "41.22 ±0.4%" of an estimate, "16 .. 32" where it differs, "-" where there
// is nothing.
std::string CellText(const Profile& profile, const Cell& cell,
                     const Scaled& scaled);

// Of an estimate, one standard error by its value: " ±0.4%", and " ±?" where
// it is ten times the value or more. Of a percentage it is points: " ±0.4pp".
// A value of 0 has no percent: `in_unit` is the error as a value is written.
std::string ErrorText(const Cell& cell, std::string_view unit,
                      const std::string& in_unit);

// The scale of a cell, from its value or, without one, from its spread.
Scaled ScaleFor(const Cell& cell, std::string_view unit);

}  // namespace rangefinder
