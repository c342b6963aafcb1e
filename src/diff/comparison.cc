#include "diff/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "diff/contributions.h"
#include "diff/counter_changes.h"
#include "diff/facts.h"
#include "diff/settings.h"
#include "diff/verdicts.h"

namespace rangefinder {
namespace {

class Comparing {
 public:
  Comparing(const Side& base, const Side& other, const DiffRules& rules)
      : base_(base), other_(other), rules_(rules) {}

  void All(const std::vector<RegionPair>& pairs, Comparison& comparison) {
    for (const RegionPair& pair : pairs)
      comparison.regions.push_back(Changed(pair));
    MarkMoved(comparison.regions);
    Judge(rules_, comparison);
    comparison.contributions = ContributionsOf(comparison.regions);
  }

 private:
  RegionChange Changed(const RegionPair& pair) const {
    RegionChange region{.parent = pair.parent,
                        .depth = pair.depth,
                        .in_base = pair.base.has_value(),
                        .in_other = pair.other.has_value(),
                        .by = pair.by};
    const Side& shown = pair.other ? other_ : base_;
    const std::size_t at = pair.other ? *pair.other : *pair.base;
    region.path = shown.PathOf(at);
    region.frame = shown[at].frame;
    if (pair.base && pair.other) {
      const std::string old = base_.PathOf(*pair.base);
      if (old != region.path) region.base_path = old;
    }
    TakeTimes(pair, region);
    TakeKernels(pair, region);
    if (pair.base && pair.other) {
      region.facts = FactsOf(base_, *pair.base, other_, *pair.other,
                             region.kernels, region.time.per_instance);
      region.counters = CounterChanges(base_, *pair.base, other_, *pair.other,
                                       rules_.counter);
    }
    return region;
  }

  void TakeTimes(const RegionPair& pair, RegionChange& region) const {
    if (pair.base) {
      region.time.base_ns =
          base_.Take(*pair.base, &RegionFacts::time_ns).values;
      region.base_mean_ns = MeanOf(region.time.base_ns, base_);
      region.own_base_ns =
          MeanOf(base_.Take(*pair.base, &RegionFacts::own_ns).values, base_);
    }
    if (pair.other) {
      region.time.other_ns =
          other_.Take(*pair.other, &RegionFacts::time_ns).values;
      region.other_mean_ns = MeanOf(region.time.other_ns, other_);
      region.own_other_ns =
          MeanOf(other_.Take(*pair.other, &RegionFacts::own_ns).values, other_);
    }
    if (pair.base && pair.other) PerInstance(pair, region.time);
    region.time.base = MedianOf(region.time.base_ns);
    region.time.other = MedianOf(region.time.other_ns);
    if (region.time.base > 0 && region.time.other > 0)
      region.time.ratio = region.time.other / region.time.base;
  }

  // A run that lacks the region spent no time in it.
  static double MeanOf(const std::vector<double>& values, const Side& side) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(side.runs().size());
  }

  // Where the sides ran it differently often, what one instance takes.
  void PerInstance(const RegionPair& pair, TimeChange& time) const {
    const Over before = base_.Take(*pair.base, &RegionFacts::instances);
    const Over after = other_.Take(*pair.other, &RegionFacts::instances);
    if (before.values.size() != time.base_ns.size() ||
        after.values.size() != time.other_ns.size() || before.values.empty() ||
        after.values.empty() || before.values == after.values)
      return;
    const auto one = before.same(before.values.size());
    if (one && one == after.same(after.values.size())) return;
    time.per_instance = true;
    for (std::size_t i = 0; i < time.base_ns.size(); ++i)
      time.base_ns[i] /= before.values[i];
    for (std::size_t i = 0; i < time.other_ns.size(); ++i)
      time.other_ns[i] /= after.values[i];
  }

  void TakeKernels(const RegionPair& pair, RegionChange& region) const {
    using Kernels = std::map<std::string, Side::Kernel>;
    region.kernels = PairKernels(
        pair.base ? base_.KernelsOf(*pair.base) : Kernels{},
        pair.other ? other_.KernelsOf(*pair.other) : Kernels{}, rules_.pairing);
  }

  const Side& base_;
  const Side& other_;
  const DiffRules& rules_;
};

}  // namespace

std::string_view DiffVerdictName(DiffVerdict verdict) {
  switch (verdict) {
    case DiffVerdict::kSame:
      return "SAME";
    case DiffVerdict::kFaster:
      return "FASTER";
    case DiffVerdict::kSlower:
      return "SLOWER";
    case DiffVerdict::kAmbiguous:
      return "AMBIGUOUS";
    case DiffVerdict::kNew:
      return "NEW";
    case DiffVerdict::kGone:
      return "GONE";
    case DiffVerdict::kRenamed:
      return "RENAMED";
    case DiffVerdict::kIncomparable:
      return "INCOMPARABLE";
  }
  return "";
}

bool Comparison::comparable() const {
  return std::ranges::none_of(caveats, &Caveat::fatal);
}

std::size_t Comparison::Count(DiffVerdict verdict) const {
  return static_cast<std::size_t>(
      std::ranges::count(regions, verdict, &RegionChange::verdict));
}

Result<Comparison> Compare(std::span<const RunFacts> base,
                           std::span<const RunFacts> other,
                           const DiffRules& rules) {
  Comparison comparison;
  comparison.rules = rules;
  for (const RunFacts& run : base)
    comparison.base_sources.push_back(run.source);
  for (const RunFacts& run : other)
    comparison.other_sources.push_back(run.source);
  comparison.base_settings = base.front().settings;
  comparison.other_settings = other.front().settings;
  const Side old(base), fresh(other);
  comparison.caveats = CaveatsOf(base, other);
  const auto pairs = TRY(PairRegions(old, fresh, rules.pairing));
  Comparing(old, fresh, rules).All(pairs, comparison);
  return comparison;
}

Calibration Calibrate(std::span<const RunFacts> runs) {
  Calibration calibration;
  if (runs.size() < 2) return calibration;
  const Side side(runs);
  for (std::size_t i = 0; i < side.regions().size(); ++i) {
    const Over times = side.Take(i, &RegionFacts::time_ns);
    if (times.values.size() != runs.size() ||
        !std::ranges::all_of(times.values, [](double v) { return v > 0; }))
      continue;
    calibration[side.PathOf(i)] = {.deviation = LogDeviation(times.values, {}),
                                   .runs = runs.size()};
  }
  return calibration;
}

}  // namespace rangefinder
