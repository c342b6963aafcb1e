#include "insight/causes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "rollup/formula.h"

namespace rangefinder {
namespace {

// Standard errors in half of a 95 % interval.
constexpr double kHalfInterval = 1.96;

// A formula of facts, with its error from the errors of the facts: independent
// errors, to first order.
std::optional<CauseFact> Evaluate(const Formula& formula,
                                  const CauseFacts& facts) {
  const std::vector<std::string>& names = formula.metrics();
  std::vector<std::optional<CauseFact>> values;
  values.reserve(names.size());
  for (const std::string& name : names) values.push_back(facts.number(name));
  std::size_t moved = names.size();
  const auto lookup = [&](std::size_t i) -> std::optional<double> {
    if (!values[i]) return std::nullopt;
    return values[i]->value + (i == moved ? values[i]->error : 0);
  };
  Formula::Used used;
  const auto value = formula.Evaluate(std::ref(lookup), &used);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  CauseFact result{.value = *value};
  double variance = 0;
  for (moved = 0; moved < names.size(); ++moved) {
    if (!used[moved] || !values[moved]) continue;
    result.is_bound = result.is_bound || values[moved]->is_bound;
    if (values[moved]->error <= 0) continue;
    const double change =
        formula.Evaluate(std::ref(lookup)).value_or(*value) - *value;
    variance += change * change;
  }
  result.error = std::sqrt(variance);
  return result;
}

// A comparison of two formulas: their difference must be above 0, or at least
// 0.
struct Comparison {
  Formula difference{};
  bool or_equal = false;
};

Result<Comparison> ParseComparison(const std::string& text) {
  constexpr std::array<std::string_view, 4> kOperators = {">=", "<=", ">", "<"};
  for (const std::string_view op : kOperators) {
    const std::size_t at = text.find(op);
    if (at == std::string::npos) continue;
    const std::string left = text.substr(0, at);
    const std::string right = text.substr(at + op.size());
    const bool greater = op.front() == '>';
    Formula difference = TRY(Formula::Parse(fmt::format(
        "({}) - ({})", greater ? left : right, greater ? right : left)));
    return Comparison{std::move(difference), op.size() == 2};
  }
  return Error(ErrorCode::kUsage, "expected a comparison: <, <=, > or >=");
}

// A piece of a sentence: plain text, a text by its name, or a number.
struct Piece {
  std::string plain{};
  std::string name{};
  std::optional<Formula> formula{};
  std::string unit{};
};

std::string Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

constexpr std::array<std::string_view, 7> kUnits = {
    "ns", "%", "count", "instances", "bytes", "number", "bytes/s"};

Result<std::vector<Piece>> ParseSentence(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    if (open > 0)
      pieces.push_back({.plain = std::string(text.substr(0, open))});
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos)
      return Error(ErrorCode::kUsage, "'{' without '}'");
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    const std::size_t bar = inside.find('|');
    if (bar == std::string_view::npos) {
      pieces.push_back({.name = Trimmed(inside)});
      continue;
    }
    Piece piece{.unit = Trimmed(inside.substr(bar + 1))};
    piece.formula = TRY(Formula::Parse(Trimmed(inside.substr(0, bar))));
    if (std::ranges::find(kUnits, piece.unit) == kUnits.end()) {
      return Error(ErrorCode::kUsage,
                   fmt::format("'{}' is no unit: {}", Printable(piece.unit),
                               fmt::join(kUnits, ", ")));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string InUnit(const CauseFact& fact, std::string_view unit) {
  if (unit == "ns") return FormatNs(fact.value);
  if (unit == "%") {
    const double percent = 100 * fact.value;
    return fmt::format("{:.{}f} %", percent, std::abs(percent) < 9.95 ? 1 : 0);
  }
  const auto count = static_cast<std::uint64_t>(std::llround(fact.value));
  if (unit == "count") return FormatCount(count);
  if (unit == "instances")
    return count == 1 ? "instance" : FormatCount(count) + " instances";
  if (unit == "bytes") return FormatValue(fact.value, "byte");
  if (unit == "bytes/s") return FormatValue(fact.value, "byte/s");
  return fmt::format("{:.3g}", fact.value);
}

}  // namespace

class CauseCheck {
 public:
  static Result<std::shared_ptr<const CauseCheck>> Parse(const CauseRule& rule,
                                                         std::string& key) {
    auto check = std::make_shared<CauseCheck>();
    check->rule_ = rule;
    key = "of";
    if (rule.of != "region" && rule.of != "run")
      return Error(ErrorCode::kUsage, "expected region or run");
    key = "when";
    for (const std::string& text : rule.when)
      check->when_.push_back(TRY(ParseComparison(text)));
    if (rule.when.empty())
      return Error(ErrorCode::kUsage, "a cause needs a condition");
    key = "saves";
    check->saves_ = TRY(Formula::Parse(rule.saves));
    key = "weight";
    const Formula weight = TRY(Formula::Parse(rule.weight));
    const auto number =
        weight.Evaluate([](std::size_t) { return std::nullopt; });
    if (!number || !(*number > 0))
      return Error(ErrorCode::kUsage, "expected a number above 0");
    check->weight_ = *number;
    key = "text";
    check->text_ = TRY(ParseSentence(rule.text));
    key = "next";
    check->next_ =
        TRY(ParseSentence(rule.measure.empty() ? rule.next : rule.measure));
    return std::shared_ptr<const CauseCheck>(std::move(check));
  }

  // Nothing if a comparison does not hold, or a fact is unknown.
  std::optional<Cause> Judge(const CauseFacts& facts) const {
    bool certain = rule_.measure.empty();
    for (const Comparison& comparison : when_) {
      const auto difference = Evaluate(comparison.difference, facts);
      if (!difference) return std::nullopt;
      const auto holds = [&](double value) {
        return comparison.or_equal ? value >= 0 : value > 0;
      };
      if (!holds(difference->value)) return std::nullopt;
      certain = certain && !difference->is_bound &&
                holds(difference->value - kHalfInterval * difference->error);
    }
    const auto saves = Evaluate(saves_, facts);
    if (!saves || saves->value <= 0) return std::nullopt;
    return Cause{.id = rule_.id,
                 .title = rule_.title,
                 .certain = certain,
                 .text = Fill(text_, facts),
                 .next = Fill(next_, facts),
                 .saves_ns = saves->value,
                 .weight = weight_};
  }

  const CauseRule& rule() const { return rule_; }

 private:
  static std::string Fill(const std::vector<Piece>& pieces,
                          const CauseFacts& facts) {
    std::string text;
    for (const Piece& piece : pieces) {
      text += piece.plain;
      if (!piece.name.empty()) text += facts.text(piece.name);
      if (!piece.formula) continue;
      const auto value = Evaluate(*piece.formula, facts);
      text += value ? InUnit(*value, piece.unit) : "–";
    }
    return text;
  }

  CauseRule rule_{};
  std::vector<Comparison> when_{};
  Formula saves_{};
  double weight_ = 1;
  std::vector<Piece> text_{};
  std::vector<Piece> next_{};
};

std::optional<CauseFault> FaultOf(const CauseRule& rule) {
  std::string key;
  const auto check = CauseCheck::Parse(rule, key);
  if (check.ok()) return std::nullopt;
  return CauseFault{key, check.error().message()};
}

CauseTable::CauseTable(const std::vector<CauseRule>& rules) {
  for (const CauseRule& rule : rules) {
    std::string key;
    auto check = CauseCheck::Parse(rule, key);
    if (!check.ok()) continue;
    checks_.push_back(std::move(check).value());
  }
}

std::vector<Cause> CauseTable::Judge(const CauseFacts& facts,
                                     std::string_view of) const {
  std::vector<Cause> causes;
  std::vector<std::string> replaced;
  for (const auto& check : checks_) {
    if (check->rule().of != of) continue;
    auto cause = check->Judge(facts);
    if (!cause) continue;
    // Only statements replace other causes.
    if (cause->certain) {
      const auto& ids = check->rule().replaces;
      replaced.insert(replaced.end(), ids.begin(), ids.end());
    }
    causes.push_back(std::move(*cause));
  }
  std::erase_if(causes, [&](const Cause& cause) {
    return std::ranges::find(replaced, cause.id) != replaced.end();
  });
  std::ranges::stable_sort(causes, std::ranges::greater(), &Cause::weight_ns);
  return causes;
}

bool CauseTable::Replaces(std::string_view id, std::string_view other) const {
  return std::ranges::any_of(checks_, [&](const auto& check) {
    const auto& ids = check->rule().replaces;
    return check->rule().id == id && std::ranges::find(ids, other) != ids.end();
  });
}

}  // namespace rangefinder
