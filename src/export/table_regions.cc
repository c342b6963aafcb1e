#include <fmt/format.h>

#include "base/digest.h"
#include "export/table_rows.h"
#include "insight/region_rows.h"
#include "insight/times.h"

namespace rangefinder {
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
  const RegionTimes none{};
  const RegionTimes& of = times ? *times : none;
  const GpuUse& gpu = of.gpu;
  const std::uint64_t instances = InstancesOf(report_, scope.scope, id, times);
  // NULL for a region that no trace saw, or whose GPU work is unknown.
  const auto traced = [&](std::uint64_t value) {
    return OptionalIf(times && times->gpu_known, value);
  };
  const auto closed = [&](std::uint64_t value) {
    return OptionalIf(of.cpu_ns.count() > 0, value);
  };
  regions_.Add(++place_, scope_id, Index(id), OrNull(SourceName(row.source)),
               row.time_ns, row.own_ns, row.share, row.launches,
               row.own_launches, rolled.inclusive.kernel_count,
               MeasuredNs(rolled.inclusive, row), rolled.exclusive.kernel_count,
               MeasuredNs(rolled.exclusive, row), row.wholes,
               row.wholes > 0 ? row.whole_ns : std::nullopt, instances,
               OptionalIf(times.has_value(), of.unclosed), of.start_ns,
               of.end_ns, closed(of.cpu_ns.sum()), closed(of.cpu_ns.min()),
               of.cpu_ns.median(), closed(of.cpu_ns.max()), traced(gpu.busy_ns),
               traced(of.span_ns), traced(of.idle_ns()),
               OptionalIf(gpu.latency_ns.count() > 0, gpu.latency_ns.mean()),
               traced(gpu.copies), traced(gpu.copy_ns), traced(gpu.copy_bytes),
               traced(gpu.sets), traced(gpu.set_ns), OrNull(row.reason));
  digest_ = Sha256(fmt::format(
      "{} {} {} {} {} {} {} {}", digest_, scope_id, ids_.KeyOf(id), instances,
      rolled.inclusive.kernel_count, rolled.inclusive.gpu_time_ns,
      row.time_ns.value_or(-1), of.cpu_ns.sum()));
}

void TableRegions::AddKernels(std::int64_t scope_id, const ScopeRollup& scope,
                              RegionId id) {
  for (const KernelRow& row : scope.regions[Index(id)].all_kernels()) {
    const bool timed = row.amounts.without_time < row.calls;
    std::optional<std::uint64_t> baseline;
    std::optional<double> baseline_ns;
    if (const TracedKernel* traced = report_.traced->Find(scope, id, row)) {
      baseline = traced->traced.count;
      baseline_ns = traced->traced.ns;
    }
    kernels_.Add(scope_id, Index(id), ids_.Kernel(row.name),
                 OptionalIf(row.device >= 0, row.device), row.calls,
                 row.own_calls, OptionalIf(timed, row.total_ns),
                 OptionalIf(timed, row.own_ns), OptionalIf(timed, row.min_ns),
                 OptionalIf(timed, row.max_ns), baseline, baseline_ns);
  }
}

namespace {

// Each instance once, for the first list that contains it.
void AddInstances(const Report& report, RegionId region,
                  const RangeVisits& visits, StringId name, TableRows& rows) {
  const bool recorded =
      report.profile->processes[Index(visits.process)].gpu_recorded;
  std::set<std::uint64_t> seen;
  const auto add = [&](const std::vector<InstanceTimes>& list,
                       std::string_view kept) {
    for (const InstanceTimes& one : list) {
      if (!seen.insert(one.ordinal).second) continue;
      rows.Add(
          Index(region), Index(visits.process), visits.thread,
          report.profile->Name(name), one.ordinal, kept, one.start_ns,
          OptionalIf(one.closed, one.cpu_ns), OptionalIf(recorded, one.gpu_ns),
          OptionalIf(recorded, one.span_ns), OptionalIf(recorded, one.idle_ns));
    }
  };
  add(visits.first, "first");
  add(visits.slowest, "slowest");
  add(visits.slowest_gpu, "slowest_gpu");
}

std::optional<std::string> DimsOrNull(const Dim3& dim) {
  if (dim == Dim3{}) return std::nullopt;
  return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
}

void AddLaunch(const Report& report, std::size_t launch_id, RegionId region,
               const Measurement& m, TableIds& ids, TableRows& rows) {
  // A row of many launches has many streams and threads.
  const bool single = m.folded == 0;
  rows.Add(launch_id, Index(region), ids.Kernel(m.demangled_name),
           Index(m.process), KindName(m.kind), ModeName(m.mode),
           OptionalIf(m.device >= 0, m.device), OptionalIf(single, m.stream),
           OptionalIf(single, m.thread), DimsOrNull(m.grid),
           DimsOrNull(m.block), OptionalIf(m.launch_ns > 0, m.launch_ns),
           OptionalIf(m.start_ns > 0, m.start_ns),
           DurationNs(*report.profile, m), LaunchesOf(*report.profile, m));
}

}  // namespace

void AddInstanceRows(const Report& report, TableFile& file) {
  TableRows rows = file.Into("region_instances");
  const RegionTree& tree = *report.tree;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    const Region& region = tree.regions()[i];
    for (std::size_t v = 0; v < region.visits.size(); ++v) {
      AddInstances(report, static_cast<RegionId>(i),
                   report.profile->visits[region.visits[v]],
                   region.visit_names.empty() ? region.frame.name
                                              : region.visit_names[v],
                   rows);
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
  TableRows rows = file.Into("region_launches");
  for (std::size_t i = 0; i < region_of.size(); ++i) {
    if (region_of[i] == RegionTree::kRoot) continue;  // not selected
    AddLaunch(
        report, i, region_of[i],
        i < measured ? profile.measurements[i] : profile.traced[i - measured],
        ids, rows);
  }
}

}  // namespace rangefinder
