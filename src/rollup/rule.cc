#include "rollup/rule.h"

#include <array>

#include "profile/metric_name.h"

namespace rangefinder {
namespace {

Bound BoundOf(Across across) {
  if (across == Across::kMax) return Bound::kUpper;
  if (across == Across::kMin) return Bound::kLower;
  return Bound::kNone;
}

// A rate is divided by the average cycles of its unit. Their sum over the
// instances is as good a weight, being a constant multiple.
void AddCycles(MeanRule& rule, std::string_view unit, std::string_view cycles,
               bool exact) {
  const std::string base = std::string(unit) + "__" + std::string(cycles);
  rule.weights.push_back({{base + ".avg"}, exact});
  rule.weights.push_back({{base + ".sum"}, exact});
  rule.weights.push_back({{base + ".max"}, false});
}

// A throughput is the largest of several percentages.
bool IsThroughput(const MetricName& name) {
  return name.quantity.find("throughput") != std::string_view::npos;
}

// Units that are clocked together: as many elapsed cycles, seen on a GH100 to
// the last bit (docs/rollup.md). Of the rest, the SM's cycles are a guess.
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

// Names without a suffix, by what they begin with. The first match counts.
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
    // Counted per instruction in the kernel's code.
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

}  // namespace

Word RuleName(const Rule& rule) {
  constexpr std::array<const char*, std::variant_size_v<Rule>> kNames = {
      "sum", "weighted_mean", "ratio", "largest", "same", "spread", "none"};
  return kNames[rule.index()];
}

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

Rule RuleFromName(std::string_view metric) {
  const MetricName name = ParseMetricName(metric);
  switch (name.form) {
    case Form::kPlain:
      return PlainRule(name);
    case Form::kCounter:
    case Form::kPeakSustainedActive:
    case Form::kPeakSustainedElapsed:
      // One instance: its time is the sum's.
      if (name.base == "gpu__time_duration") return SumRule{};
      // What the profiler itself did: one launch after the other.
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

}  // namespace rangefinder
