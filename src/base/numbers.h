// Numbers as text for people: scaled, with their unit. No program reads this
// text; files for programs have base units at full precision.

#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// "108.4 µs", "1.24 s"; three to four significant digits.
std::string FormatNs(double ns);
std::string FormatNs(std::integral auto ns) {
  return FormatNs(static_cast<double>(ns));
}

// `value` in base `unit` (ns, byte, hz, %, …): "12.3 MB", "1.98 GHz", "44.1 %",
// "49.5 M inst". SI steps of 1000, as Nsight Compute scales.
std::string FormatValue(double value, std::string_view unit);

// An estimate and its standard error in one unit, rounded as WithError() does:
// "1.234 ± 0.032 GB", "41.2 ± 1.6 %". The larger of the two gives the unit.
std::string FormatEstimate(double value, double error, std::string_view unit);

// "12.3 %" of a whole; "–" if the whole is 0.
std::string FormatShare(double part, double whole);
std::string FormatShare(std::integral auto part, std::integral auto whole) {
  return FormatShare(static_cast<double>(part), static_cast<double>(whole));
}

// Digits in groups of three: "12,345".
std::string FormatCount(std::uint64_t count);

// "1 region", "12,345 regions".
std::string Plural(std::uint64_t count, std::string_view one,
                   std::string_view many);

// "16,384" "0.67": whole numbers without decimals.
std::string PlainNumber(double value);

// An estimate and its standard error, both rounded to the second significant
// digit of the error, as is usual for measurements: "41.22 ± 0.16", "1,230 ±
// 140", "0 ± 12". No ± if the error is noise; "± ?" if it is NaN.
std::string WithError(double value, double error);

// Whether an error is 0 or the rounding of floating-point arithmetic: 1e-9 of
// the value or less.
bool IsNoise(double value, double error);

}  // namespace rangefinder
