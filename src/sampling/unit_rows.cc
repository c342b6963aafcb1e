#include "sampling/unit_rows.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/lists.h"
#include "sampling/region_instances.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostRegions = 16;
constexpr double kSamplesOfRow = 5;  // least length of a row of counters
constexpr double kLeastSeen = 0.5;   // of an instance's launches, by samples

const NameFacts* FactsOf(const KnownNames& names, const Region& region,
                         StringId given) {
  return names.Of(region.frame.domain, given);
}

// The kinds of numbers that all names of a region have. An unknown name has no
// numbers.
std::vector<Covariate> KindsOf(const KnownNames& names, const Region& region) {
  std::vector<Covariate> kinds;
  std::vector<StringId> given = {region.frame.name};
  if (!region.members.empty()) {
    given.clear();
    for (const Member& member : region.members) given.push_back(member.name);
  }
  for (std::size_t k = 0; k < kCovariates; ++k) {
    if (static_cast<Covariate>(k) == Covariate::kIteration) continue;
    const bool all = std::ranges::all_of(given, [&](StringId name) {
      const NameFacts* facts = FactsOf(names, region, name);
      return facts != nullptr && facts->numbers[k].has_value();
    });
    if (all) kinds.push_back(static_cast<Covariate>(k));
  }
  return kinds;
}

// An instance by its launches.
struct Placed {
  std::int64_t start_ns = 0, end_ns = 0;
  double kernel_ns = 0;
  const RegionInstance* instance = nullptr;
};

std::vector<Placed> InOrder(const InstancesOfRegion& region,
                            const SampledLaunches& launches) {
  std::vector<Placed> placed;
  for (const auto& [key, instance] : region.instances) {
    if (instance.query.launches.empty()) continue;
    Placed one{
        .start_ns = INT64_MAX, .end_ns = INT64_MIN, .instance = &instance};
    for (const std::uint32_t l : instance.query.launches) {
      const SampledLaunch& launch = launches.launches[l];
      one.start_ns = std::min(one.start_ns, launch.start_ns);
      one.end_ns = std::max(one.end_ns, launch.end_ns);
      if (launches.kernels[l] != StringId{})
        one.kernel_ns += static_cast<double>(launch.end_ns - launch.start_ns);
    }
    placed.push_back(one);
  }
  std::ranges::stable_sort(placed, {}, &Placed::start_ns);
  return placed;
}

class UnitFinder {
 public:
  UnitFinder(const Profile& profile, const RegionTree& tree,
             const KnownNames& names)
      : profile_(profile), tree_(tree), names_(names) {
    for (std::size_t r = 1; r < tree.regions().size(); ++r) {
      auto kinds = KindsOf(names, tree.regions()[r]);
      if (kinds.empty()) continue;
      regions_.push_back(static_cast<RegionId>(r));
      kinds_.push_back(std::move(kinds));
    }
  }

  bool empty() const { return regions_.empty(); }

  void AddTimes() {
    const LaunchRegions placed(profile_, tree_);
    const SampledLaunches launches = KernelsOf(profile_, placed);
    const RegionInstances all(profile_, tree_, launches, regions_);
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<std::vector<Placed>> instances;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      instances.push_back(InOrder(all.Of(regions_[i]), launches));
      double sum = 0;
      for (const Placed& one : instances[i]) sum += one.kernel_ns;
      order.emplace_back(-sum, i);
    }
    std::ranges::sort(order);
    if (order.size() > kMostRegions) order.resize(kMostRegions);
    std::vector<RegionId> kept;
    std::vector<std::vector<Covariate>> kinds;
    for (const auto& [sum, i] : order) {
      kept.push_back(regions_[i]);
      kinds.push_back(kinds_[i]);
      UnitRows rows{.region = regions_[i], .kinds = kinds_[i]};
      for (const Placed& one : instances[i])
        rows.rows.push_back(RowOf(one, regions_[i], one.kernel_ns));
      found_.push_back(std::move(rows));
    }
    regions_ = std::move(kept);
    kinds_ = std::move(kinds);
  }

  void AddCounters(const SampledDevice& device,
                   std::span<const std::string_view> metrics) {
    if (!device.fit || device.fit->quality().verdict == FitVerdict::kBad)
      return;
    const RegionInstances all(profile_, tree_, device.launches, regions_);
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const InstancesOfRegion& region = all.Of(regions_[i]);
      if (region.unmatched > region.matched / 10) continue;
      const std::vector<Placed> placed = InOrder(region, device.launches);
      std::vector<RegionQuery> queries(1);
      for (const Placed& one : placed) {
        const auto& launches = one.instance->query.launches;
        queries.front().launches.insert(queries.front().launches.end(),
                                        launches.begin(), launches.end());
      }
      const RegionEstimate whole = device.fit->Estimate(queries).front();
      queries.clear();
      for (const Placed& one : placed) queries.push_back(one.instance->query);
      const auto counts = device.fit->PerInstance(queries);
      for (std::size_t m = 0; m < device.metrics.size(); ++m) {
        if (!Has(metrics, device.metrics[m]) ||
            device.fit->quality().metrics[m].verdict == FitVerdict::kBad)
          continue;
        AddCounter(device, i, m, placed, counts, whole.metrics[m]);
      }
    }
  }

  std::vector<UnitRows> Take() { return std::move(found_); }

 private:
  UnitRow RowOf(const Placed& one, RegionId region, double cost) const {
    UnitRow row{.cost = cost};
    const NameFacts* facts =
        FactsOf(names_, tree_[region], one.instance->given);
    for (std::size_t k = 0; facts != nullptr && k < kCovariates; ++k)
      row.numbers[k] = facts->numbers[k].value_or(0);
    return row;
  }

  void AddCounter(const SampledDevice& device, std::size_t i, std::size_t m,
                  const std::vector<Placed>& placed,
                  const std::vector<InstanceCounts>& counts,
                  const CounterEstimate& whole) {
    UnitRows rows{
        .region = regions_[i], .kinds = kinds_[i], .metric = device.metrics[m]};
    if (!whole.total || !(*whole.total > 0)) return;
    rows.systematic = whole.systematic / *whole.total;
    const double least =
        kSamplesOfRow * static_cast<double>(device.samples->interval_ns);
    double length = 0;
    UnitRow sum{.instances = 0};
    for (std::size_t at = 0; at < placed.size(); ++at) {
      if (counts[at].counts.empty() || counts[at].seen < kLeastSeen) continue;
      const UnitRow one = RowOf(placed[at], regions_[i], counts[at].counts[m]);
      sum.instances += 1;
      sum.cost += one.cost;
      for (std::size_t k = 0; k < kCovariates; ++k)
        sum.numbers[k] += one.numbers[k];
      length += static_cast<double>(placed[at].end_ns - placed[at].start_ns);
      if (length < least) continue;
      sum.cost /= sum.instances;
      for (double& number : sum.numbers) number /= sum.instances;
      rows.rows.push_back(sum);
      sum = {.instances = 0};
      length = 0;
    }
    found_.push_back(std::move(rows));
  }

  const Profile& profile_;
  const RegionTree& tree_;
  const KnownNames& names_;
  std::vector<RegionId> regions_{};
  std::vector<std::vector<Covariate>> kinds_{};
  std::vector<UnitRows> found_{};
};

}  // namespace

std::vector<UnitRows> FindUnitRows(const Profile& profile,
                                   const RegionTree& tree,
                                   const KnownNames& names,
                                   const CounterEstimates* estimates,
                                   std::span<const std::string_view> metrics) {
  UnitFinder finder(profile, tree, names);
  if (finder.empty()) return {};
  finder.AddTimes();
  if (estimates != nullptr) {
    for (const SampledDevice& device : estimates->devices())
      finder.AddCounters(device, metrics);
  }
  return finder.Take();
}

}  // namespace rangefinder
