#include "diff/verdicts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "diff/statistics.h"
#include "profile/short_name.h"

namespace rangefinder {

// ---- Certain changes -------------------------------------------------------

namespace {

std::string Short(const std::string& name) {
  return Printable(ShortKernelName(name));
}

std::string Number(double value) {
  if (value == std::floor(value)) return PlainNumber(value);
  return fmt::format("{:.1f}", value);
}

// "1 more launch", "3 fewer launches"
std::string MoreLaunches(double before, double after) {
  const double by = std::abs(after - before);
  return fmt::format("{} {} {}", Number(by), after > before ? "more" : "fewer",
                     by == 1 ? "launch" : "launches");
}

std::string DimText(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

// "grid (8, 1, 1) → (16, 1, 1), 32 registers → 40"
std::string ShapeText(const LaunchShape& before, const LaunchShape& after) {
  std::string text;
  const auto add = [&](std::string part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (before.grid != after.grid)
    add(fmt::format("grid {} → {}", DimText(before.grid), DimText(after.grid)));
  if (before.block != after.block)
    add(fmt::format("block {} → {}", DimText(before.block),
                    DimText(after.block)));
  if (before.shared != after.shared)
    add(fmt::format("dynamic shared memory {} → {} bytes per block",
                    before.shared, after.shared));
  if (before.registers != after.registers && before.registers > 0 &&
      after.registers > 0)
    add(fmt::format("{} registers → {}", before.registers, after.registers));
  return text;
}

class FactSearch {
 public:
  FactSearch(const Side& base, std::size_t in_base, const Side& other,
             std::size_t in_other, bool per_instance)
      : base_(base),
        other_(other),
        instances_(Same(&RegionFacts::instances, in_base, in_other)),
        bytes_(Same(&RegionFacts::copy_bytes, in_base, in_other)),
        per_instance_(per_instance) {}

  std::vector<Fact> All(const std::vector<KernelPair>& kernels) {
    if (instances_ && instances_->first != instances_->second)
      Add(FactKind::kInstances, *instances_,
          fmt::format("{} → {} instances", Number(instances_->first),
                      Number(instances_->second)));
    for (const KernelPair& pair : kernels) Kernel(pair);
    if (bytes_ && !Alike(*bytes_))
      Add(FactKind::kBytes, *bytes_,
          fmt::format("copied bytes {} → {}",
                      FormatValue(bytes_->first, "byte"),
                      FormatValue(bytes_->second, "byte")));
    return std::move(facts_);
  }

 private:
  using Pair = std::pair<double, double>;

  void Add(FactKind kind, const Pair& counts, std::string text,
           std::string kernel = {}) {
    facts_.push_back({.kind = kind,
                      .text = std::move(text),
                      .kernel = std::move(kernel),
                      .base = counts.first,
                      .other = counts.second});
  }

  template <typename Member>
  std::optional<Pair> Same(Member member, std::size_t in_base,
                           std::size_t in_other) const {
    const auto before =
        SameInAll(base_.Take(in_base, member), base_.runs().size());
    const auto after =
        SameInAll(other_.Take(in_other, member), other_.runs().size());
    if (!before || !after) return std::nullopt;
    return Pair{*before, *after};
  }

  // Counts per instance, if the sides ran the region a different number of
  // times and the counts divide evenly.
  std::pair<Pair, std::string_view> Scaled(Pair counts) const {
    if (!instances_ || instances_->first <= 0 || instances_->second <= 0)
      return {counts, ""};
    const Pair each = {counts.first / instances_->first,
                       counts.second / instances_->second};
    const bool whole = each.first == std::floor(each.first) &&
                       each.second == std::floor(each.second);
    if (per_instance_ || whole) return {each, " per instance"};
    return {counts, ""};
  }

  bool Alike(const Pair& counts) const {
    const auto [each, when] = Scaled(counts);
    return each.first == each.second;
  }

  void Kernel(const KernelPair& pair) {
    if (pair.base && pair.other) {
      if (pair.by != PairedBy::kName)
        Add(FactKind::kKernelReplaced, MeanLaunches(pair),
            fmt::format("{} replaced {}", Short(*pair.other),
                        Short(*pair.base)),
            *pair.other);
      Launches(pair);
      Shapes(pair);
      return;
    }
    const bool is_new = pair.other.has_value();
    AddLaunches(is_new ? FactKind::kKernelNew : FactKind::kKernelGone,
                MeanLaunches(pair), is_new ? *pair.other : *pair.base);
  }

  // A changed number of launches.
  void AddLaunches(FactKind kind, const Pair& counts,
                   const std::string& kernel) {
    const auto [each, when] = Scaled(counts);
    Add(kind, counts,
        fmt::format("{}{}: {}", MoreLaunches(each.first, each.second), when,
                    Short(kernel)),
        kernel);
  }

  void Launches(const KernelPair& pair) {
    const auto before = SameInAll(pair.before.counts, base_.runs().size());
    const auto after = SameInAll(pair.after.counts, other_.runs().size());
    if (!before || !after || Alike({*before, *after})) return;
    AddLaunches(FactKind::kLaunches, {*before, *after}, *pair.other);
  }

  // Only if each side launched the kernel in a single shape.
  void Shapes(const KernelPair& pair) {
    const auto& before = pair.before.shapes;
    const auto& after = pair.after.shapes;
    if (before.size() != 1 || after.size() != 1) return;
    const std::string text =
        ShapeText(before.begin()->first, after.begin()->first);
    if (text.empty()) return;
    Add(FactKind::kShape, MeanLaunches(pair),
        fmt::format("{}: {}", Short(*pair.other), text), *pair.other);
  }

  static Pair MeanLaunches(const KernelPair& pair) {
    return {pair.before.launches, pair.after.launches};
  }

  const Side& base_;
  const Side& other_;
  const std::optional<Pair> instances_, bytes_;
  const bool per_instance_;
  std::vector<Fact> facts_{};
};

}  // namespace

std::vector<Fact> FactsOf(const Side& base, std::size_t in_base,
                          const Side& other, std::size_t in_other,
                          const std::vector<KernelPair>& kernels,
                          bool per_instance) {
  return FactSearch(base, in_base, other, in_other, per_instance).All(kernels);
}

void MarkMoved(std::vector<RegionChange>& regions) {
  // By kernel, the first region that lost it.
  std::map<std::string, std::pair<std::size_t, double>> gone;
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (const Fact& fact : regions[i].facts)
      if (fact.kind == FactKind::kKernelGone)
        gone.try_emplace(fact.kernel, i, fact.base);
  for (RegionChange& region : regions) {
    for (Fact& fact : region.facts) {
      if (fact.kind != FactKind::kKernelNew) continue;
      const auto from = gone.find(fact.kernel);
      if (from == gone.end() || from->second.second != fact.other) continue;
      RegionChange& left = regions[from->second.first];
      const auto where = [](const RegionChange& place) {
        return place.path.empty() ? std::string("outside regions") : place.path;
      };
      fact.kind = FactKind::kKernelMoved;
      fact.text =
          fmt::format("{} moved here from {}", Short(fact.kernel), where(left));
      for (Fact& lost : left.facts) {
        if (lost.kind != FactKind::kKernelGone || lost.kernel != fact.kernel)
          continue;
        lost.kind = FactKind::kKernelMoved;
        lost.text =
            fmt::format("{} moved to {}", Short(fact.kernel), where(region));
      }
      gone.erase(from);
    }
  }
}

namespace {

// The thresholds of a region: its own, else the common ones; at least twice the
// deviation of one run, if the region was calibrated.
Threshold ThresholdOf(const DiffRules& rules, const RegionChange& region) {
  const Threshold* const own = EntryFor(region, rules.regions);
  Threshold threshold = own == nullptr ? rules.threshold : *own;
  if (const Noise* known = EntryFor(region, rules.calibration))
    threshold.relative = std::max(threshold.relative, 2 * known->deviation);
  return threshold;
}

bool AllPositive(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v > 0; });
}

// Whether every run has a time of the region.
bool IsWhole(const Comparison& comparison, const RegionChange& region) {
  return region.time.base_ns.size() == comparison.base_runs() &&
         region.time.other_ns.size() == comparison.other_runs() &&
         AllPositive(region.time.base_ns) && AllPositive(region.time.other_ns);
}

// Whether no labelling of the runs could exceed the absolute threshold. Such
// rows are not tested; the decision does not depend on the labels.
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

// Sets all statistics except the ratio, for rows that can be tested.
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
    if (IsTooSmall(region, ThresholdOf(rules, region))) continue;
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
  if (const Noise* known = EntryFor(region, rules.calibration))
    deviation = std::max(deviation, known->deviation);
  if (deviation > 0)
    time.runs_needed =
        RunsNeeded(*time.ratio, deviation, comparison.tested, rules.alpha);
}

// The ratio of a region's cycles, from the first counter that both sides have.
// An estimate is not used if its error is as large as the change of time.
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

// Whether the cycles, if known, changed like the time: beyond the threshold, or
// by at least half as much.
bool HoldsInCycles(const TimeChange& time, const Threshold& threshold) {
  if (!time.cycle) return true;
  const double relative = *time.ratio - 1;
  const double cycles = *time.ratio / *time.cycle - 1;
  const double least = std::min(threshold.relative, std::abs(relative) / 2);
  return (relative > 0 ? cycles : -cycles) >= least;
}

// For regions whose times both sides have.
void JudgeTime(const DiffRules& rules, const Comparison& comparison,
               RegionChange& region) {
  TimeChange& time = region.time;
  const Threshold threshold = ThresholdOf(rules, region);
  const double relative = *time.ratio - 1;
  const double absolute = time.other - time.base;
  const bool beyond =
      std::abs(relative) > threshold.relative &&
      (time.per_instance || std::abs(absolute) > threshold.absolute_ns);
  region.verdict = DiffVerdict::kSame;
  if (!beyond) {
    if (std::abs(relative) > threshold.relative && time.interval &&
        time.interval->Excludes(1))
      region.why = fmt::format("changes of less than {} do not count",
                               FormatNs(threshold.absolute_ns));
    return;
  }
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
    if (region.has_no_launches) return DiffVerdict::kSame;
    region.why = time.base_ns.size() == time.other_ns.size()
                     ? "neither side knows the GPU time of all launches"
                     : "one side does not know the GPU time of all launches";
    return DiffVerdict::kIncomparable;
  }
  if (time.base == time.other) return DiffVerdict::kSame;
  region.why = time.base == 0 ? "no GPU work in base" : "no GPU work in new";
  return DiffVerdict::kAmbiguous;
}

}  // namespace

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
