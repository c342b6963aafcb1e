#include "tests/fuzz/conserved.h"

#include <cmath>
#include <unordered_map>
#include <vector>

#include "tests/fuzz/demand.h"

namespace rangefinder::testing {
namespace {

using nlohmann::json;

// Sums in two orders differ by rounding. Beyond the range of a double they may
// differ by any amount.
bool Near(double a, double b, double of) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(of)) return true;
  return std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), of, 1.});
}

void DemandOnePlaceEach(const Profile& profile, const RegionTree& tree) {
  std::vector<char> placed(profile.measurements.size());
  const auto take = [&](MeasurementId id, bool range) {
    Demand(Index(id) < placed.size(), "a place is of a measurement");
    Demand(!placed[Index(id)]++, "a measurement has one place");
    Demand((profile.measurements[Index(id)].kind == MeasurementKind::kRange) ==
               range,
           "kernels and ranges stand apart");
  };
  for (std::size_t i = 0; i < tree.regions().size(); ++i) {
    const Region& region = tree.regions()[i];
    for (const MeasurementId id : region.kernels) take(id, false);
    for (const MeasurementId id : region.ranges) take(id, true);
    for (const RegionId child : region.children) {
      Demand(Index(child) > i && Index(tree[child].parent) == i,
             "a region comes before its inner ones");
    }
  }
  for (const char each : placed)
    Demand(each != 0, "every measurement has a place");
}

// Kernels, and their time where it is known.
struct Sum {
  std::uint64_t kernels = 0;
  double ns = 0;
  double most = 0;  // the largest summand

  void Add(const Amounts& amounts) {
    kernels += amounts.kernel_count;
    ns += amounts.gpu_time_ns;
    most = std::max(most, std::abs(amounts.gpu_time_ns));
  }
  bool Is(const Amounts& amounts) const {
    return kernels == amounts.kernel_count &&
           Near(ns, amounts.gpu_time_ns, most);
  }
};

}  // namespace

void DemandConserved(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup) {
  DemandOnePlaceEach(profile, tree);
  std::uint64_t in_tree = 0;
  for (const Region& region : tree.regions()) {
    for (const MeasurementId id : region.kernels)
      in_tree += LaunchesOf(profile, profile.measurements[Index(id)]);
  }
  std::uint64_t over_scopes = 0;
  for (const ScopeRollup& scope : rollup.scopes) {
    Demand(scope.regions.size() == tree.regions().size(),
           "a scope has all regions");
    Sum own;
    for (std::size_t i = 0; i < scope.regions.size(); ++i) {
      const RegionRollup& region = scope.regions[i];
      own.Add(region.exclusive);
      Sum inclusive;
      inclusive.Add(region.exclusive);
      for (const RegionId child : tree.regions()[i].children)
        inclusive.Add(scope.regions[Index(child)].inclusive);
      Demand(inclusive.Is(region.inclusive), "own + inner = inclusive");
      std::uint64_t calls = 0;
      for (const KernelRow& row : region.kernels) calls += row.calls;
      Demand(calls == region.exclusive.kernel_count,
             "the rows of kernels are all kernels");
    }
    Demand(own.Is(scope.totals), "exclusive values add up to the totals");
    if (scope.scope.aggregate)
      Demand(scope.totals.kernel_count == in_tree, "the aggregate has all");
    else
      over_scopes += scope.totals.kernel_count;
  }
  Demand(over_scopes == in_tree, "processes and devices have all together");
}

void DemandConserved(const json& document) {
  const auto number = [](const json& value) {
    return value.is_number() ? value.get<double>() : 0;
  };
  for (const json& scope : document["scopes"]) {
    std::unordered_map<std::int64_t, std::uint64_t> inside;
    std::uint64_t all = 0;
    double ns = 0, most = 0;
    for (const json& region : scope["regions"]) {
      const auto own = region["exclusive"]["kernel_count"].get<std::uint64_t>();
      all += own;
      ns += number(region["exclusive"]["gpu_time_ns"]);
      most = std::max(most, number(region["exclusive"]["gpu_time_ns"]));
      inside[region["id"]] += own;
      if (region["parent_id"].is_number()) {
        inside[region["parent_id"]] +=
            region["inclusive"]["kernel_count"].get<std::uint64_t>();
      }
    }
    for (const json& region : scope["regions"]) {
      Demand(inside[region["id"]] == region["inclusive"]["kernel_count"],
             "own + inner = inclusive in report.json");
    }
    // The count is null where only ranges were measured.
    Demand(static_cast<double>(all) == number(scope["totals"]["kernel_count"]),
           "report.json has every kernel of its totals");
    // The time is null where it is unknown or beyond the range of a double.
    const json& total = scope["totals"]["gpu_time_ns"];
    Demand(total.is_null() || Near(ns, number(total), most),
           "report.json has all time of its totals");
  }
}

}  // namespace rangefinder::testing
