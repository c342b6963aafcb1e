#include "diff/verdicts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "diff/permutation.h"

namespace rangefinder {
namespace {

bool AllPositive(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v > 0; });
}

// Whether every run has a time of the region.
bool IsWhole(const Comparison& comparison, const RegionChange& region) {
  return region.time.base_ns.size() == comparison.base_runs() &&
         region.time.other_ns.size() == comparison.other_runs() &&
         AllPositive(region.time.base_ns) && AllPositive(region.time.other_ns);
}

// Whether no labelling of the runs could pass the absolute threshold. Such rows
// are not tested, which depends on no label.
bool IsTooSmall(const RegionChange& region, const Threshold& threshold) {
  double least = HUGE_VAL, most = 0;
  for (const auto& values : {region.time.base_ns, region.time.other_ns}) {
    for (const double value : values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  return !region.time.per_instance && most - least < threshold.absolute_ns;
}

// All statistics but the ratio, of the rows that can be tested.
void TakeStatistics(const DiffRules& rules, Comparison& comparison) {
  if (comparison.base_runs() < 2 || comparison.other_runs() < 2) return;
  const RatioBootstrap bootstrap(comparison.base_runs(),
                                 comparison.other_runs());
  std::vector<RegionChange*> tested;
  std::vector<RunValues> rows;
  for (RegionChange& region : comparison.regions) {
    TimeChange& time = region.time;
    if (!IsWhole(comparison, region)) continue;
    time.interval = bootstrap.Of(time.base_ns, time.other_ns);
    if (IsTooSmall(region, ThresholdOf(rules, region.path))) continue;
    RunValues row = time.base_ns;
    row.insert(row.end(), time.other_ns.begin(), time.other_ns.end());
    rows.push_back(std::move(row));
    tested.push_back(&region);
  }
  const std::vector<double> chance = PermutationP(rows, comparison.base_runs());
  for (std::size_t i = 0; i < tested.size(); ++i)
    tested[i]->time.chance = chance[i];
  comparison.tested = tested.size();
}

void TakeRunsNeeded(const DiffRules& rules, const Comparison& comparison,
                    RegionChange& region) {
  TimeChange& time = region.time;
  if (!time.ratio) return;
  double deviation = LogDeviation(time.base_ns, time.other_ns);
  if (const auto known = rules.calibration.find(region.path);
      known != rules.calibration.end())
    deviation = std::max(deviation, known->second.deviation);
  if (deviation > 0)
    time.runs_needed =
        RunsNeeded(*time.ratio, deviation, comparison.tested, rules.alpha);
}

// The ratio of a region's cycles, from the first counter that both sides have.
// An estimate whose error is as large as the change of the time is not used.
std::optional<double> CyclesOf(const RegionChange& region) {
  const double change = std::abs(region.time.ratio.value_or(1) - 1);
  constexpr std::string_view kCycles[] = {
      "sm__cycles_elapsed.max", "gpc__cycles_elapsed.max",
      "gpu__cycles_elapsed.max", "sm__cycles_active.avg"};
  for (const std::string_view name : kCycles) {
    const auto found =
        std::ranges::find(region.counters, name, &CounterChange::metric);
    if (found == region.counters.end() || found->base <= 0 || found->other <= 0)
      continue;
    const double error =
        std::hypot(found->base_error.value_or(0) / found->base,
                   found->other_error.value_or(0) / found->other);
    if (2 * error > change && error > 0) continue;
    return found->ratio;
  }
  return std::nullopt;
}

std::string RunsText(const TimeChange& time) {
  if (time.runs_needed == 0) return "more runs per side would decide";
  if (time.runs_needed > 1000) return "no number of runs would decide";
  return fmt::format("about {} runs per side would decide", time.runs_needed);
}

// Whether the cycles changed as the time did, where they are known: beyond the
// threshold, or by half as much at least.
bool HoldsInCycles(const TimeChange& time, const Threshold& threshold) {
  if (!time.cycle) return true;
  const double relative = *time.ratio - 1;
  const double cycles = *time.ratio / *time.cycle - 1;
  const double least = std::min(threshold.relative, std::abs(relative) / 2);
  return (relative > 0 ? cycles : -cycles) >= least;
}

// Of a region both sides have times of.
void JudgeTime(const DiffRules& rules, const Comparison& comparison,
               RegionChange& region) {
  TimeChange& time = region.time;
  const Threshold threshold = ThresholdOf(rules, region.path);
  const double relative = *time.ratio - 1;
  const double absolute = time.other - time.base;
  const bool beyond =
      std::abs(relative) > threshold.relative &&
      (time.per_instance || std::abs(absolute) > threshold.absolute_ns);
  region.verdict = DiffVerdict::kSame;
  if (!beyond) return;
  region.verdict = DiffVerdict::kAmbiguous;
  if (std::min(comparison.base_runs(), comparison.other_runs()) <
      rules.least_runs) {
    region.why = fmt::format("fewer than {} runs per side; {}",
                             rules.least_runs, RunsText(time));
    return;
  }
  if (!time.chance || *time.chance > rules.alpha ||
      !time.interval->Excludes(1)) {
    region.why = "may be chance; " + RunsText(time);
    return;
  }
  if (!HoldsInCycles(time, threshold)) {
    region.why =
        fmt::format("the clocks changed: time {:+.1f} %, cycles {:+.1f} %{}",
                    100 * relative, 100 * (*time.ratio / *time.cycle - 1),
                    time.cycles ? "" : " (of the outer region)");
    return;
  }
  region.verdict = relative > 0 ? DiffVerdict::kSlower : DiffVerdict::kFaster;
}

DiffVerdict VerdictOf(const DiffRules& rules, const Comparison& comparison,
                      RegionChange& region) {
  if (!comparison.comparable()) return DiffVerdict::kIncomparable;
  if (!region.in_base) return DiffVerdict::kNew;
  if (!region.in_other) return DiffVerdict::kGone;
  const TimeChange& time = region.time;
  if (time.ratio) {
    JudgeTime(rules, comparison, region);
    return region.verdict;
  }
  if (time.base_ns.empty() || time.other_ns.empty()) {
    if (time.base_ns.size() == time.other_ns.size()) return DiffVerdict::kSame;
    region.why = "one side has no GPU time";
    return DiffVerdict::kIncomparable;
  }
  if (time.base == time.other) return DiffVerdict::kSame;
  region.why = time.base == 0 ? "no GPU work in base" : "no GPU work in new";
  return DiffVerdict::kAmbiguous;
}

}  // namespace

Threshold ThresholdOf(const DiffRules& rules, const std::string& path) {
  const auto own = rules.regions.find(path);
  Threshold threshold =
      own == rules.regions.end() ? rules.threshold : own->second;
  if (const auto known = rules.calibration.find(path);
      known != rules.calibration.end())
    threshold.relative =
        std::max(threshold.relative, 2 * known->second.deviation);
  return threshold;
}

void Judge(const DiffRules& rules, Comparison& comparison) {
  TakeStatistics(rules, comparison);
  for (RegionChange& region : comparison.regions) {
    region.time.cycles = CyclesOf(region);
    region.time.cycle = comparison.regions[region.parent].time.cycle;
    if (region.time.cycles && region.time.ratio)
      region.time.cycle = *region.time.ratio / *region.time.cycles;
    TakeRunsNeeded(rules, comparison, region);
    region.verdict = VerdictOf(rules, comparison, region);
    const bool renamed =
        !region.base_path.empty() && region.by != PairedBy::kName;
    if (renamed && region.verdict == DiffVerdict::kSame)
      region.verdict = DiffVerdict::kRenamed;
  }
}

}  // namespace rangefinder
