// A number with its unit, independent of its printed form.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rangefinder {

// The kind of a number. Only FormatQuantity() evaluates it, not the writers.
enum class Hint : std::uint8_t {
  kValue,    // "12.3 MB", "41.2 ± 1.6 %"
  kCount,    // "12,345"
  kShare,    // 0.123 of a whole: "12.3 %"
  kRatio,    // "1.32×"
  kAbout,    // an approximate value: "~ 12.3 MB"
  kAtLeast,  // a lower bound: "≥ 12.3 MB"
  kAtMost,   // an upper bound: "≤ 12.3 MB"
  kRange,    // there is no one value: "12.3 … 15.1 MB"
  kChange,   // with its sign: "+1.20 ms"
};

struct Quantity {
  double value = 0;
  std::string unit{};             // a base unit: "ns", "byte", "%", "inst"
  std::optional<double> error{};  // one standard error of an estimate
  Hint hint = Hint::kValue;
  double high = 0;  // upper end for Hint::kRange; `value` is the lower one
};

Quantity TimeOf(double ns);
Quantity CountOf(std::uint64_t count);
Quantity ShareOfWhole(double share);  // 0 to 1
Quantity RatioOf(double ratio);
Quantity ValueOf(double value, std::string_view unit);
Quantity EstimateOf(double value, double error, std::string_view unit);

// The text of every writer.
std::string FormatQuantity(const Quantity& quantity);

}  // namespace rangefinder
