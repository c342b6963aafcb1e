#include "document/quantity.h"

#include <fmt/format.h>

#include "base/numbers.h"

namespace rangefinder {

Quantity TimeOf(double ns) {
  return {.value = ns, .unit = "ns"};
}

Quantity CountOf(std::uint64_t count) {
  return {.value = static_cast<double>(count), .hint = Hint::kCount};
}

Quantity ShareOfWhole(double share) {
  return {.value = share, .hint = Hint::kShare};
}

Quantity RatioOf(double ratio) {
  return {.value = ratio, .hint = Hint::kRatio};
}

Quantity ValueOf(double value, std::string_view unit) {
  return {.value = value, .unit = std::string(unit)};
}

Quantity EstimateOf(double value, double error, std::string_view unit) {
  return {.value = value, .unit = std::string(unit), .error = error};
}

std::string FormatQuantity(const Quantity& quantity) {
  const auto text = [&](double value) {
    return FormatValue(value, quantity.unit);
  };
  switch (quantity.hint) {
    case Hint::kCount:
      return PlainNumber(quantity.value);
    case Hint::kShare:
      return FormatShare(quantity.value, 1);
    case Hint::kRatio:
      return fmt::format("{:.2f}×", quantity.value);
    case Hint::kAbout:
      return "~ " + text(quantity.value);
    case Hint::kAtLeast:
      return "≥ " + text(quantity.value);
    case Hint::kAtMost:
      return "≤ " + text(quantity.value);
    case Hint::kRange:
      return text(quantity.value) + " … " + text(quantity.high);
    case Hint::kChange:
      return (quantity.value > 0 ? "+" : "") + text(quantity.value);
    case Hint::kValue:
      break;
  }
  if (!quantity.error) return text(quantity.value);
  return FormatEstimate(quantity.value, *quantity.error, quantity.unit);
}

}  // namespace rangefinder
