#include "rollup/scaled.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"

namespace rangefinder {
namespace {

struct Step {
  double factor;
  std::string_view text;
};
constexpr std::array kTimes = {Step{1e9, "s"}, Step{1e6, "ms"},
                               Step{1e3, "us"}};
constexpr std::array kPrefixes = {Step{1e12, "T"}, Step{1e9, "G"},
                                  Step{1e6, "M"}, Step{1e3, "K"}};

// The units that ncu scales; others are printed in full.
bool TakesPrefix(std::string_view unit) {
  return unit == "byte" || unit.starts_with("byte/") || unit == "hz" ||
         unit.starts_with("flop");
}

}  // namespace

Scaled ScaleFor(double value, std::string_view unit) {
  const double size = std::abs(value);
  if (unit == "ns") {
    for (const Step& step : kTimes) {
      if (size >= step.factor) return {step.factor, std::string(step.text)};
    }
  }
  if (TakesPrefix(unit)) {
    for (const Step& step : kPrefixes) {
      if (size >= step.factor)
        return {step.factor, std::string(step.text) + std::string(unit)};
    }
  }
  return {1, std::string(unit)};
}

Scaled ScaleFor(const Cell& cell, std::string_view unit) {
  const bool spread = cell.how == How::kAbsent && cell.has_spread;
  // A value smaller than its error has the scale of the error.
  if (cell.how == How::kEstimated && cell.bound == Bound::kUpper)
    return ScaleFor(cell.high, unit);
  if (cell.how == How::kEstimated)
    return ScaleFor(std::max(std::abs(cell.value), double{cell.error}), unit);
  return ScaleFor(spread ? cell.high : cell.value, unit);
}

std::string CellText(const Profile& profile, const Cell& cell,
                     const Scaled& scaled) {
  const auto number = [&](double value) {
    return PlainNumber(value / scaled.factor);
  };
  if (cell.how == How::kAbsent) {
    if (!cell.has_spread) return "-";
    return number(cell.low) + " .. " + number(cell.high);
  }
  if (cell.is_text) return Printable(profile.Name(cell.text));
  std::string text = number(cell.value);
  if (cell.how == How::kEstimated && cell.bound == Bound::kUpper)
    return "<= " + number(cell.high);
  if (cell.how == How::kEstimated)
    return WithError(cell.value / scaled.factor, cell.error / scaled.factor);
  if (cell.how == How::kApprox) return "~ " + text;
  if (cell.how == How::kBound)
    return (cell.bound == Bound::kLower ? ">= " : "<= ") + text;
  return text;
}

}  // namespace rangefinder
