// Formulas of derived metrics: arithmetic over metrics, read once, evaluated on
// rolled-up values.
//
//   expression := term (('+' | '-') term)*
//   term       := factor (('*' | '/') factor)*
//   factor     := number | metric | '(' expression ')' | '-' factor
//              |  min(a, b, ...) | max(a, b, ...)
//              |  first(a, b, ...)    the first that has a value
//              |  or0(a)              0 where a has none
//
// A metric is a name as ncu has it: letters, digits, '_', '.' and ':', starting
// with a letter.

#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

class Formula {
 public:
  // kUsage, with the column, when the text is no formula.
  static Result<Formula> Parse(std::string_view text);

  // The metrics it names, each once, in order of appearance.
  const std::vector<std::string>& metrics() const { return metrics_; }

  // What it amounts to, given the value of metrics()[i]; nothing when a value
  // it needs is missing, or something is divided by zero. `used`: the metrics
  // that the value rests on, without the alternatives that first() passed over.
  static constexpr std::size_t kMaxMetrics = 128;
  using Used = std::bitset<kMaxMetrics>;  // by metrics()
  using Lookup = std::function<std::optional<double>(std::size_t)>;
  std::optional<double> Evaluate(const Lookup& value,
                                 Used* used = nullptr) const;

 private:
  enum class Op : std::uint8_t {
    kNumber,
    kMetric,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kMin,
    kMax,
    kFirst,
    kOr0,
  };
  struct Step {
    Op op = Op::kNumber;
    double number = 0;
    std::uint32_t count = 0;  // kMetric: which; functions: arguments
  };
  friend class FormulaParser;

  std::vector<std::string> metrics_;
  std::vector<Step> steps_;  // in postfix order
};

}  // namespace rangefinder
