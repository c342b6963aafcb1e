#include "insight/causes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"
#include "rollup/formula.h"

namespace rangefinder {
namespace {

// Standard errors in half of a 95 % interval.
constexpr double kHalfInterval = 1.96;

// The names of all facts in a table's formulas, each once.
using FactNames = std::vector<std::string>;

// The facts of one region. Each is computed at most once.
class KnownFacts {
 public:
  KnownFacts(const FactNames& names, const CauseFacts& facts)
      : names_(names), facts_(facts), known_(names.size()) {}

  const std::optional<CauseFact>& operator[](std::size_t i) {
    auto& fact = known_[i];
    if (!fact) fact = facts_.number(names_[i]);
    return *fact;
  }
  std::string Text(std::string_view name) const { return facts_.text(name); }

 private:
  const FactNames& names_;
  const CauseFacts& facts_;
  std::vector<std::optional<std::optional<CauseFact>>> known_;
};

// A formula of facts.
class FactFormula {
 public:
  // Adds the names of its facts to `names`.
  static Result<FactFormula> Parse(std::string_view text, FactNames& names) {
    FactFormula parsed;
    parsed.formula_ = TRY(Formula::Parse(text));
    for (const std::string& name : parsed.formula_.metrics()) {
      const auto at = std::ranges::find(names, name);
      parsed.facts_.push_back(static_cast<std::size_t>(at - names.begin()));
      if (at == names.end()) names.push_back(name);
    }
    return parsed;
  }

  // The value, with its error from the errors of the facts: independent errors,
  // to first order.
  std::optional<CauseFact> Evaluate(KnownFacts& facts) const {
    std::size_t moved = facts_.size();
    const auto lookup = [&](std::size_t i) -> std::optional<double> {
      const std::optional<CauseFact>& fact = facts[facts_[i]];
      if (!fact) return std::nullopt;
      return fact->value + (i == moved ? fact->error : 0);
    };
    Formula::Used used;
    const auto value = formula_.Evaluate(std::ref(lookup), &used);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    CauseFact result{.value = *value};
    double variance = 0;
    for (moved = 0; moved < facts_.size(); ++moved) {
      if (!used[moved]) continue;
      const std::optional<CauseFact>& fact = facts[facts_[moved]];
      if (!fact) continue;
      result.is_bound = result.is_bound || fact->is_bound;
      if (fact->error <= 0) continue;
      const double change =
          formula_.Evaluate(std::ref(lookup)).value_or(*value) - *value;
      variance += change * change;
    }
    result.error = std::sqrt(variance);
    return result;
  }

 private:
  Formula formula_{};
  std::vector<std::size_t> facts_{};  // places in the names, by metrics()
};

// A comparison of two formulas: their difference must be above 0, or at least
// 0.
struct Comparison {
  FactFormula difference{};
  bool or_equal = false;
};

Result<Comparison> ParseComparison(const std::string& text, FactNames& names) {
  constexpr std::array<std::string_view, 4> kOperators = {">=", "<=", ">", "<"};
  for (const std::string_view op : kOperators) {
    const std::size_t at = text.find(op);
    if (at == std::string::npos) continue;
    const std::string left = text.substr(0, at);
    const std::string right = text.substr(at + op.size());
    const bool greater = op.front() == '>';
    FactFormula difference = TRY(
        FactFormula::Parse(fmt::format("({}) - ({})", greater ? left : right,
                                       greater ? right : left),
                           names));
    return Comparison{std::move(difference), op.size() == 2};
  }
  return Error(ErrorCode::kUsage, "expected a comparison: <, <=, > or >=");
}

// A piece of a sentence: plain text, a text by its name, or a number.
struct Piece {
  std::string plain{};
  std::string name{};
  std::optional<FactFormula> formula{};
  std::string unit{};
};

constexpr std::array<std::string_view, 7> kUnits = {
    "ns", "%", "count", "instances", "bytes", "number", "bytes/s"};

Result<std::vector<Piece>> ParseSentence(std::string_view text,
                                         FactNames& names) {
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
      pieces.push_back({.name = std::string(Trim(inside))});
      continue;
    }
    Piece piece{.unit = std::string(Trim(inside.substr(bar + 1)))};
    piece.formula = TRY(FactFormula::Parse(Trim(inside.substr(0, bar)), names));
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
  if (std::isnan(fact.value)) return "–";
  // A damaged report may have any number.
  constexpr double kMostCount = 9e18;
  const auto count = static_cast<std::uint64_t>(
      std::llround(std::clamp(fact.value, -kMostCount, kMostCount)));
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
                                                         FactNames& names,
                                                         std::string& key) {
    auto check = std::make_shared<CauseCheck>();
    check->rule_ = rule;
    key = "of";
    if (rule.of != "region" && rule.of != "run")
      return Error(ErrorCode::kUsage, "expected region or run");
    key = "when";
    for (const std::string& text : rule.when)
      check->when_.push_back(TRY(ParseComparison(text, names)));
    if (rule.when.empty())
      return Error(ErrorCode::kUsage, "a cause needs a condition");
    key = "saves";
    check->saves_ = TRY(FactFormula::Parse(rule.saves, names));
    key = "weight";
    const Formula weight = TRY(Formula::Parse(rule.weight));
    const auto number =
        weight.Evaluate([](std::size_t) { return std::nullopt; });
    if (!number || !(*number > 0))
      return Error(ErrorCode::kUsage, "expected a number above 0");
    check->weight_ = *number;
    key = "text";
    check->text_ = TRY(ParseSentence(rule.text, names));
    key = "next";
    check->next_ = TRY(
        ParseSentence(rule.measure.empty() ? rule.next : rule.measure, names));
    return std::shared_ptr<const CauseCheck>(std::move(check));
  }

  // Nothing if a comparison does not hold, or a fact is unknown.
  std::optional<Cause> Judge(KnownFacts& facts) const {
    bool certain = rule_.measure.empty();
    for (const Comparison& comparison : when_) {
      const auto difference = comparison.difference.Evaluate(facts);
      if (!difference) return std::nullopt;
      const auto holds = [&](double value) {
        return comparison.or_equal ? value >= 0 : value > 0;
      };
      if (!holds(difference->value)) return std::nullopt;
      certain = certain && !difference->is_bound &&
                holds(difference->value - kHalfInterval * difference->error);
    }
    const auto saves = saves_.Evaluate(facts);
    if (!saves || saves->value <= 0) return std::nullopt;
    return Cause{.id = rule_.id,
                 .title = rule_.title,
                 .certain = certain,
                 .text = Fill(text_, facts),
                 .next = Fill(next_, facts),
                 .saves_ns = saves->value,
                 .weight = weight_,
                 .alone = rule_.alone};
  }

  const CauseRule& rule() const { return rule_; }

 private:
  static std::string Fill(const std::vector<Piece>& pieces, KnownFacts& facts) {
    std::string text;
    for (const Piece& piece : pieces) {
      text += piece.plain;
      if (!piece.name.empty()) text += facts.Text(piece.name);
      if (!piece.formula) continue;
      const auto value = piece.formula->Evaluate(facts);
      text += value ? InUnit(*value, piece.unit) : "–";
    }
    return text;
  }

  CauseRule rule_{};
  std::vector<Comparison> when_{};
  FactFormula saves_{};
  double weight_ = 1;
  std::vector<Piece> text_{};
  std::vector<Piece> next_{};
};

std::optional<CauseFault> FaultOf(const CauseRule& rule) {
  std::string key;
  FactNames names;
  const auto check = CauseCheck::Parse(rule, names, key);
  if (check.ok()) return std::nullopt;
  return CauseFault{key, check.error().message()};
}

CauseTable::CauseTable(const std::vector<CauseRule>& rules) {
  for (const CauseRule& rule : rules) {
    std::string key;
    auto check = CauseCheck::Parse(rule, facts_, key);
    if (!check.ok()) continue;
    checks_.push_back(std::move(check).value());
  }
}

std::vector<Cause> CauseTable::Judge(const CauseFacts& facts,
                                     std::string_view of) const {
  std::vector<Cause> causes;
  std::vector<std::string> replaced, replaced_questions;
  KnownFacts known(facts_, facts);
  for (const auto& check : checks_) {
    if (check->rule().of != of) continue;
    auto cause = check->Judge(known);
    if (!cause) continue;
    // A statement replaces other causes; a row that is always a question, other
    // questions.
    const CauseRule& rule = check->rule();
    if (cause->certain || !rule.measure.empty()) {
      auto& ids = cause->certain ? replaced : replaced_questions;
      ids.insert(ids.end(), rule.replaces.begin(), rule.replaces.end());
    }
    causes.push_back(std::move(*cause));
  }
  std::erase_if(causes, [&](const Cause& cause) {
    return Has(replaced, cause.id) ||
           (!cause.certain && Has(replaced_questions, cause.id));
  });
  double most_ns = 0;  // that another cause saves
  for (const Cause& cause : causes) {
    if (!cause.alone) most_ns = std::max(most_ns, cause.saves_ns);
  }
  std::erase_if(causes, [&](const Cause& cause) {
    return cause.alone && most_ns >= kPartOf * cause.saves_ns;
  });
  std::ranges::stable_sort(causes, std::ranges::greater(), &Cause::weight_ns);
  return causes;
}

bool CauseTable::Replaces(std::string_view id, std::string_view other) const {
  const auto rule_of = [&](std::string_view of) -> const CauseRule* {
    const auto at = std::ranges::find_if(
        checks_, [&](const auto& check) { return check->rule().id == of; });
    return at == checks_.end() ? nullptr : &(*at)->rule();
  };
  const CauseRule* rule = rule_of(id);
  const CauseRule* less = rule_of(other);
  return rule && less &&
         (Has(rule->replaces, other) || (less->alone && !rule->alone));
}

}  // namespace rangefinder
