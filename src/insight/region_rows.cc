#include "insight/region_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/numbers.h"

namespace rangefinder {
namespace {

// Whether any measurement has a duration.
bool IsTimed(const Amounts& amounts) {
  return amounts.without_time < amounts.kernel_count;
}

// Sums over the instances in the mode of the first one: different modes are
// never added.
struct WholeSum {
  std::size_t count = 0;
  std::optional<double> ns{};
};

WholeSum SumOf(const RegionRollup& region) {
  WholeSum sum;
  for (const WholeRow& row : region.measured) {
    if (row.mode != region.measured.front().mode) continue;
    ++sum.count;
    if (row.amounts.without_time == 0)
      sum.ns = sum.ns.value_or(0) + row.amounts.gpu_time_ns;
  }
  return sum;
}

}  // namespace

std::string_view SourceName(TimeSource source) {
  constexpr std::array<std::string_view, 4> kNames = {"", "undisturbed",
                                                      "kernels", "range"};
  return kNames[static_cast<std::size_t>(source)];
}

std::optional<double> ShareOf(double part, double whole) {
  const double share = part / whole;
  if (!(whole > 0) || !std::isfinite(share) || !std::isfinite(whole))
    return std::nullopt;
  return share;
}

RegionRows::RegionRows(const Profile& profile, const RegionTree& tree,
                       const Rollup& rollup, const TracedRun& traced)
    : profile_(profile), tree_(tree), rollup_(rollup), traced_(traced) {
  baseline_only_ = std::ranges::all_of(
      profile.measurements,
      [](const Measurement& m) { return m.mode == ReplayMode::kTrace; });
  gpu_recorded_ =
      profile.processes.empty()
          ? profile.gpu_recorded
          : std::ranges::any_of(profile.processes, &Process::gpu_recorded);
  const UnselectedLaunches unselected{
      {tree, &Region::unselected, profile.measurements},
      {tree, &Region::unselected_traced, profile.traced}};
  for (const ScopeRollup& scope : rollup.scopes)
    sums_.push_back(SumsOf(scope, unselected));
}

OfRegions<RegionRows::Sums> RegionRows::SumsOf(
    const ScopeRollup& scope, const UnselectedLaunches& unselected) const {
  OfRegions<Sums> all(tree_.regions().size(), {});
  std::set<std::size_t> regions = {0};
  unselected.measured.AddRegions(scope.scope, regions);
  unselected.traced.AddRegions(scope.scope, regions);
  for (const auto& [id, rolled] : scope.regions.there()) {
    if (!rolled.measured.empty()) regions.insert(id);
  }
  AddOuter(tree_, regions);
  // Backwards, inner regions come before their outer region.
  for (auto at = regions.rbegin(); at != regions.rend(); ++at) {
    const auto id = static_cast<RegionId>(*at);
    Sums& sums = all[*at];
    sums.unselected += unselected.measured.Of(scope.scope, id).size();
    sums.unselected_traced += unselected.traced.Of(scope.scope, id).size();
    const RegionRollup& rolled = scope.regions[*at];
    sums.wholes.count += rolled.measured.size();
    if (!rolled.measured.empty())
      sums.wholes.outermost_ns = SumOf(rolled).ns.value_or(0);
    if (id == RegionTree::kRoot) break;
    Sums& outer = all[Index(tree_[id].parent)];
    outer.unselected += sums.unselected;
    outer.unselected_traced += sums.unselected_traced;
    outer.wholes.count += sums.wholes.count;
    outer.wholes.outermost_ns += sums.wholes.outermost_ns;
  }
  return all;
}

void RegionRows::AddRegions(const ScopeRollup& scope,
                            std::set<std::size_t>& regions) const {
  for (const auto& [id, rolled] : scope.regions.there()) regions.insert(id);
  for (const auto& [id, sums] : SumsIn(scope).there()) regions.insert(id);
}

const OfRegions<RegionRows::Sums>& RegionRows::SumsIn(
    const ScopeRollup& scope) const {
  return sums_[static_cast<std::size_t>(&scope - rollup_.scopes.data())];
}

std::uint64_t RegionRows::Unselected(const ScopeRollup& scope,
                                     RegionId id) const {
  const Sums& sums = SumsIn(scope)[Index(id)];
  return sums.unselected > 0 ? sums.unselected : sums.unselected_traced;
}

RegionRows::Wholes RegionRows::WholesIn(const ScopeRollup& scope,
                                        RegionId id) const {
  return SumsIn(scope)[Index(id)].wholes;
}

RegionRow RegionRows::Of(const ScopeRollup& scope, RegionId id) const {
  RegionRow row;
  row.unselected = Unselected(scope, id);
  const RegionRollup& rolled = scope.regions[Index(id)];
  if (traced_.there()) TakeTraced(scope, id, row);
  TakeKernels(scope, id, row);
  TakeWhole(rolled, row);
  row.reason = ReasonOf(scope, id, row);
  return row;
}

double RegionRows::TimeNs(const ScopeRollup& scope, RegionId id) const {
  if (traced_.there()) {
    if (const LaunchSum& sum = traced_.Of(scope, id).inclusive; sum.count > 0)
      return sum.ns;
  }
  const RegionRollup& rolled = scope.regions[Index(id)];
  if (rolled.inclusive.kernel_count > 0) return rolled.inclusive.gpu_time_ns;
  return rolled.measured.empty() ? 0 : SumOf(rolled).ns.value_or(0);
}

void RegionRows::TakeTraced(const ScopeRollup& scope, RegionId id,
                            RegionRow& row) const {
  const TracedRegion& region = traced_.Of(scope, id);
  const LaunchSum& all = traced_.Of(scope, RegionTree::kRoot).inclusive;
  // Nothing is known of a scope that the trace did not see, nor of a region
  // that only the measured run has.
  if (all.count == 0 && row.unselected == 0) return;
  if (region.inclusive.count == 0 &&
      scope.regions[Index(id)].inclusive.kernel_count > 0)
    return;
  row.launches = region.inclusive.count;
  row.own_launches = region.exclusive.count;
  if (region.inclusive.count == 0) return;
  row.source = TimeSource::kBaseline;
  row.time_ns = region.inclusive.ns;
  row.own_ns = region.exclusive.ns;
  row.share = ShareOf(region.inclusive.ns, all.ns);
}

bool RegionRows::RecordsGpuOf(RegionId id) const {
  if (id == RegionTree::kRoot)
    return gpu_recorded_ &&
           std::ranges::none_of(profile_.processes, &Process::gpu_is_damaged);
  return gpu_recorded_ &&
         std::ranges::all_of(tree_[id].visits, [&](std::uint32_t row) {
           const Process& process =
               profile_.processes[Index(profile_.visits[row].process)];
           return process.gpu_recorded && !process.gpu_is_damaged;
         });
}

void RegionRows::TakeKernels(const ScopeRollup& scope, RegionId id,
                             RegionRow& row) const {
  const RegionRollup& rolled = scope.regions[Index(id)];
  const Amounts& inclusive = rolled.inclusive;
  if (inclusive.estimated) row.counters = &inclusive;
  if (inclusive.kernel_count == 0) {
    // It is known that there were no launches if the selection leaves out all
    // of them; and, where GPU work was recorded, if a trace has no kernel, or
    // for a whole scope without ranges measured as a whole.
    const bool none = baseline_only_ || (id == RegionTree::kRoot &&
                                         WholesIn(scope, id).count == 0);
    const bool known = row.unselected > 0 || (none && RecordsGpuOf(id));
    if (row.launches || !known) return;
    row.launches = row.own_launches = 0;
    return;
  }
  row.counters = &inclusive;
  if (!baseline_only_) row.measured = inclusive.kernel_count;
  if (IsTimed(inclusive)) row.measured_ns = inclusive.gpu_time_ns;
  if (row.source != TimeSource::kNone) return;
  row.launches = inclusive.kernel_count;
  row.own_launches = rolled.exclusive.kernel_count;
  if (!IsTimed(inclusive)) return;
  row.source = baseline_only_ ? TimeSource::kBaseline : TimeSource::kKernels;
  row.time_ns = inclusive.gpu_time_ns;
  if (IsTimed(rolled.exclusive) || rolled.exclusive.kernel_count == 0)
    row.own_ns = rolled.exclusive.gpu_time_ns;
  row.share = ShareOf(inclusive.gpu_time_ns, scope.totals.gpu_time_ns);
}

void RegionRows::TakeWhole(const RegionRollup& rolled, RegionRow& row) const {
  if (rolled.measured.empty()) return;
  const WholeSum sum = SumOf(rolled);
  row.wholes = sum.count;
  row.whole_ns = sum.ns;
  if (row.counters != nullptr) return;
  row.whole = &rolled.measured.front();
  row.counters = &row.whole->amounts;
  if (row.source != TimeSource::kNone || !sum.ns) return;
  row.source = TimeSource::kRange;
  row.time_ns = sum.ns;
}

std::string RegionRows::ReasonOf(const ScopeRollup& scope, RegionId id,
                                 const RegionRow& row) const {
  if (row.counters != nullptr) {
    if (row.time_ns) return {};
    return "no duration was collected (gpu__time_duration.sum)";
  }
  if (row.unselected > 0 && row.launches.value_or(0) == 0) {
    return row.unselected == 1
               ? std::string("its only kernel is not selected")
               : fmt::format("none of its {} kernels is selected",
                             FormatCount(row.unselected));
  }
  if (row.launches == 0) {
    if (id != RegionTree::kRoot || baseline_only_)
      return "no kernel was launched in it";
    return profile_.measurements.empty() ? "nothing was measured"
                                         : "no measurement is selected";
  }
  if (const std::size_t wholes = WholesIn(scope, id).count; wholes > 0) {
    return fmt::format("not measured itself, but {} inside it as a whole",
                       Plural(wholes, "range", "ranges"));
  }
  if (row.launches) {
    return *row.launches == 1
               ? std::string("not measured: its only launch has no counters")
               : fmt::format(
                     "not measured: none of its {} launches has "
                     "counters",
                     FormatCount(*row.launches));
  }
  return RecordsGpuOf(id) ? "not measured" : "GPU work was not recorded";
}

std::uint64_t ExecutionsIn(std::span<const Execution> executions,
                           const Scope& scope) {
  std::uint64_t count = 0;
  const Execution* last = nullptr;
  if (!scope.aggregate) {
    const auto own = std::ranges::equal_range(executions, scope.process, {},
                                              &Execution::process);
    executions = {own.begin(), own.end()};
  }
  for (const Execution& execution : executions) {
    if (!scope.aggregate && execution.device != scope.device) continue;
    const bool again = last != nullptr && last->process == execution.process &&
                       last->key == execution.key;
    if (!again) ++count;
    last = &execution;
  }
  return count;
}

std::string_view RegionKindName(const Region& region) {
  if (region.unattributed) return "none";
  return region.frame.kind == FrameKind::kPushPop ? "push_pop" : "start_end";
}

std::optional<double> MeasuredNs(const Amounts& amounts, const RegionRow& of) {
  // Without measured kernels, the time is 0 only if it is known that there were
  // no kernels.
  const bool none = amounts.kernel_count == 0 &&
                    (of.launches == 0 || of.measured_ns.has_value());
  if (IsTimed(amounts) || none) return amounts.gpu_time_ns;
  return std::nullopt;
}

}  // namespace rangefinder
