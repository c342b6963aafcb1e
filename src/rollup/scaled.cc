#include "rollup/scaled.h"

#include <algorithm>
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

// "-16384.50" as "-16,384.50".
std::string Grouped(std::string digits) {
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3 + sign; at -= 3)
    digits.insert(at - 3, 1, ',');
  return digits;
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
  // What is smaller than its error has the error's scale.
  if (cell.how == How::kEstimated)
    return ScaleFor(std::max(std::abs(cell.value), double{cell.error}), unit);
  return ScaleFor(spread ? cell.high : cell.value, unit);
}

std::string PlainNumber(double value) {
  const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
  if (!whole && std::abs(value) >= 1e15) return fmt::format("{:.6g}", value);
  return Grouped(fmt::format("{:.{}f}", value, whole ? 0 : 2));
}

bool IsNoise(double value, double error) {
  return std::abs(error) <= 1e-9 * std::abs(value);
}

std::string WithError(double value, double error) {
  if (IsNoise(value, error)) return PlainNumber(value);
  if (!std::isfinite(value) || !std::isfinite(error))
    return PlainNumber(value) + " ± ?";
  // The place of its second digit, once it is rounded: 0.0996 is 0.10.
  const int first = std::stoi(fmt::format("{:.1e}", std::abs(error)).substr(4));
  const int decimals = 1 - first;
  const double place = std::pow(10.0, -decimals);
  const auto rounded = [&](double number) {
    const double nearest = std::round(number / place) * place + 0.0;  // no -0
    return Grouped(
        fmt::format("{:.{}f}", nearest, std::clamp(decimals, 0, 15)));
  };
  return rounded(value) + " ± " + rounded(std::abs(error));
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
    return WithError(cell.value / scaled.factor, cell.error / scaled.factor);
  if (cell.how == How::kApprox) return "~ " + text;
  if (cell.how == How::kBound)
    return (cell.bound == Bound::kLower ? ">= " : "<= ") + text;
  return text;
}

}  // namespace rangefinder
