#include "diff/gate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"

namespace rangefinder {
namespace {

class Gate {
 public:
  Gate(const Comparison& comparison, const GateRules& rules)
      : comparison_(comparison), rules_(rules) {}

  std::vector<Crossing> All() {
    for (std::size_t i = 0; i < comparison_.regions.size(); ++i) Region(i);
    return std::move(crossings_);
  }

 private:
  void Region(std::size_t at) {
    const RegionChange& region = comparison_.regions[at];
    if (region.verdict == DiffVerdict::kSlower) {
      Cross(
          at, "time",
          fmt::format("{} {:+.1f} % ({} → {})",
                      region.time.per_instance ? "each time" : "GPU time",
                      100 * (*region.time.ratio - 1),
                      FormatNs(region.time.base), FormatNs(region.time.other)));
    }
    const auto* const own = EntryFor(region, rules_.regions);
    for (const CounterChange& counter : region.counters) {
      if (own != nullptr) {
        if (const auto limit = own->find(counter.metric); limit != own->end()) {
          Counter(at, counter, limit->second);
          continue;
        }
      }
      if (const auto limit = rules_.metrics.find(counter.metric);
          limit != rules_.metrics.end())
        Counter(at, counter, limit->second);
    }
  }

  // An estimate crosses a limit if its 95 % interval does.
  void Counter(std::size_t at, const CounterChange& counter,
               const MetricLimit& limit) {
    const double error = counter.other_reach;
    const double both = std::hypot(counter.base_reach, counter.other_reach);
    const std::string now = FormatValue(counter.other, counter.unit);
    if (limit.growth &&
        counter.other - both >
            counter.base + *limit.growth * std::abs(counter.base)) {
      Cross(at, counter.metric,
            fmt::format("{} {:+.1f} % ({} → {}), {:.1f} % allowed",
                        counter.metric, 100 * (counter.ratio - 1),
                        FormatValue(counter.base, counter.unit), now,
                        100 * *limit.growth));
    }
    if (limit.min && counter.other + error < *limit.min)
      Cross(at, counter.metric,
            fmt::format("{} {}, at least {} wanted", counter.metric, now,
                        FormatValue(*limit.min, counter.unit)));
    if (limit.max && counter.other - error > *limit.max)
      Cross(at, counter.metric,
            fmt::format("{} {}, at most {} wanted", counter.metric, now,
                        FormatValue(*limit.max, counter.unit)));
  }

  void Cross(std::size_t at, std::string what, std::string text) {
    Crossing crossing{
        .region = at, .what = std::move(what), .text = std::move(text)};
    std::string over;
    for (const Accepted& accepted : rules_.accepted) {
      if (!comparison_.regions[at].IsCalled(accepted.region)) continue;
      if (accepted.until >= rules_.today)
        crossing.accepted = fmt::format("accepted until {}: {}", accepted.until,
                                        accepted.reason);
      else
        over +=
            fmt::format("; accepted until {}, which is over", accepted.until);
    }
    if (crossing.fails()) crossing.text += over;
    crossings_.push_back(std::move(crossing));
  }

  const Comparison& comparison_;
  const GateRules& rules_;
  std::vector<Crossing> crossings_{};
};

// The paths by which rules may name regions.
std::vector<std::string> PathsOf(const Comparison& comparison) {
  std::vector<std::string> paths;
  for (const RegionChange& region : comparison.regions) {
    paths.push_back(region.path);
    if (region.has_base_path_alone) paths.push_back(region.base_path);
  }
  return paths;
}

// Adds "LACK 'name'; did you mean 'other'?" if `name` is none of `names`.
void AddUnknown(std::string_view lack, const std::string& name,
                const std::vector<std::string>& names,
                std::vector<std::string>& sentences) {
  if (Has(names, name)) return;
  sentences.push_back(
      fmt::format("{} '{}'{}", lack, Printable(name), DidYouMean(name, names)));
}

constexpr std::string_view kNoRegion = "no run has the region";

}  // namespace

std::vector<Crossing> CrossingsOf(const Comparison& comparison,
                                  const GateRules& rules) {
  if (!comparison.comparable()) return {};
  return Gate(comparison, rules).All();
}

bool Fails(const std::vector<Crossing>& crossings) {
  return std::ranges::any_of(crossings, &Crossing::fails);
}

std::vector<std::string> UnusedRules(const Comparison& comparison,
                                     const GateRules& rules) {
  const std::vector<std::string> paths = PathsOf(comparison);
  std::vector<std::string> metrics, unused;
  for (const RegionChange& region : comparison.regions)
    for (const CounterChange& counter : region.counters)
      metrics.push_back(counter.metric);
  const auto metric = [&](const std::string& name) {
    AddUnknown("the runs do not both have the metric", name, metrics, unused);
  };
  for (const auto& [name, limit] : rules.metrics) metric(name);
  for (const auto& [path, limits] : rules.regions) {
    AddUnknown(kNoRegion, path, paths, unused);
    for (const auto& [name, limit] : limits) metric(name);
  }
  for (const auto& [path, threshold] : comparison.rules.regions)
    AddUnknown(kNoRegion, path, paths, unused);
  return unused;
}

std::vector<std::string> UnusedAcceptances(const Comparison& comparison,
                                           const GateRules& rules) {
  const std::vector<std::string> paths = PathsOf(comparison);
  std::vector<std::string> unused;
  for (const Accepted& accepted : rules.accepted)
    AddUnknown(kNoRegion, accepted.region, paths, unused);
  return unused;
}

}  // namespace rangefinder
