#include <fmt/format.h>

#include "base/digest.h"
#include "export/table_rows.h"
#include "insight/region_rows.h"
#include "insight/times.h"

namespace rangefinder {
namespace {

std::int64_t Id(auto id) {
  return static_cast<std::int64_t>(Index(id));
}

// The columns from a trace; NULL for a region that no trace saw.
struct TimeColumns {
  explicit TimeColumns(const std::optional<RegionTimes>& times) {
    if (!times) return;
    unclosed = times->unclosed;
    start_ns = times->start_ns;
    end_ns = times->end_ns;
    if (times->cpu_ns.count() > 0) {
      cpu_ns = times->cpu_ns.sum();
      cpu_min_ns = times->cpu_ns.min();
      cpu_median_ns = times->cpu_ns.median();
      cpu_max_ns = times->cpu_ns.max();
    }
    const GpuUse& gpu = times->gpu;
    busy_ns = gpu.busy_ns;
    span_ns = times->span_ns;
    idle_ns = times->idle_ns();
    if (gpu.latency_ns.count() > 0) latency_ns = gpu.latency_ns.mean();
    copies = gpu.copies;
    copy_ns = gpu.copy_ns;
    copy_bytes = gpu.copy_bytes;
    sets = gpu.sets;
    set_ns = gpu.set_ns;
  }

  std::optional<std::uint64_t> unclosed{}, start_ns{}, end_ns{};
  std::optional<std::uint64_t> cpu_ns{}, cpu_min_ns{}, cpu_max_ns{};
  std::optional<double> cpu_median_ns{};
  std::optional<std::uint64_t> busy_ns{}, span_ns{}, idle_ns{};
  std::optional<double> latency_ns{};
  std::optional<std::uint64_t> copies{}, copy_ns{}, copy_bytes{};
  std::optional<std::uint64_t> sets{}, set_ns{};
};

std::uint64_t InstancesOf(const Region& region, const Scope& scope,
                          const std::optional<RegionTimes>& times) {
  return times && times->instances > 0 ? times->instances
                                       : ExecutionsIn(region, scope);
}

}  // namespace

TableRegions::TableRegions(const Report& report, TableFile& file, TableIds& ids)
    : report_(report),
      ids_(ids),
      regions_(file.Into("scope_regions")),
      kernels_(file.Into("scope_kernels")) {}

void TableRegions::AddScope(std::int64_t scope_id, const ScopeRollup& scope) {
  for (const RegionId id : ReadingOrder(report_, scope)) {
    AddRegion(scope_id, scope, id);
    AddKernels(scope_id, scope, id);
  }
}

void TableRegions::AddRegion(std::int64_t scope_id, const ScopeRollup& scope,
                             RegionId id) {
  const RegionRow row = report_.rows->Of(scope, id);
  const RegionRollup& rolled = scope.regions[Index(id)];
  const auto times = TimesOf(report_, scope.scope, id);
  const TimeColumns of(times);
  const std::uint64_t instances =
      InstancesOf((*report_.tree)[id], scope.scope, times);
  std::optional<double> range_ns;
  if (row.wholes > 0) range_ns = row.whole_ns;
  regions_.Add(
      ++place_, scope_id, Id(id), OrNull(SourceName(row.source)), row.time_ns,
      row.own_ns, row.share, row.launches, row.own_launches,
      rolled.inclusive.kernel_count, MeasuredNs(rolled.inclusive, row),
      rolled.exclusive.kernel_count, MeasuredNs(rolled.exclusive, row),
      std::uint64_t{row.wholes}, range_ns, instances, of.unclosed, of.start_ns,
      of.end_ns, of.cpu_ns, of.cpu_min_ns, of.cpu_median_ns, of.cpu_max_ns,
      of.busy_ns, of.span_ns, of.idle_ns, of.latency_ns, of.copies, of.copy_ns,
      of.copy_bytes, of.sets, of.set_ns, OrNull(row.reason));
  digest_ = Sha256(fmt::format(
      "{} {} {} {} {} {} {} {}", digest_, scope_id, ids_.KeyOf(id), instances,
      rolled.inclusive.kernel_count, rolled.inclusive.gpu_time_ns,
      row.time_ns.value_or(-1), of.cpu_ns.value_or(0)));
}

void TableRegions::AddKernels(std::int64_t scope_id, const ScopeRollup& scope,
                              RegionId id) {
  for (const KernelRow& row : scope.regions[Index(id)].all_kernels()) {
    const bool timed = row.amounts.without_time < row.calls;
    const auto ns = [&](double value) {
      return timed ? std::optional(value) : std::nullopt;
    };
    std::optional<std::uint64_t> baseline;
    std::optional<double> baseline_ns;
    if (const TracedKernel* traced = report_.traced->Find(scope, id, row)) {
      baseline = traced->traced.count;
      baseline_ns = traced->traced.ns;
    }
    kernels_.Add(scope_id, Id(id), ids_.Kernel(row.name),
                 DeviceOrNull(row.device), row.calls, row.own_calls,
                 ns(row.total_ns), ns(row.own_ns), ns(row.min_ns),
                 ns(row.max_ns), baseline, baseline_ns);
  }
}

namespace {

// Each instance once, for the first list that contains it.
class InstanceRows {
 public:
  InstanceRows(const Report& report, TableFile& file)
      : report_(report), rows_(file.Into("region_instances")) {}

  void Add(RegionId region, const RangeVisits& visits, StringId name) {
    seen_.clear();
    AddList(region, visits, name, visits.first, "first");
    AddList(region, visits, name, visits.slowest, "slowest");
    AddList(region, visits, name, visits.slowest_gpu, "slowest_gpu");
  }

 private:
  void AddList(RegionId region, const RangeVisits& visits, StringId name,
               const std::vector<InstanceTimes>& list, std::string_view kept) {
    for (const InstanceTimes& one : list) {
      if (!seen_.insert(one.ordinal).second) continue;
      std::optional<std::uint64_t> cpu_ns;
      if (one.closed) cpu_ns = one.cpu_ns;
      rows_.Add(Id(region), Id(visits.process), visits.thread,
                report_.profile->Name(name), one.ordinal, kept, one.start_ns,
                cpu_ns, one.gpu_ns, one.span_ns, one.idle_ns);
    }
  }

  const Report& report_;
  TableRows rows_;
  std::set<std::uint64_t> seen_{};
};

std::optional<std::string> DimsOrNull(const Dim3& dim) {
  if (dim == Dim3{}) return std::nullopt;
  return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
}

class LaunchRows {
 public:
  LaunchRows(const Report& report, TableIds& ids, TableFile& file)
      : report_(report), ids_(ids), rows_(file.Into("region_launches")) {}

  void Add(std::size_t launch_id, RegionId region, const Measurement& m) {
    const Profile& profile = *report_.profile;
    const auto when = [](std::uint64_t ns) {
      return ns > 0 ? std::optional(ns) : std::nullopt;
    };
    // A row of many launches has many streams and threads.
    std::optional<std::uint64_t> stream, thread;
    if (m.folded == 0) {
      stream = m.stream;
      thread = m.thread;
    }
    rows_.Add(std::uint64_t{launch_id}, Id(region),
              ids_.Kernel(m.demangled_name), Id(m.process), KindName(m.kind),
              ModeName(m.mode), DeviceOrNull(m.device), stream, thread,
              DimsOrNull(m.grid), DimsOrNull(m.block), when(m.launch_ns),
              when(m.start_ns), DurationNs(profile, m), LaunchesOf(profile, m));
  }

 private:
  const Report& report_;
  TableIds& ids_;
  TableRows rows_;
};

}  // namespace

void AddInstanceRows(const Report& report, TableFile& file) {
  InstanceRows rows(report, file);
  const RegionTree& tree = *report.tree;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    const Region& region = tree.regions()[i];
    for (std::size_t v = 0; v < region.visits.size(); ++v) {
      rows.Add(static_cast<RegionId>(i),
               report.profile->visits[region.visits[v]],
               region.visit_names.empty() ? region.frame.name
                                          : region.visit_names[v]);
    }
  }
}

void AddLaunchRows(const Report& report, TableIds& ids, TableFile& file) {
  const Profile& profile = *report.profile;
  const RegionTree& tree = *report.tree;
  // Measured launches, then those of the baseline run.
  const std::size_t measured = profile.measurements.size();
  std::vector<RegionId> region_of(measured + profile.traced.size());
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    for (const MeasurementId m : tree[id].kernels) region_of[Index(m)] = id;
    for (const MeasurementId m : tree[id].ranges) region_of[Index(m)] = id;
    for (const std::uint32_t t : tree[id].traced) region_of[measured + t] = id;
  }
  LaunchRows rows(report, ids, file);
  for (std::size_t i = 0; i < region_of.size(); ++i) {
    if (region_of[i] == RegionTree::kRoot) continue;  // not selected
    rows.Add(
        i, region_of[i],
        i < measured ? profile.measurements[i] : profile.traced[i - measured]);
  }
}

}  // namespace rangefinder
