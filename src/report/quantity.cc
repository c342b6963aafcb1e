#include "report/quantity.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "rollup/scaled.h"

namespace rangefinder {
namespace {

// Three to four significant digits, so that the numbers of a column line up.
std::string FourDigits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 999.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 99.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

// The same of what may be a count, which has no decimals, or very small.
std::string Digits(double value) {
  const double magnitude = std::abs(value);
  if (value == std::floor(value) && magnitude < 10000)
    return fmt::format("{:.0f}", value);
  if (magnitude >= 1000) return fmt::format("{:.0f}", value);
  if (magnitude >= 100) return fmt::format("{:.1f}", value);
  if (magnitude >= 0.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

struct Step {
  double factor;
  std::string_view prefix;
};
constexpr std::array<Step, 5> kSteps = {
    Step{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

std::string Join(std::string number, std::string_view unit) {
  if (unit.empty()) return number;
  return number + " " + std::string(unit);
}

}  // namespace

std::string FormatNs(double ns) {
  const double magnitude = std::abs(ns);
  if (magnitude < 1e3) return Digits(ns) + " ns";
  if (magnitude < 999.95e3) return FourDigits(ns / 1e3) + " µs";
  if (magnitude < 999.95e6) return FourDigits(ns / 1e6) + " ms";
  return FourDigits(ns / 1e9) + " s";
}

std::string FormatValue(double value, std::string_view unit) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : "inf";
  if (unit == "ns") return FormatNs(value);
  if (unit == "%") return Digits(value) + " %";
  // Where a prefix would hide what is counted, or divide wrongly, there is
  // none.
  std::string_view scaled = unit;
  std::string_view per;
  if (const std::size_t slash = unit.find('/');
      slash != std::string_view::npos) {
    scaled = unit.substr(0, slash);
    per = unit.substr(slash);
  }
  std::string_view prefix;
  for (const Step& step : kSteps) {
    if (std::abs(value) >= step.factor) {
      value /= step.factor;
      prefix = step.prefix;
      break;
    }
  }
  if (scaled == "byte") {
    return Join(Digits(value), fmt::format("{}B{}", prefix, per));
  }
  if (scaled == "flop")
    return Join(Digits(value), fmt::format("{}FLOP{}", prefix, per));
  if (scaled == "hz") return Join(Digits(value), fmt::format("{}Hz", prefix));
  if (scaled.empty())
    return Digits(value) + (prefix.empty() ? "" : " ") + std::string(prefix) +
           std::string(per);
  return Join(Digits(value) + (prefix.empty() ? "" : " ") + std::string(prefix),
              unit);
}

std::string FormatCell(const Profile& profile, const Cell& cell,
                       std::string_view unit) {
  if (cell.how == How::kAbsent) {
    if (cell.has_spread && cell.low != cell.high)
      return FormatValue(cell.low, unit) + " … " + FormatValue(cell.high, unit);
    return "–";
  }
  if (cell.is_text) return Printable(profile.Name(cell.text));
  std::string text = FormatValue(cell.value, unit);
  if (cell.how == How::kEstimated)
    return text + ErrorText(cell, unit, FormatValue(cell.error, unit));
  if (cell.how == How::kApprox) return "~ " + text;
  if (cell.how == How::kBound)
    return (cell.bound == Bound::kLower ? "≥ " : "≤ ") + text;
  return text;
}

std::string FormatShare(double part, double whole) {
  if (!(whole > 0)) return "–";
  return fmt::format("{:.1f} %", 100 * part / whole);
}

std::string FormatCount(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace rangefinder
