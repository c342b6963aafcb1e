#include "report/rows.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "insight/imbalance.h"
#include "insight/times.h"
#include "insight/whole_spread.h"
#include "report/kernel_names.h"
#include "rollup/rollup.h"
#include "rollup/traced.h"

namespace rangefinder {
namespace {

// Rows for single executions of one region.
constexpr std::size_t kMostParts = 3;

std::uint64_t UntimedOf(const RegionRow& row) {
  return row.source == TimeSource::kKernels ? row.counters->without_time : 0;
}

void TakeRow(const RegionRow& from, ReportRow& row) {
  row.time_ns = from.time_ns;
  row.own_ns = from.own_ns;
  row.share = from.share;
  row.launches = from.launches;
  row.own_launches = from.own_launches;
  row.counters = from.counters;
  row.untimed = UntimedOf(from);
  if (from.whole != nullptr) {
    row.mode = ModeName(from.whole->mode);
    row.wholes = from.wholes;
  }
  // A kernel takes longer under replay than in the baseline run.
  if (from.source != TimeSource::kBaseline) return;
  row.measured = from.measured;
  if (from.measured) row.replay_ns = from.counters->gpu_time_ns;
  if (from.whole != nullptr) row.replay_ns = from.whole_ns;
}

std::optional<double> IdleShare(const RegionTimes& times) {
  WallTime wall = times.steady_wall();
  wall[WallPart::kProfiler] = 0;
  if (wall.total() == 0 || !times.gpu_known || !times.warmup_known)
    return std::nullopt;
  std::uint64_t busy = 0;
  for (const WallPart part : {WallPart::kKernels, WallPart::kRankWait,
                              WallPart::kCopies, WallPart::kOtherGpuWork})
    busy += wall[part];
  return 1 - static_cast<double>(busy) / static_cast<double>(wall.total());
}

RowTimes TimesOfRow(const RegionTimes& times) {
  RowTimes row{.idle = IdleShare(times)};
  if (times.cpu_ns.count() > 0) {
    row.wall_ns = times.cpu_ns.sum();
    row.each_ns = times.cpu_ns.mean();
  }
  if (times.gpu_ns.count() > 0) row.gpu_each_ns = times.gpu_ns.mean();
  row.warmup_known = times.warmup_known;
  if (!times.warmup_known) row.each_ns = row.gpu_each_ns = std::nullopt;
  if (times.warmup) {
    row.warmup_ns = times.warmup->program_ns();
    row.each_ns = times.warmup->steady_cpu_ns;
    row.gpu_each_ns = times.warmup->steady_gpu_ns;
  }
  if (times.instances > 0) row.instances = times.instances;
  if (times.span_ns > 0) row.busy_ns = times.gpu.busy_ns;
  return row;
}

ReportRow PartOf(const WholeRow& whole, std::size_t number, std::size_t count) {
  ReportRow row;
  row.name = fmt::format("as a whole ({})", WholeText(whole));
  if (count > 1) row.name += fmt::format(" {} of {}", number, count);
  if (whole.amounts.without_time == 0) row.time_ns = whole.amounts.gpu_time_ns;
  row.counters = &whole.amounts;
  row.mode = ModeName(whole.mode);
  return row;
}

// Ranges are left out if the region's row already shows them, or if they are
// counts that were only used to check estimates.
void AddParts(const RegionRollup& region, bool checked, ReportRow& row) {
  const std::size_t count = region.measured.size();
  if (count == 1 && !row.mode.empty()) return;
  const auto is_count = [](const WholeRow& whole) {
    return whole.mode == ReplayMode::kCounters;
  };
  if (checked && std::ranges::all_of(region.measured, is_count)) return;
  for (std::size_t i = 0; i < std::min(count, kMostParts); ++i)
    row.parts.push_back(PartOf(region.measured[i], i + 1, count));
}

// ---- Regions ----------------------------------------------------------------

void AddRegions(const Report& report, const ScopeRollup& scope,
                ReportRows& table) {
  std::map<RegionId, std::size_t> places;
  std::set<RegionId> checked;
  for (const CountCheck& check : report.options.checks)
    checked.insert(check.region);
  const std::vector<RegionId> order = ReadingOrder(report, scope);
  table.rows.resize(order.size());
  InParallel(order.size(), [&](std::size_t i, std::size_t) {
    const RegionId id = order[i];
    ReportRow& row = table.rows[i];
    row.name = RegionName(report, id);
    row.region = id;
    row.last = (*report.tree)[id].unattributed;
    TakeRow(report.rows->Of(scope, id), row);
    if (const auto times = TimesOf(report, scope.scope, id))
      row.times = TimesOfRow(*times);
    AddParts(scope.regions[Index(id)], checked.contains(id), row);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const RegionId parent = (*report.tree)[order[i]].parent;
    if (const auto outer = places.find(parent); outer != places.end()) {
      table.rows[i].outer = outer->second;
      table.rows[i].depth = table.rows[outer->second].depth + 1;
    }
    places[order[i]] = i;
  }
}

// ---- Names ------------------------------------------------------------------

template <typename Number>
void AddTo(std::optional<Number>& sum, const std::optional<Number>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

bool InsideOfItsName(const RegionTree& tree, RegionId id) {
  const Frame& frame = tree[id].frame;
  for (RegionId at = tree[id].parent; at != RegionTree::kRoot;
       at = tree[at].parent) {
    const Frame& outer = tree[at].frame;
    if (outer.name == frame.name && outer.domain == frame.domain) return true;
  }
  return false;
}

void AddNames(const Report& report, const ScopeRollup& scope,
              ReportRows& table) {
  std::map<std::pair<StringId, StringId>, std::size_t> places;
  for (const RegionId id : ReadingOrder(report, scope)) {
    const Region& region = (*report.tree)[id];
    const std::pair key(region.frame.domain, region.frame.name);
    std::size_t at = table.rows.size();
    if (!region.unattributed) at = places.try_emplace(key, at).first->second;
    if (at == table.rows.size()) {
      table.rows.push_back({.name = RegionName(report, id),
                            .region = id,
                            .last = region.unattributed});
    }
    ReportRow& row = table.rows[at];
    row.regions = row.regions.value_or(0) + 1;
    // A region inside one of the same name is counted there already.
    if (InsideOfItsName(*report.tree, id)) continue;
    const RegionRow more = report.rows->Of(scope, id);
    AddTo(row.time_ns, more.time_ns);
    AddTo(row.share, more.share);
    AddTo(row.launches, more.launches);
    row.untimed += UntimedOf(more);
    if (row.regions == 1) row.counters = more.counters;
  }
  for (const NameRow& several : scope.names) {
    const std::pair key(several.frame.domain, several.frame.name);
    if (const auto at = places.find(key); at != places.end())
      table.rows[at->second].counters = &several.amounts;
  }
  for (ReportRow& row : table.rows) {
    const auto known = [&](const NameRow& name) {
      return row.counters == &name.amounts;
    };
    // Ranges measured as a whole are never combined.
    if (row.regions > 1U && std::ranges::none_of(scope.names, known))
      row.counters = nullptr;
    row.region.reset();
  }
}

// ---- Kernels ----------------------------------------------------------------

struct KernelSum {
  StringId name{};
  LaunchSum measured{};
  LaunchSum traced{};
  std::uint64_t untimed = 0;  // measured ones without a duration
  std::optional<double> min_ns{}, max_ns{};
  std::vector<MeasurementId> measurements{};

  void Add(const KernelRow& row) {
    name = row.name;
    measured.count += row.calls;
    measured.ns += row.total_ns;
    untimed += row.amounts.without_time;
    if (row.calls > row.amounts.without_time) {
      min_ns = std::min(min_ns.value_or(row.min_ns), row.min_ns);
      max_ns = std::max(max_ns.value_or(row.max_ns), row.max_ns);
    }
    measurements.insert(measurements.end(), row.measurements.begin(),
                        row.measurements.end());
  }

  void Add(const TracedKernel& kernel) {
    name = kernel.name;
    traced += kernel.traced;
  }
};

// If there is a baseline run, launches and times are from it.
ReportRow KernelRowOf(const Report& report, const KernelSum& sum, double all_ns,
                      bool traced) {
  ReportRow row{.name = report.kernel_names->Shown(sum.name)};
  const LaunchSum& best = traced ? sum.traced : sum.measured;
  if (best.count > 0) {
    row.launches = best.count;
    row.untimed = traced ? 0 : sum.untimed;
    if (traced || sum.min_ns) {
      row.time_ns = row.own_ns = best.ns;
      row.share = ShareOf(best.ns, all_ns);
    }
  }
  if (!traced) {
    row.min_ns = sum.min_ns;
    row.max_ns = sum.max_ns;
  } else if (sum.measured.count > 0) {
    row.measured = sum.measured.count;
    row.replay_ns = sum.measured.ns;
  }
  return row;
}

bool IsTraced(const Report& report, const RegionRow& whole) {
  return whole.source == TimeSource::kBaseline && report.traced->there();
}

void AddKernels(const Report& report, const ScopeRollup& scope,
                const RollupOptions* rollup, ReportRows& table) {
  const Profile& profile = *report.profile;
  std::map<std::string_view, KernelSum> sums;
  for (std::size_t i = 0; i < scope.regions.size(); ++i) {
    for (const KernelRow& row : scope.regions[i].kernels)
      sums[profile.Name(row.name)].Add(row);
    if (!report.traced->there()) continue;
    for (const TracedKernel& kernel :
         report.traced->Of(scope, static_cast<RegionId>(i)).kernels)
      sums[profile.Name(kernel.name)].Add(kernel);
  }
  const RegionRow whole = report.rows->Of(scope, RegionTree::kRoot);
  std::vector<std::vector<MeasurementId>> groups;
  for (auto& [name, sum] : sums) {
    table.rows.push_back(KernelRowOf(report, sum, whole.time_ns.value_or(0),
                                     IsTraced(report, whole)));
    groups.push_back(std::move(sum.measurements));
  }
  std::vector<Amounts> all;
  if (rollup != nullptr)
    all = AmountsOf(profile, groups, *rollup, report.rollup->columns);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (groups[i].empty()) continue;
    table.amounts.push_back(std::move(all[i]));
    table.rows[i].counters = &table.amounts.back();
  }
  std::ranges::stable_sort(table.rows, std::greater<>(), &ReportRow::time_ns);
}

// ---- Ranks ------------------------------------------------------------------

void AddRanks(const Report& report, ReportRows& table) {
  double sum = 0;
  for (const ScopeRollup& scope : report.rollup->scopes) {
    if (scope.scope.aggregate) continue;
    ReportRow row{.name = ScopeTitle(report, scope.scope)};
    const std::string owner = ScopeOwner(report, scope.scope);
    if (!owner.empty())
      row.name = owner + " (" + ScopeName(report, scope.scope) + ")";
    TakeRow(report.rows->Of(scope, RegionTree::kRoot), row);
    row.own_ns = row.time_ns;
    sum += row.time_ns.value_or(0);
    table.rows.push_back(std::move(row));
  }
  const double mean = sum / static_cast<double>(table.rows.size());
  for (ReportRow& row : table.rows) {
    row.share.reset();
    if (!row.time_ns) continue;
    row.share = ShareOf(*row.time_ns, sum);
    if (row.share) row.to_mean = *row.time_ns / mean;
  }
}

}  // namespace

std::string_view RowWord(TableBy by, std::size_t count) {
  using Words = std::pair<std::string_view, std::string_view>;
  // By TableBy.
  constexpr std::array<Words, 4> kWords = {{{"region", "regions"},
                                            {"name", "names"},
                                            {"kernel", "kernels"},
                                            {"scope", "scopes"}}};
  const auto& [one, several] = kWords[static_cast<std::size_t>(by)];
  return count == 1 ? one : several;
}

ReportRows RowsOf(const Report& report, const ScopeRollup& scope, TableBy by,
                  const RollupOptions* rollup) {
  ReportRows table{.by = by};
  switch (by) {
    case TableBy::kRegion:
      AddRegions(report, scope, table);
      break;
    case TableBy::kName:
      AddNames(report, scope, table);
      break;
    case TableBy::kKernel:
      AddKernels(report, scope, rollup, table);
      break;
    case TableBy::kRank:
      AddRanks(report, table);
      break;
  }
  return table;
}

ReportRow TotalRow(const Report& report, const ScopeRollup& scope) {
  ReportRow row{.name = "Total", .region = RegionTree::kRoot};
  TakeRow(report.rows->Of(scope, RegionTree::kRoot), row);
  // For the whole run, all time is its own.
  row.own_ns = row.time_ns;
  row.own_launches = row.launches;
  return row;
}

ReportRows KernelsOf(const Report& report, const ScopeRollup& scope,
                     RegionId region) {
  ReportRows table{.by = TableBy::kKernel};
  const RegionRollup& rolled = scope.regions[Index(region)];
  const RegionRow whole = report.rows->Of(scope, region);
  const double ns = whole.time_ns.value_or(0);
  const bool two = IsTraced(report, whole);
  std::set<std::pair<StringId, std::int32_t>> measured;
  for (const KernelRow& kernel : rolled.all_kernels()) {
    KernelSum sum;
    sum.Add(kernel);
    const TracedKernel* const traced =
        two ? report.traced->Find(scope, region, kernel) : nullptr;
    if (traced != nullptr) {
      sum.traced = traced->traced;
      measured.emplace(traced->key, traced->device);
    }
    ReportRow row = KernelRowOf(report, sum, ns, two);
    row.counters = &kernel.amounts;
    if (!rolled.kernels_with_inner.empty() && !two) {
      row.own_launches = kernel.own_calls;
      row.own_ns = kernel.own_ns;
    }
    table.rows.push_back(std::move(row));
  }
  if (!two) return table;
  for (const TracedKernel& kernel :
       report.traced->Of(scope, region).all_kernels()) {
    if (measured.contains({kernel.key, kernel.device})) continue;
    KernelSum sum;
    sum.Add(kernel);
    table.rows.push_back(KernelRowOf(report, sum, ns, true));
  }
  std::ranges::stable_sort(table.rows, std::greater<>(), &ReportRow::time_ns);
  return table;
}

}  // namespace rangefinder
