#include "diff/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"
#include "diff/verdicts.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

// ---- Settings ---------------------------------------------------------------

// Settings that make times incomparable if they differ.
constexpr std::array<std::string_view, 4> kFatal = {
    "device", "mode", "clock control", "cache control"};
// Settings that are selections: empty means all.
constexpr std::array<std::string_view, 2> kSelections = {"regions", "kernels"};

std::string SettingOf(const RunFacts& run, const std::string& name) {
  const auto found = std::ranges::find(run.settings, name, &RunSetting::name);
  return found == run.settings.end() ? "" : found->value;
}

std::set<std::string> SettingsOf(std::span<const RunFacts> runs,
                                 const std::string& name) {
  std::set<std::string> values;
  for (const RunFacts& run : runs) values.insert(SettingOf(run, name));
  return values;
}

std::string Quoted(std::string_view name, const std::set<std::string>& values) {
  const std::string empty = Has(kSelections, name) ? "all" : "(unknown)";
  std::string text;
  for (const std::string& value : values)
    text += (text.empty() ? "" : "; ") + (value.empty() ? empty : value);
  return text;
}

// The elements in none of the `others`: "4 (a, b, c, …)".
std::string OnlyIn(const std::set<std::string>& these,
                   const std::set<std::string>& others) {
  constexpr std::size_t kNamed = 3;
  std::set<std::string> mine, theirs;
  for (const std::string& list : these)
    for (std::string& one : Split(list, ',')) mine.insert(std::move(one));
  for (const std::string& list : others)
    for (std::string& one : Split(list, ',')) theirs.insert(std::move(one));
  std::vector<std::string> only;
  std::ranges::set_difference(mine, theirs, std::back_inserter(only));
  if (only.empty()) return "none";
  const std::size_t named = std::min(only.size(), kNamed);
  return fmt::format(
      "{} ({}{})", only.size(),
      fmt::join(only.begin(), only.begin() + static_cast<long>(named), ", "),
      only.size() > named ? ", …" : "");
}

// Differences in how the runs were made, between the sides and within a side,
// and what runs lack.
std::vector<Caveat> CaveatsOf(std::span<const RunFacts> base,
                              std::span<const RunFacts> other) {
  std::vector<std::string> names;
  for (const auto side : {base, other})
    for (const RunFacts& run : side)
      for (const RunSetting& setting : run.settings)
        AddOnce(names, setting.name);
  std::vector<Caveat> caveats;
  for (const std::string& name : names) {
    if (name == "rangefinder") continue;  // versions may differ
    const auto before = SettingsOf(base, name), after = SettingsOf(other, name);
    if (before == after && before.size() == 1) continue;
    const std::string differ =
        fmt::format("{} {}", name, name.ends_with('s') ? "differ" : "differs");
    const bool unknown = before.contains("") || after.contains("");
    if (name == "metrics" && !unknown && before != after) {
      caveats.push_back(
          {.text = fmt::format("{}: only in base {}, only in new {}", differ,
                               OnlyIn(before, after), OnlyIn(after, before))});
      continue;
    }
    caveats.push_back(
        {.fatal = !unknown && Has(kFatal, name),
         .text = before == after
                     ? fmt::format("{} between the runs of each side: {}",
                                   differ, Quoted(name, before))
                     : fmt::format("{}: base {}, new {}", differ,
                                   Quoted(name, before), Quoted(name, after))});
  }
  for (const auto side : {base, other}) {
    for (const RunFacts& run : side) {
      for (const std::string& loss : run.losses)
        caveats.push_back(
            {.text = fmt::format("{}: {}", Printable(run.source), loss)});
    }
  }
  return caveats;
}

// ---- Counters ---------------------------------------------------------------

struct CounterValues {
  std::vector<double> values{};
  std::optional<double> error{};  // of the median, from the runs' errors
  double reach = 0;               // likewise, half of the interval of 95 %
};

std::map<std::string, CounterValues> CountersOf(const Side& side,
                                                std::size_t region) {
  std::map<std::string, CounterValues> all;
  for (const RegionFacts* facts : side[region].runs) {
    if (facts == nullptr) continue;
    for (const auto& [metric, counter] : facts->counters) {
      CounterValues& values = all[metric];
      values.values.push_back(counter.value);
      if (counter.error)
        values.error = std::max(values.error.value_or(0), *counter.error);
      values.reach = std::max(values.reach, counter.reach);
    }
  }
  return all;
}

std::string UnitOf(const Side& side, const std::string& metric) {
  for (const RunFacts& run : side.runs())
    if (const auto unit = run.units.find(metric); unit != run.units.end())
      return unit->second;
  return "";
}

// Changes of the metrics that both sides have: medians over their runs. A
// metric changed if the difference exceeds `tolerance` of the base's value and,
// for estimates, the 95 % intervals of both sides.
std::vector<CounterChange> CounterChanges(const Side& base, std::size_t in_base,
                                          const Side& other,
                                          std::size_t in_other,
                                          double tolerance) {
  const auto before = CountersOf(base, in_base);
  const auto after = CountersOf(other, in_other);
  std::vector<CounterChange> changes;
  for (const auto& [metric, values] : before) {
    const auto now = after.find(metric);
    if (now == after.end()) continue;
    CounterChange change{.metric = metric,
                         .unit = UnitOf(base, metric),
                         .base = MedianOf(values.values),
                         .other = MedianOf(now->second.values),
                         .base_error = values.error,
                         .other_error = now->second.error,
                         .base_reach = values.reach,
                         .other_reach = now->second.reach};
    const double apart = std::abs(change.other - change.base);
    change.ratio = change.base != 0 ? change.other / change.base
                   : apart == 0     ? 1
                                    : HUGE_VAL;
    change.changed =
        apart > std::hypot(change.base_reach, change.other_reach) &&
        apart > tolerance * std::abs(change.base);
    changes.push_back(std::move(change));
  }
  return changes;
}

// ---- Contributions ----------------------------------------------------------

std::string Percent(double ratio) {
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

// Changes that accompany the change of a kernel's time.
std::vector<std::string> WithKernel(const RegionChange& region,
                                    const KernelPair& pair) {
  std::vector<std::string> with;
  for (const Fact& fact : region.facts) {
    const bool mine = (pair.other && fact.kernel == *pair.other) ||
                      (pair.base && fact.kernel == *pair.base);
    if (mine) with.push_back(fact.text);
  }
  const auto each = [](const Side::Kernel& kernel) {
    return kernel.launches > 0 && kernel.is_timed
               ? kernel.time_ns / kernel.launches
               : 0;
  };
  const double before = each(pair.before), after = each(pair.after);
  if (before > 0 && after > 0 && std::abs(after / before - 1) >= 0.005)
    with.push_back(fmt::format("per launch {}: {} → {}",
                               Percent(after / before), FormatNs(before),
                               FormatNs(after)));
  return with;
}

// Whether a changed metric helps to explain a change of time: no metric of time
// itself, of the device, of launch configurations (facts cover those), or of
// the busiest or idlest unit.
bool SaysMore(std::string_view metric) {
  for (const std::string_view prefix :
       {"gpu__time_duration", "gpu_seconds", "peak_", "nominal_", "launch__"})
    if (metric.starts_with(prefix)) return false;
  for (const std::string_view part :
       {"__cycles_elapsed", ".max", ".min", ".peak_sustained", ".sum.pct_of"})
    if (metric.find(part) != metric.npos) return false;
  return true;
}

// Changes of the region's counters.
void AddCounters(const RegionChange& region, std::vector<std::string>& with) {
  constexpr std::size_t kMost = 3;
  std::vector<const CounterChange*> changed;
  for (const CounterChange& counter : region.counters)
    if (counter.changed && std::isfinite(counter.ratio) &&
        SaysMore(counter.metric))
      changed.push_back(&counter);
  std::ranges::stable_sort(
      changed, std::greater<>(), [](const CounterChange* counter) {
        return std::abs(std::log(std::max(1e-9, std::abs(counter->ratio))));
      });
  if (changed.size() > kMost) changed.resize(kMost);
  for (const CounterChange* counter : changed)
    with.push_back(
        fmt::format("{} {}", counter->metric, Percent(counter->ratio)));
}

// Every kernel of every region, and the rest of a region outside kernels: their
// changes add up to the change of the whole run. Contributions without a change
// are left out. Largest first.
std::vector<Contribution> ContributionsOf(
    const std::vector<RegionChange>& regions) {
  std::vector<Contribution> contributions;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const RegionChange& region = regions[i];
    const auto add = [&](Contribution one) {
      AddCounters(region, one.with);
      contributions.push_back(std::move(one));
    };
    double rest = region.own_change_ns();
    for (const KernelPair& pair : region.kernels) {
      const double change = pair.after.time_ns - pair.before.time_ns;
      rest -= change;
      if (change == 0) continue;
      add({.region = i,
           .kernel = pair.other ? *pair.other : *pair.base,
           .change_ns = change,
           .with = WithKernel(region, pair)});
    }
    // Ranges measured as a whole have no kernels.
    if (std::abs(rest) > 0.5) add({.region = i, .change_ns = rest});
  }
  std::ranges::stable_sort(
      contributions, std::greater<>(),
      [](const Contribution& one) { return std::abs(one.change_ns); });
  return contributions;
}

// ---- Different programs -----------------------------------------------------

// Notes that the sides have no named region and no kernel in common. Variants
// of a program without regions may share no kernel, so only programs with
// regions are compared here.
void NoteDifferentPrograms(Comparison& comparison) {
  bool any_in_base = false, any_in_other = false;  // named regions
  std::set<std::string> base, other;               // kernels
  for (const RegionChange& region : comparison.regions) {
    const bool named = &region != &comparison.regions.front() &&
                       region.frame != RegionTree::kUnattributed;
    if (named && region.in_base && region.in_other) return;
    any_in_base |= named && region.in_base;
    any_in_other |= named && region.in_other;
    for (const KernelPair& pair : region.kernels) {
      if (pair.base) base.insert(BareKernelName(*pair.base));
      if (pair.other) other.insert(BareKernelName(*pair.other));
    }
  }
  if (!any_in_base || !any_in_other ||
      std::ranges::any_of(
          base, [&](const std::string& name) { return other.contains(name); }))
    return;
  comparison.caveats.insert(
      comparison.caveats.begin(),
      {.fatal = true,
       .text = "different programs: no region and no kernel is on both sides"});
}

// ---- Regions ----------------------------------------------------------------

class Comparing {
 public:
  Comparing(const Side& base, const Side& other, const DiffRules& rules)
      : base_(base), other_(other), rules_(rules) {}

  void All(const std::vector<RegionPair>& pairs, Comparison& comparison) {
    for (const RegionPair& pair : pairs)
      comparison.regions.push_back(Changed(pair));
    MarkBasePaths(comparison.regions);
    MarkMoved(comparison.regions);
    NoteDifferentPrograms(comparison);
    Judge(rules_, comparison);
    if (BothKnowKernels(pairs.front()) &&
        comparison.regions.front().knows_change())
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
      const std::string path = base_.PathOf(*pair.base);
      if (path != region.path) region.base_path = path;
    }
    region.has_no_launches =
        HasNoLaunches(base_, pair.base) && HasNoLaunches(other_, pair.other);
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

  static void MarkBasePaths(std::vector<RegionChange>& regions) {
    std::set<std::string_view> paths;
    for (const RegionChange& region : regions) paths.insert(region.path);
    for (RegionChange& region : regions)
      region.has_base_path_alone =
          !region.base_path.empty() && !paths.contains(region.base_path);
  }

  // True also if the side lacks the region.
  static bool HasNoLaunches(const Side& side,
                            const std::optional<std::size_t>& at) {
    return !at || SameInAll(side.Take(*at, &RegionFacts::launches),
                            RunsWith(side, *at)) == 0;
  }

  // The number of runs that have the region.
  static std::size_t RunsWith(const Side& side, std::size_t at) {
    return side
        .Take(at, [](const RegionFacts&) { return std::optional<int>(1); })
        .size();
  }

  void TakeTimes(const RegionPair& pair, RegionChange& region) const {
    const auto take = [](const Side& side, const std::optional<std::size_t>& at,
                         std::vector<double>& by_run, double& mean_ns,
                         double& own_ns, double& wall_ns) {
      if (!at) return;
      by_run = side.Take(*at, &RegionFacts::time_ns);
      // A run with the region whose time is unknown leaves no mean.
      if (by_run.size() != RunsWith(side, *at)) by_run.clear();
      mean_ns = MeanOf(by_run, side);
      own_ns = MeanOf(side.Take(*at, &RegionFacts::own_ns), side);
      wall_ns = MedianOf(side.Take(*at, &RegionFacts::cpu_ns));
    };
    take(base_, pair.base, region.time.base_ns, region.base_mean_ns,
         region.own_base_ns, region.base_wall_ns);
    take(other_, pair.other, region.time.other_ns, region.other_mean_ns,
         region.own_other_ns, region.other_wall_ns);
    if (pair.base && pair.other) {
      PerInstance(pair, region.time);
      TakeWallParts(pair, region);
    }
    region.time.base = MedianOf(region.time.base_ns);
    region.time.other = MedianOf(region.time.other_ns);
    if (region.time.base > 0 && region.time.other > 0)
      region.time.ratio = region.time.other / region.time.base;
  }

  void TakeWallParts(const RegionPair& pair, RegionChange& region) const {
    for (std::size_t part = 0; part < kWallParts; ++part) {
      const auto median = [&](const Side& side, std::size_t at) {
        return MedianOf(side.Take(
            at, [&](const RegionFacts& facts) -> std::optional<std::uint64_t> {
              if (!facts.wall) return std::nullopt;
              return facts.wall->ns[part];
            }));
      };
      region.wall_change_ns[part] =
          median(other_, *pair.other) - median(base_, *pair.base);
    }
  }

  // A run that lacks the region spent no time in it.
  static double MeanOf(const std::vector<double>& values, const Side& side) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(side.runs().size());
  }

  // Converts times to times per instance if the numbers of instances differ.
  void PerInstance(const RegionPair& pair, TimeChange& time) const {
    const auto before = base_.Take(*pair.base, &RegionFacts::instances);
    const auto after = other_.Take(*pair.other, &RegionFacts::instances);
    if (before.size() != time.base_ns.size() ||
        after.size() != time.other_ns.size() || before.empty() ||
        after.empty() || before == after)
      return;
    const auto one = SameInAll(before, before.size());
    if (one && one == SameInAll(after, after.size())) return;
    time.per_instance = true;
    for (std::size_t i = 0; i < time.base_ns.size(); ++i)
      time.base_ns[i] /= before[i];
    for (std::size_t i = 0; i < time.other_ns.size(); ++i)
      time.other_ns[i] /= after[i];
  }

  // False: a region is on both sides, and only one side knows its launches.
  bool BothKnowKernels(const RegionPair& pair) const {
    const auto knows = [](const Side& side, std::size_t at) {
      return !side.Take(at, &RegionFacts::launches).empty();
    };
    return !pair.base || !pair.other ||
           knows(base_, *pair.base) == knows(other_, *pair.other);
  }

  void TakeKernels(const RegionPair& pair, RegionChange& region) const {
    using Kernels = std::map<std::string, Side::Kernel>;
    // Kernels that one side did not record are not new.
    if (!BothKnowKernels(pair)) return;
    region.kernels = PairKernels(
        pair.base ? base_.KernelsOf(*pair.base) : Kernels{},
        pair.other ? other_.KernelsOf(*pair.other) : Kernels{}, rules_.pairing);
  }

  const Side& base_;
  const Side& other_;
  const DiffRules& rules_;
};

}  // namespace

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
  const Side base_side(base), other_side(other);
  comparison.caveats = CaveatsOf(base, other);
  const auto pairs = TRY(PairRegions(base_side, other_side, rules.pairing));
  Comparing(base_side, other_side, rules).All(pairs, comparison);
  return comparison;
}

Calibration Calibrate(std::span<const RunFacts> runs) {
  Calibration calibration;
  if (runs.size() < 2) return calibration;
  const Side side(runs);
  for (std::size_t i = 0; i < side.regions().size(); ++i) {
    const auto times = side.Take(i, &RegionFacts::time_ns);
    if (times.size() != runs.size() ||
        !std::ranges::all_of(times, [](double v) { return v > 0; }))
      continue;
    calibration[side.PathOf(i)] = {.deviation = LogDeviation(times, {}),
                                   .runs = runs.size()};
  }
  return calibration;
}

}  // namespace rangefinder
