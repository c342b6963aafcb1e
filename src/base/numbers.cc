#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace rangefinder {
namespace {

// Three to four significant digits, so that the numbers of a column are
// aligned.
std::string FourDigits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 999.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 99.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

// FourDigits() of a number that may be a count, without decimals, or very
// small.
std::string Digits(double value) {
  const double magnitude = std::abs(value);
  if (value == std::floor(value) && magnitude < 10000)
    return fmt::format("{:.0f}", value);
  if (magnitude >= 1000) return fmt::format("{:.0f}", value);
  if (magnitude >= 100) return fmt::format("{:.1f}", value);
  if (magnitude >= 0.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

// "-16384.50" as "-16,384.50".
std::string Grouped(std::string digits) {
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3 + sign; at -= 3)
    digits.insert(at - 3, 1, ',');
  return digits;
}

struct Step {
  double factor;
  std::string_view prefix;
};
constexpr std::array<Step, 5> kSteps = {
    Step{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

// The divisor of a value, and the unit after it.
struct Dress {
  double factor = 1;
  std::string suffix{};
};

Dress DressOfNs(double magnitude) {
  if (magnitude < 1e3) return {1, " ns"};
  if (magnitude < 999.95e3) return {1e3, " µs"};
  if (magnitude < 999.95e6) return {1e6, " ms"};
  return {1e9, " s"};
}

// A unit with its prefix; without prefix if the prefix would hide the unit or
// divide wrongly.
std::string SuffixOf(std::string_view unit, std::string_view prefix) {
  std::string_view scaled = unit;
  std::string_view per;
  if (const std::size_t slash = unit.find('/');
      slash != std::string_view::npos) {
    scaled = unit.substr(0, slash);
    per = unit.substr(slash);
  }
  if (scaled == "byte") return fmt::format(" {}B{}", prefix, per);
  if (scaled == "flop") return fmt::format(" {}FLOP{}", prefix, per);
  if (scaled == "hz") return fmt::format(" {}Hz", prefix);
  std::string text = prefix.empty() ? "" : " " + std::string(prefix);
  if (scaled.empty()) return text + std::string(per);
  return text + " " + std::string(unit);
}

Dress DressOf(double value, std::string_view unit) {
  const double magnitude = std::abs(value);
  if (unit == "ns") return DressOfNs(magnitude);
  if (unit == "%") return {1, " %"};
  for (const Step& step : kSteps) {
    if (magnitude >= step.factor)
      return {step.factor, SuffixOf(unit, step.prefix)};
  }
  return {1, SuffixOf(unit, "")};
}

}  // namespace

std::string FormatNs(double ns) {
  const Dress dress = DressOfNs(std::abs(ns));
  const double value = ns / dress.factor;
  return (dress.factor == 1 ? Digits(value) : FourDigits(value)) + dress.suffix;
}

std::string FormatValue(double value, std::string_view unit) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : "inf";
  if (unit == "ns") return FormatNs(value);
  const Dress dress = DressOf(value, unit);
  return Digits(value / dress.factor) + dress.suffix;
}

std::string FormatEstimate(double value, double error, std::string_view unit) {
  if (!std::isfinite(value) || IsNoise(value, error))
    return FormatValue(value, unit);
  if (!std::isfinite(error)) return FormatValue(value, unit) + " ± ?";
  const Dress dress = DressOf(std::max(std::abs(value), error), unit);
  return WithError(value / dress.factor, error / dress.factor) + dress.suffix;
}

std::string FormatShare(double part, double whole) {
  if (!(whole > 0)) return "–";
  return fmt::format("{:.1f} %", 100 * part / whole);
}

std::string FormatCount(std::uint64_t count) {
  return Grouped(fmt::format("{}", count));
}

std::string Plural(std::uint64_t count, std::string_view one,
                   std::string_view many) {
  return fmt::format("{} {}", FormatCount(count), count == 1 ? one : many);
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
  // The place of the second digit of the rounded error: 0.0996 is 0.10.
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

}  // namespace rangefinder
