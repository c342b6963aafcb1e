#include "rollup/rule_book.h"

#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "profile/metric_facts.h"
#include "profile/metric_name.h"

namespace rangefinder {
namespace {

// The submetrics from which a counter follows, and what to multiply them with.
struct Derivation {
  std::string_view suffix;
  std::string_view times;  // of the counter's unit; "" nothing; "t" time
  bool of_average;         // gives x.avg, else x.sum
};
constexpr std::array kDerivations = {
    Derivation{".sum", "", false},
    Derivation{".sum.per_second", "t", false},
    Derivation{".sum.per_cycle_elapsed", "__cycles_elapsed.avg", false},
    Derivation{".sum.per_cycle_active", "__cycles_active.avg", false},
    Derivation{".avg", "", true},
    Derivation{".avg.per_second", "t", true},
    Derivation{".avg.per_cycle_elapsed", "__cycles_elapsed.avg", true},
    Derivation{".avg.per_cycle_active", "__cycles_active.avg", true},
};

// A ratio of ncu's own making, printed as % and not multiplied.
constexpr std::string_view kBranchShare =
    "derived__smsp__inst_executed_op_branch_pct";

// Of a weight a constant multiple will do as well.
constexpr std::array kProportional = {
    Derivation{".avg.pct_of_peak_sustained_elapsed", "__cycles_elapsed.avg",
               true},
    Derivation{".avg.pct_of_peak_sustained_active", "__cycles_active.avg",
               true},
};

MetricSource MakeSource(std::string_view base, const Derivation& derivation) {
  MetricSource source{.metric =
                          std::string(base) + std::string(derivation.suffix)};
  if (derivation.times == "t") {
    source.times = kTimeWeight;
  } else if (!derivation.times.empty()) {
    source.times =
        std::string(ParseMetricName(base).unit) + std::string(derivation.times);
  }
  return source;
}

constexpr std::string_view kRegex = "regex:";

bool Matches(std::string_view glob, std::string_view name) {
  if (glob.starts_with(kRegex)) {
    const RE2 regex(glob.substr(kRegex.size()), RE2::Quiet);
    return regex.ok() && RE2::PartialMatch(name, regex);
  }
  std::string pattern;
  for (const char c : glob) {
    if (c == '*') {
      pattern += ".*";
    } else if (c == '?') {
      pattern += '.';
    } else {
      pattern += RE2::QuoteMeta(std::string_view(&c, 1));
    }
  }
  return RE2::FullMatch(name, pattern);
}

std::optional<Rule> RuleOf(const UserRule& rule) {
  if (rule.rule == "sum") return SumRule{};
  if (rule.rule == "same") return SameRule{};
  if (rule.rule == "spread") return SpreadRule{};
  if (rule.rule == "none") return NoRule{"left out by a rule of the user's"};
  if (rule.rule == "mean") {
    MeanRule mean;
    if (rule.weight.empty() || rule.weight == kTimeWeight) {
      mean.time_is_exact = true;
    } else {
      mean.weights.push_back({{rule.weight}, true});
    }
    return mean;
  }
  if (rule.rule == "ratio")
    return RatioRule{.over = {{1, {rule.over}}},
                     .under = {{1, {rule.under}}},
                     .scale = rule.scale};
  return std::nullopt;
}

}  // namespace

std::optional<RuleFault> FaultOf(const UserRule& rule) {
  if (rule.match.empty())
    return RuleFault{"match", "a rule needs the metrics it is for"};
  if (rule.match.starts_with(kRegex)) {
    const RE2 regex(rule.match.substr(kRegex.size()), RE2::Quiet);
    if (!regex.ok())
      return RuleFault{"match", "no regular expression: " + regex.error()};
  }
  if (!RuleOf(rule)) {
    std::string text = "expected one of sum, mean, ratio, same, spread, none";
    if (!rule.rule.empty()) text += fmt::format(", got '{}'", rule.rule);
    return RuleFault{"rule", std::move(text)};
  }
  if (rule.rule != "ratio") return std::nullopt;
  if (rule.over.empty())
    return RuleFault{"over", "a ratio needs what is divided"};
  if (rule.under.empty())
    return RuleFault{"under", "a ratio needs what it is divided by"};
  return std::nullopt;
}

RuleBook::RuleBook(const Profile& profile, const std::vector<UserRule>& rules)
    : profile_(profile), rules_(rules), chip_(ChipOf(profile)) {}

bool RuleBook::Has(std::string_view metric) const {
  return metric.empty() || metric == kTimeWeight ||
         profile_.FindMetric(metric).has_value();
}

std::optional<Rule> RuleBook::RatioFor(std::string_view metric,
                                       std::string_view over,
                                       std::string_view under) const {
  const MetricName name = ParseMetricName(metric);
  const bool same_unit =
      ParseMetricName(over).unit == ParseMetricName(under).unit;
  for (const bool of_average : {false, true}) {
    // Averages divide like sums where there are as many instances of both.
    if (of_average && !same_unit) break;
    const auto find =
        [&](std::string_view base) -> std::optional<MetricSource> {
      for (const Derivation& derivation : kDerivations) {
        if (derivation.of_average != of_average) continue;
        MetricSource source = MakeSource(base, derivation);
        if (Has(source.metric) && Has(source.times)) return source;
      }
      return std::nullopt;
    };
    const auto numerator = find(over);
    const auto denominator = find(under);
    if (numerator && denominator)
      return RatioRule{.over = {{1, *numerator}},
                       .under = {{1, *denominator}},
                       .scale = name.form == Form::kPct ? 100.0 : 1.0};
  }
  return std::nullopt;
}

Rule RuleBook::For(std::string_view metric) const {
  for (const UserRule& rule : rules_) {
    if (!Matches(rule.match, metric)) continue;
    if (const auto made = RuleOf(rule)) return *made;
  }
  const MetricName name = ParseMetricName(metric);
  Rule rule = RuleFromName(metric);
  if (metric == kBranchShare) {
    if (const auto ratio = RatioFor(metric, "smsp__inst_executed_op_branch",
                                    "smsp__inst_executed"))
      return *ratio;
  }
  if ((name.form == Form::kRatio || name.form == Form::kPct) &&
      !IsSampled(name)) {
    const auto facts = FindMetricFacts(chip_, metric);
    if (!facts || facts->under.empty()) return rule;
    if (!facts->over.empty()) {
      if (const auto ratio = RatioFor(metric, facts->over, facts->under))
        return *ratio;
    }
    return Fallback(metric);
  }
  if (auto* largest = std::get_if<LargestRule>(&rule)) {
    if (const auto id = profile_.FindMetric(metric)) {
      for (const MetricId input : profile_.metrics[Index(*id)].breakdown)
        largest->inputs.emplace_back(profile_.MetricName(input));
    }
    const auto facts = FindMetricFacts(chip_, metric);
    if (largest->inputs.empty() && facts) {
      for (const std::string& input : facts->inputs)
        largest->inputs.push_back(input + "." + std::string(name.suffix));
    }
  }
  return rule;
}

MeanRule RuleBook::Fallback(std::string_view metric) const {
  MeanRule mean = MeanFromName(metric);
  const MetricName name = ParseMetricName(metric);
  if (name.form != Form::kRatio && name.form != Form::kPct) return mean;
  const auto facts = FindMetricFacts(chip_, metric);
  if (!facts || facts->under.empty()) return mean;
  const auto add = [&](const Derivation& derivation) {
    const MetricSource source = MakeSource(facts->under, derivation);
    if (Has(source.metric) && Has(source.times))
      mean.weights.push_back({source, true});
  };
  for (const Derivation& derivation : kDerivations) add(derivation);
  for (const Derivation& derivation : kProportional) add(derivation);
  return mean;
}

std::string RuleBook::Unit(std::string_view metric) const {
  return MetricUnit(chip_, metric);
}

}  // namespace rangefinder
