#include "diff/contributions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"

namespace rangefinder {
namespace {

std::string Percent(double ratio) {
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

// What moved with the time of a kernel.
std::vector<std::string> WithKernel(const RegionChange& region,
                                    const KernelPair& pair) {
  std::vector<std::string> with;
  for (const Fact& fact : region.facts) {
    const bool mine = (pair.other && fact.kernel == *pair.other) ||
                      (pair.base && fact.kernel == *pair.base);
    if (mine) with.push_back(fact.text);
  }
  const auto each = [](const Side::Kernel& kernel) {
    return kernel.launches > 0 ? kernel.time_ns / kernel.launches : 0;
  };
  const double before = each(pair.before), after = each(pair.after);
  if (before > 0 && after > 0 && std::abs(after / before - 1) >= 0.005)
    with.push_back(fmt::format("a launch {}: {} → {}", Percent(after / before),
                               FormatNs(before), FormatNs(after)));
  return with;
}

// Whether a metric that changed says more than that the time did: none of the
// time itself, of the device, of how kernels were launched (which facts say),
// or of the busiest and the idlest unit.
bool SaysMore(std::string_view metric) {
  for (const std::string_view prefix :
       {"gpu__time_duration", "gpu_seconds", "peak_", "nominal_", "launch__"})
    if (metric.starts_with(prefix)) return false;
  for (const std::string_view part :
       {"__cycles_elapsed", ".max", ".min", ".peak_sustained", ".sum.pct_of"})
    if (metric.find(part) != metric.npos) return false;
  return true;
}

// And with that of its region, where counters know.
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

}  // namespace

std::vector<Contribution> ContributionsOf(
    const std::vector<RegionChange>& regions) {
  std::vector<Contribution> contributions;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const RegionChange& region = regions[i];
    double rest = region.own_change_ns();
    for (const KernelPair& pair : region.kernels) {
      const double change = pair.after.time_ns - pair.before.time_ns;
      rest -= change;
      if (change == 0) continue;
      Contribution one{.region = i,
                       .kernel = pair.other ? *pair.other : *pair.base,
                       .change_ns = change,
                       .with = WithKernel(region, pair)};
      AddCounters(region, one.with);
      contributions.push_back(std::move(one));
    }
    // Ranges that were measured as a whole have no kernels.
    if (std::abs(rest) > 0.5) {
      Contribution one{.region = i, .change_ns = rest};
      AddCounters(region, one.with);
      contributions.push_back(std::move(one));
    }
  }
  std::ranges::stable_sort(
      contributions, std::greater<>(),
      [](const Contribution& one) { return std::abs(one.change_ns); });
  return contributions;
}

}  // namespace rangefinder
