#include "rollup/rule.h"

#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "profile/metric_facts.h"
#include "profile/metric_name.h"

namespace rangefinder {
namespace {

Bound BoundOf(Across across) {
  if (across == Across::kMax) return Bound::kUpper;
  if (across == Across::kMin) return Bound::kLower;
  return Bound::kNone;
}

// The divisor of a rate is the average cycles of its unit. Their sum over the
// instances is a constant multiple, so it is as good a weight.
void AddCycles(MeanRule& rule, std::string_view unit, std::string_view cycles,
               bool exact) {
  const std::string base = std::string(unit) + "__" + std::string(cycles);
  rule.weights.push_back({{base + ".avg"}, exact});
  rule.weights.push_back({{base + ".sum"}, exact});
  rule.weights.push_back({{base + ".max"}, false});
}

// Whether the metric is a throughput: the largest of several percentages.
bool IsThroughput(const MetricName& name) {
  return name.quantity.find("throughput") != std::string_view::npos;
}

// Units with one clock. If `exact`, their elapsed cycles were equal to the last
// bit on a GH100 (docs/rollup.md). For units without a row, the SM's cycles are
// a guess.
struct ClockRow {
  std::string_view unit;
  std::string_view other;
  bool exact;
};
constexpr std::array kClocks = {
    ClockRow{"idc", "sm", true},     ClockRow{"l1tex", "sm", true},
    ClockRow{"smsp", "sm", true},    ClockRow{"sm", "smsp", true},
    ClockRow{"sm", "l1tex", true},   ClockRow{"smsp", "l1tex", true},
    ClockRow{"l1tex", "smsp", true}, ClockRow{"gcc", "gpc", true},
    ClockRow{"lrc", "lts", true},    ClockRow{"fbpa", "lts", true},
};

MeanRule PerCycle(const MetricName& name, std::string_view cycles) {
  MeanRule rule{.bound = BoundOf(name.across)};
  AddCycles(rule, name.unit, cycles, true);
  const bool elapsed = cycles == "cycles_elapsed";
  bool known = false;
  for (const ClockRow& row : kClocks) {
    if (row.unit != name.unit) continue;
    known = true;
    AddCycles(rule, row.other, cycles, row.exact && elapsed);
  }
  if (!known && name.unit != "lts") AddCycles(rule, "sm", cycles, false);
  return rule;
}

MeanRule CycleMean(const MetricName& name) {
  const bool active =
      name.form == Form::kPctActive || name.form == Form::kPerCycleActive;
  return PerCycle(name, active ? "cycles_active" : "cycles_elapsed");
}

// The rules of names without a suffix, by their beginning. The first match
// counts.
enum class Plain { kSum, kSame, kSpread, kTime, kElapsed, kNone };
struct PlainRow {
  std::string_view prefix;
  Plain rule;
};
constexpr std::array kPlainRows = {
    PlainRow{"launch__", Plain::kSpread},
    PlainRow{"device__", Plain::kSame},
    PlainRow{"profiler__", Plain::kSpread},
    PlainRow{"nvlink__", Plain::kSame},
    PlainRow{"numa__", Plain::kSame},
    PlainRow{"c2clink__", Plain::kSame},
    PlainRow{"smsp__pcsamp_interval", Plain::kSpread},
    PlainRow{"smsp__pcsamp_buffer_size", Plain::kSpread},
    PlainRow{"smsp__pcsamp_aggregated_passes", Plain::kSpread},
    PlainRow{"smsp__pcsamp_", Plain::kSum},
    PlainRow{"sm__maximum_warps", Plain::kTime},
    PlainRow{"smsp__maximum_warps", Plain::kTime},
    PlainRow{"derived__memory_", Plain::kSum},
    PlainRow{"derived__local_spilling_requests_pct", Plain::kTime},
    PlainRow{"derived__local_spilling_requests", Plain::kSum},
    PlainRow{"derived__sm__sass_", Plain::kSame},
    PlainRow{"derived__smsp__sass_thread_inst", Plain::kElapsed},
    PlainRow{"derived__pct_occupancy_per_", Plain::kNone},
    PlainRow{"derived__avg_thread", Plain::kNone},
    PlainRow{"derived__derivative_", Plain::kNone},
    PlainRow{"derived_tempMetric", Plain::kNone},
    PlainRow{"derived__", Plain::kTime},
    // Counted for each instruction of the kernel's code.
    PlainRow{"inst_executed", Plain::kSum},
    PlainRow{"thread_inst_executed", Plain::kSum},
    PlainRow{"memory_access_", Plain::kNone},
    PlainRow{"memory_type", Plain::kNone},
    PlainRow{"memory_", Plain::kSum},
    PlainRow{"smsp__branch_targets_", Plain::kSum},
    PlainRow{"smsp__sass_inst_executed", Plain::kSum},
    PlainRow{"sass__", Plain::kSum},
    PlainRow{"flop_count_", Plain::kSum},
};

Rule PlainRule(const MetricName& name) {
  for (const PlainRow& row : kPlainRows) {
    if (!name.base.starts_with(row.prefix)) continue;
    switch (row.rule) {
      case Plain::kSum:
        return SumRule{};
      case Plain::kSame:
        return SameRule{};
      case Plain::kSpread:
        return SpreadRule{};
      case Plain::kTime:
        return MeanRule{};
      // Twice a rate of smsp__sass_thread_inst_executed_op_ffma_pred_on.
      case Plain::kElapsed:
        return MeanRule{.weights = {{{"smsp__cycles_elapsed.avg"}, true}}};
      case Plain::kNone:
        return NoRule{"one value a launch has no meaning"};
    }
  }
  return NoRule{};
}

// The submetrics that a counter follows from, and their factors.
struct Derivation {
  std::string_view suffix;
  std::string_view times;  // a metric of the counter's unit; "": 1; "t": time
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

// A ratio that ncu defines itself: printed as %, but not multiplied by 100.
constexpr std::string_view kBranchShare =
    "derived__smsp__inst_executed_op_branch_pct";

// Constant multiples of a counter, which serve as weights just as well.
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
    return RatioRule{
        .over = {rule.over}, .under = {rule.under}, .scale = rule.scale};
  return std::nullopt;
}

// The mean by the name alone. It also replaces a ratio or throughput with
// missing inputs.
MeanRule MeanFromName(std::string_view metric) {
  const MetricName name = ParseMetricName(metric);
  if (IsSampled(name)) return MeanRule{.bound = BoundOf(name.across)};
  switch (name.form) {
    case Form::kPctActive:
    case Form::kPctElapsed:
    case Form::kPerCycleActive:
    case Form::kPerCycleElapsed:
      return CycleMean(name);
    case Form::kPerSecond:
      return MeanRule{.time_is_exact = true, .bound = BoundOf(name.across)};
    default:
      return MeanRule{};
  }
}

}  // namespace

Word RuleName(const Rule& rule) {
  constexpr std::array<const char*, std::variant_size_v<Rule>> kNames = {
      "sum", "weighted_mean", "ratio", "largest", "same", "spread", "none"};
  return kNames[rule.index()];
}

Rule RuleFromName(std::string_view metric) {
  const MetricName name = ParseMetricName(metric);
  switch (name.form) {
    case Form::kPlain:
      return PlainRule(name);
    case Form::kCounter:
    case Form::kPeakSustainedActive:
    case Form::kPeakSustainedElapsed:
      // The unit has one instance, so that sum, min and max are equal.
      if (name.base == "gpu__time_duration") return SumRule{};
      // Values about the profiler itself, for each launch.
      if (name.unit == "profiler") return SpreadRule{};
      return SumRule{BoundOf(name.across), IsSampled(name)};
    case Form::kPeakSustained:
    case Form::kMaxRate:
      return SameRule{};
    case Form::kPctActive:
    case Form::kPctElapsed:
      if (IsThroughput(name)) return LargestRule{.bound = BoundOf(name.across)};
      return MeanFromName(metric);
    case Form::kPerSecond:
    case Form::kPerCycleActive:
    case Form::kPerCycleElapsed:
    case Form::kRatio:
    case Form::kPct:
    case Form::kUnknown:
      return MeanFromName(metric);
  }
  return NoRule{};
}

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
  if (rule.over.empty()) return RuleFault{"over", "a ratio needs a numerator"};
  if (rule.under.empty())
    return RuleFault{"under", "a ratio needs a denominator"};
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
    // A ratio of averages equals the ratio of sums only if both have as many
    // instances.
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
      return RatioRule{.over = *numerator,
                       .under = *denominator,
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
