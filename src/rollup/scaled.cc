#include "rollup/scaled.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

struct TimeStep {
  double ns;
  std::string_view unit;
};
constexpr std::array kTimes = {TimeStep{1e9, "s"}, TimeStep{1e6, "ms"},
                               TimeStep{1e3, "us"}, TimeStep{1, "ns"}};

struct Prefix {
  double factor;
  std::string_view text;
};
constexpr std::array kPrefixes = {Prefix{1e12, "T"}, Prefix{1e9, "G"},
                                  Prefix{1e6, "M"}, Prefix{1e3, "K"}};

// The words that ncu scales; the rest is printed in full.
bool TakesPrefix(std::string_view unit) {
  return unit == "byte" || unit.starts_with("byte/") || unit == "hz" ||
         unit.starts_with("flop");
}

}  // namespace

Scaled ScaleFor(double value, std::string_view unit) {
  const double size = std::abs(value);
  if (unit == "ns") {
    for (const TimeStep& step : kTimes) {
      if (size >= step.ns) return {step.ns, std::string(step.unit)};
    }
    return {1, "ns"};
  }
  if (TakesPrefix(unit)) {
    for (const Prefix& prefix : kPrefixes) {
      if (size >= prefix.factor)
        return {prefix.factor, std::string(prefix.text) + std::string(unit)};
    }
  }
  return {1, std::string(unit)};
}

Scaled ScaleFor(const Cell& cell, std::string_view unit) {
  const bool spread = cell.how == How::kAbsent && cell.has_spread;
  if (cell.how == How::kEstimated && cell.value == 0)
    return ScaleFor(cell.error, unit);
  return ScaleFor(spread ? cell.high : cell.value, unit);
}

std::string PlainNumber(double value) {
  const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
  if (!whole && std::abs(value) >= 1e15) return fmt::format("{:.6g}", value);
  std::string digits = fmt::format("{:.{}f}", std::abs(value), whole ? 0 : 2);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, ",");
  return value < 0 ? "-" + digits : digits;
}

std::string ErrorText(const Cell& cell, std::string_view unit,
                      const std::string& in_unit) {
  if (cell.value == 0) return cell.error > 0 ? " ±" + in_unit : "";
  const double percent = 100 * double{cell.error} / std::abs(cell.value);
  if (!(percent < 1000)) return " ±?";
  if (unit == "%") return fmt::format(" ±{:.1f}pp", cell.error);
  if (percent < 0.05) return " ±0.0%";
  return fmt::format(" ±{:.{}f}%", percent, percent < 0.95 ? 1 : 0);
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
  if (cell.how == How::kEstimated)
    return text + ErrorText(cell, scaled.unit, number(cell.error));
  if (cell.how == How::kApprox) return "~ " + text;
  if (cell.how == How::kBound)
    return (cell.bound == Bound::kLower ? ">= " : "<= ") + text;
  return text;
}

}  // namespace rangefinder
