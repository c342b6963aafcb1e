#include "rollup/formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>

#include <boost/container/small_vector.hpp>

#include "base/text.h"

namespace rangefinder {
namespace {

// Formulas that people write are less deep.
constexpr int kDeepestFormula = 100;

bool IsNameStart(char c) {
  return IsAsciiLetter(c) || c == '_';
}
bool IsNamePart(char c) {
  return IsNameStart(c) || IsAsciiDigit(c) || c == '.' || c == ':';
}

}  // namespace

// Parses by recursive descent and emits the steps in postfix order. Stops at
// the first error.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Result<Formula> Run() {
    Expression();
    if (error_.empty() && at_ < text_.size()) Fail("expected an operator");
    if (!error_.empty())
      return Error(ErrorCode::kUsage,
                   "column " + std::to_string(error_at_ + 1) + ": " + error_);
    return std::move(formula_);
  }

 private:
  using Op = Formula::Op;

  void Expression() {
    Term();
    for (;;) {
      if (Take('+')) {
        Term();
        Emit(Op::kAdd);
      } else if (Take('-')) {
        Term();
        Emit(Op::kSubtract);
      } else {
        return;
      }
    }
  }

  void Term() {
    Factor();
    for (;;) {
      if (Take('*')) {
        Factor();
        Emit(Op::kMultiply);
      } else if (Take('/')) {
        Factor();
        Emit(Op::kDivide);
      } else {
        return;
      }
    }
  }

  void Factor() {
    if (++depth_ > kDeepestFormula) Fail("nested too deeply");
    if (error_.empty()) {
      if (Take('-')) {
        Factor();
        Emit(Op::kNegate);
      } else if (Take('(')) {
        Expression();
        Expect(')');
      } else if (at_ < text_.size() &&
                 (IsAsciiDigit(text_[at_]) || text_[at_] == '.')) {
        Number();
      } else if (at_ < text_.size() && IsNameStart(text_[at_])) {
        Name();
      } else {
        Fail("expected a number, a metric or '('");
      }
    }
    --depth_;
  }

  void Number() {
    double number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc()) return Fail("not a number");
    at_ += static_cast<std::size_t>(end - begin);
    Skip();
    Emit(Op::kNumber, 0, number);
  }

  void Name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && IsNamePart(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    Skip();
    if (Take('(')) return Call(name, start);
    auto& metrics = formula_.metrics_;
    const auto known = std::ranges::find(metrics, name);
    const auto index = static_cast<std::uint32_t>(known - metrics.begin());
    if (index >= Formula::kMaxMetrics) return Fail("too many metrics");
    if (known == metrics.end()) metrics.emplace_back(name);
    Emit(Op::kMetric, index);
  }

  void Call(std::string_view name, std::size_t start) {
    Op op = Op::kNumber;
    if (name == "min") op = Op::kMin;
    if (name == "max") op = Op::kMax;
    if (name == "first") op = Op::kFirst;
    if (name == "or0") op = Op::kOr0;
    if (op == Op::kNumber) {
      at_ = start;
      return Fail("no function of this name; there are min, max, first, or0");
    }
    std::uint32_t count = 0;
    do {
      Expression();
      ++count;
    } while (error_.empty() && Take(','));
    Expect(')');
    if (op == Op::kOr0 && count != 1) return Fail("or0 takes one argument");
    Emit(op, count);
  }

  void Skip() {
    while (at_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
  }
  bool Take(char c) {
    Skip();
    if (!error_.empty() || at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    Skip();
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Fail(std::string("expected '") + c + "'");
  }
  void Emit(Op op, std::uint32_t count = 0, double number = 0) {
    formula_.steps_.push_back({.op = op, .number = number, .count = count});
  }
  void Fail(std::string message) {
    if (!error_.empty()) return;
    error_ = std::move(message);
    error_at_ = at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
  std::size_t error_at_ = 0;
  Formula formula_;
};

Result<Formula> Formula::Parse(std::string_view text) {
  return FormulaParser(text).Run();
}

namespace {

// The basis of a value. A formula of nothing but or0() of missing metrics has
// no value: no measurement supports its 0.
enum class Basis : std::uint8_t { kNone, kMissing, kNumber, kMeasured };
struct Operand {
  double value = 0;
  Basis basis = Basis::kNone;
  Formula::Used used{};

  bool counts() const { return basis >= Basis::kNumber; }
};

// The basis of a value made of `a` and `b`: measured if either is.
Basis Joined(const Operand& a, const Operand& b) {
  if (a.basis == Basis::kNone || b.basis == Basis::kNone) return Basis::kNone;
  if (a.basis == Basis::kMeasured || b.basis == Basis::kMeasured)
    return Basis::kMeasured;
  return std::min(a.basis, b.basis);
}

// The operands of a formula during its evaluation.
class Stack {
 public:
  void Push(Operand operand) { operands_.push_back(operand); }
  Operand& top() { return operands_.back(); }

  template <typename Function>
  void Both(Function apply) {
    const Operand b = operands_.back();
    operands_.pop_back();
    Operand& a = operands_.back();
    a = {.value = apply(a.value, b.value),
         .basis = Joined(a, b),
         .used = a.used | b.used};
  }

  // The quotient of the last two operands; none if the divisor is 0.
  void Divide() {
    const Operand& over = operands_[operands_.size() - 2];
    if (top().value == 0) {
      by_zero_ |= top().counts() && over.basis != Basis::kNone;
      top() = {};
    }
    Both([](double a, double b) { return b == 0 ? 0 : a / b; });
  }

  // Replaces the last `count` operands by the first with a value.
  void First(std::size_t count) {
    const std::size_t begin = operands_.size() - count;
    Operand found;
    for (std::size_t i = begin; i < operands_.size() && !found.counts(); ++i) {
      if (operands_[i].basis > found.basis) found = operands_[i];
    }
    operands_.resize(begin);
    operands_.push_back(found);
  }

  std::optional<double> Result(Formula::Used* used) const {
    if (operands_.size() != 1 || !operands_.front().counts() ||
        !std::isfinite(operands_.front().value))
      return std::nullopt;
    if (used != nullptr) *used = operands_.front().used;
    return operands_.front().value;
  }

  bool by_zero() const { return by_zero_; }

 private:
  // Most formulas hold fewer operands at once, and need no memory of the heap.
  boost::container::small_vector<Operand, 8> operands_{};
  bool by_zero_ = false;
};

}  // namespace

std::optional<double> Formula::Evaluate(const Lookup& value, Used* used,
                                        bool* by_zero) const {
  Stack stack;
  const auto fold = [&](std::uint32_t count, auto apply) {
    for (std::uint32_t i = 1; i < count; ++i) stack.Both(apply);
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::kNumber:
        stack.Push({step.number, Basis::kNumber, {}});
        break;
      case Op::kMetric: {
        const std::optional<double> found = value(step.count);
        stack.Push(
            found ? Operand{*found, Basis::kMeasured, Used().set(step.count)}
                  : Operand{});
        break;
      }
      case Op::kAdd:
        stack.Both(std::plus<>());
        break;
      case Op::kSubtract:
        stack.Both(std::minus<>());
        break;
      case Op::kMultiply:
        stack.Both(std::multiplies<>());
        break;
      case Op::kDivide:
        stack.Divide();
        break;
      case Op::kNegate:
        stack.top().value = -stack.top().value;
        break;
      case Op::kMin:
        fold(step.count, [](double a, double b) { return std::min(a, b); });
        break;
      case Op::kMax:
        fold(step.count, [](double a, double b) { return std::max(a, b); });
        break;
      case Op::kFirst:
        stack.First(step.count);
        break;
      case Op::kOr0:
        if (stack.top().basis == Basis::kNone)
          stack.top() = {0, Basis::kMissing, {}};
        break;
    }
  }
  if (by_zero != nullptr) *by_zero = stack.by_zero();
  return stack.Result(used);
}

}  // namespace rangefinder
