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
// "<= 3.10", "41.22 ± 0.16" of an estimate, "16 .. 32" where it differs, "-"
// where there is nothing.
std::string CellText(const Profile& profile, const Cell& cell,
                     const Scaled& scaled);

// An estimate and its standard error, both of them rounded to the second
// significant digit of the error, as measurements are stated: "41.22 ± 0.16",
// "1,230 ± 140", "0 ± 12". Without ± where the error is noise, "± ?" where it
// is no number.
std::string WithError(double value, double error);

// Whether an error is none, or what floating-point arithmetic leaves: 1e-9 of
// the value or less.
bool IsNoise(double value, double error);

// The scale of a cell, from its value or, without one, from its spread.
Scaled ScaleFor(const Cell& cell, std::string_view unit);

}  // namespace rangefinder
