// Formulas of derived metrics: arithmetic over metrics, parsed once and
// evaluated on rolled-up values.
//
//   expression := term (('+' | '-') term)*
//   term       := factor (('*' | '/') factor)*
//   factor     := number | metric | '(' expression ')' | '-' factor
//              |  min(a, b, ...) | max(a, b, ...)
//              |  first(a, b, ...)    the first argument with a value
//              |  or0(a)              0 where a has no value
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
  // Reasons for which a formula has no value.
  static constexpr const char* kMissing = "inputs of the formula are missing";
  static constexpr const char* kByZero = "division by 0 in the formula";

  // kUsage, with the column: the text is no formula.
  static Result<Formula> Parse(std::string_view text);

  // The metrics in the formula, each once, in order of appearance.
  const std::vector<std::string>& metrics() const { return metrics_; }

  // The value of the formula; `value` gives the value of metrics()[i]. Nothing
  // if a needed value is missing or a divisor is 0. `used` is set to the
  // metrics that the result uses, without the alternatives that first()
  // skipped; `by_zero` to whether a value was divided by 0.
  static constexpr std::size_t kMaxMetrics = 128;
  using Used = std::bitset<kMaxMetrics>;  // by metrics()
  using Lookup = std::function<std::optional<double>(std::size_t)>;
  std::optional<double> Evaluate(const Lookup& value, Used* used = nullptr,
                                 bool* by_zero = nullptr) const;

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
    std::uint32_t count = 0;  // kMetric: its index; functions: arguments
  };
  friend class FormulaParser;

  std::vector<std::string> metrics_;
  std::vector<Step> steps_;  // in postfix order
};

}  // namespace rangefinder
