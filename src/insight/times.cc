#include "insight/times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "base/lists.h"
#include "profile/wall_time.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

void AddInstances(std::vector<PlacedInstance>& list, const RangeVisits& visits,
                  const std::vector<InstanceTimes>& more, std::uint32_t row,
                  StringId name) {
  for (const InstanceTimes& times : more)
    list.push_back({visits.process, visits.thread, times, row, name});
}

// Keeps the largest by `key`, largest first; equal ones by start.
void KeepSlowest(std::vector<PlacedInstance>& list,
                 std::uint64_t InstanceTimes::*key) {
  if (list.size() < 2) return;
  std::ranges::stable_sort(list, [&](const auto& a, const auto& b) {
    return std::tuple(b.times.*key, a.times.start_ns) <
           std::tuple(a.times.*key, b.times.start_ns);
  });
  if (list.size() > RangeVisits::kSlowest) list.resize(RangeVisits::kSlowest);
}

// Sets the span from the first instance to the last one that was closed. Of
// instances that were never closed, the first ones are known.
void AddSpan(RegionTimes& times, const RangeVisits& visits) {
  const auto begin = [&](std::uint64_t ns) {
    times.start_ns = std::min(times.start_ns.value_or(ns), ns);
  };
  if (!visits.first.empty()) begin(visits.first.front().start_ns);
  for (const TimeSpan& span : visits.spans) {
    begin(span.start_ns);
    times.end_ns = std::max(times.end_ns.value_or(0), span.end_ns);
  }
}

void AddVisits(RegionTimes& times, const RangeVisits& visits, std::uint32_t row,
               StringId name) {
  times.instances += visits.instances;
  times.unclosed += visits.unclosed;
  AddSpan(times, visits);
  times.cpu_ns.Merge(visits.cpu_ns);
  times.gpu_ns.Merge(visits.gpu_ns);
  times.gpu_span_ns.Merge(visits.gpu_span_ns);
  times.gpu_idle_ns.Merge(visits.gpu_idle_ns);
  times.wall += visits.wall;
  times.deferred_ns += visits.deferred_ns;
  times.migrating_ns += visits.migrating_ns;
  times.launches_beside += visits.launches_beside;
  for (const CallUse& call : visits.calls) AddCallUse(times.calls, call);
  times.foreign.insert(times.foreign.end(), visits.foreign.begin(),
                       visits.foreign.end());
  AddInstances(times.first, visits, visits.first, row, name);
  // In a trace, a single instance is in `first` alone.
  const bool once = visits.instances == 1 && visits.first.size() == 1;
  const bool closed = once && visits.first.front().closed;
  const bool launched = once && visits.first.front().span_ns > 0;
  AddInstances(times.slowest, visits, closed ? visits.first : visits.slowest,
               row, name);
  AddInstances(times.slowest_gpu, visits,
               launched ? visits.first : visits.slowest_gpu, row, name);
}

std::uint64_t BusyOf(const GpuUse& use) {
  return std::min(use.busy_ns, use.last_ns - use.first_ns);
}

void AddUse(RegionTimes& times, ProcessId process, const GpuUse& use) {
  AddCounts(times.gpu, use);
  times.span_ns += use.last_ns - use.first_ns;
  times.gpu.busy_ns += BusyOf(use);
  for (const StreamUse& stream : use.streams)
    times.streams.push_back({process, use.device, stream});
}

void AddStream(std::vector<StreamUse>& streams, const StreamUse& use) {
  for (StreamUse& stream : streams) {
    if (stream.context != use.context || stream.stream != use.stream) continue;
    stream.kernels += use.kernels;
    stream.copies += use.copies;
    stream.sets += use.sets;
    stream.kernel_ns += use.kernel_ns;
    stream.copy_ns += use.copy_ns;
    stream.set_ns += use.set_ns;
    return;
  }
  streams.push_back(use);
}

// Numbers the instances of a region's rows anew: by start, over all rows of a
// thread. A row keeps only its first instances, and the number of the others:
// the others count as opened before the instances of the next row.
class InstanceNumbers {
 public:
  // `rows`: the rows of a region in a scope, indices into Profile::visits.
  InstanceNumbers(const Profile& profile, std::span<const std::uint32_t> rows) {
    if (rows.size() < 2) return;
    for (const std::uint32_t index : rows) {
      const RangeVisits& row = profile.visits[index];
      std::vector<Opened>& opened = threads_[{row.process, row.thread}];
      for (const InstanceTimes& one : row.first)
        opened.push_back({one.start_ns, 1});
      const std::uint64_t last =
          row.first.empty() ? 0 : row.first.back().start_ns;
      opened.push_back({last, row.instances - row.first.size()});
    }
    for (auto& [thread, opened] : threads_) {
      std::ranges::sort(opened, {}, &Opened::start_ns);
      std::uint64_t sum = 0;
      for (Opened& one : opened) one.instances = sum += one.instances;
    }
  }

  // Renumbers an instance that its own row numbers from 0.
  void Number(const Profile& profile, PlacedInstance& one) const {
    const auto thread = threads_.find({one.process, one.thread});
    if (thread == threads_.end()) return;
    const RangeVisits& row = profile.visits[one.row];
    const std::uint64_t start = one.times.start_ns;
    const auto own = std::ranges::lower_bound(row.first, start, {},
                                              &InstanceTimes::start_ns);
    const std::uint64_t own_before =
        own == row.first.end()
            ? row.instances
            : static_cast<std::uint64_t>(own - row.first.begin());
    one.times.ordinal += Before(thread->second, start) - own_before;
  }

 private:
  struct Opened {
    std::uint64_t start_ns = 0;
    std::uint64_t instances = 0;  // including this one
  };

  static std::uint64_t Before(const std::vector<Opened>& opened,
                              std::uint64_t ns) {
    const auto after =
        std::ranges::lower_bound(opened, ns, {}, &Opened::start_ns);
    return after == opened.begin() ? 0 : std::prev(after)->instances;
  }

  std::map<std::pair<ProcessId, std::uint64_t>, std::vector<Opened>> threads_{};
};

// ---- Growth ----

constexpr std::size_t kFewestOfGrowth = 16;
// The last quarter's mean must exceed the first one's by this many standard
// errors: a few long instances are no growth.
constexpr double kErrors = 4;

struct Mean {
  double ns = 0;        // of an instance
  double variance = 0;  // squared standard error
};

Mean MeanOf(std::span<const TimeSpan> spans) {
  double ns = 0, instances = 0;
  for (const TimeSpan& span : spans) {
    ns += static_cast<double>(span.busy_ns);
    instances += static_cast<double>(span.count);
  }
  if (instances <= 0) return {};
  Mean mean{.ns = ns / instances};
  double squares = 0;
  for (const TimeSpan& span : spans) {
    const double distance = static_cast<double>(span.busy_ns) -
                            mean.ns * static_cast<double>(span.count);
    squares += distance * distance;
  }
  // Of a ratio: Cochran, "Sampling Techniques", section 6.4.
  const auto n = static_cast<double>(spans.size());
  mean.variance = squares * n / ((n - 1) * instances * instances);
  return mean;
}

}  // namespace

void AddCounts(GpuUse& sum, const GpuUse& use) {
  sum.kernels += use.kernels;
  sum.copies += use.copies;
  sum.sets += use.sets;
  sum.kernel_ns += use.kernel_ns;
  sum.copy_ns += use.copy_ns;
  sum.set_ns += use.set_ns;
  sum.copy_bytes += use.copy_bytes;
  sum.set_bytes += use.set_bytes;
  sum.latency_ns.Merge(use.latency_ns);
  for (const CopyUse& copies : use.copies_by_kind)
    AddCopies(sum.copies_by_kind, copies);
}

GpuUse Together(std::vector<const GpuUse*> uses) {
  if (uses.size() == 1) return *uses.front();
  GpuUse sum{.device = uses.front()->device};
  for (const GpuUse* use : uses) {
    AddCounts(sum, *use);
    for (const StreamUse& stream : use->streams) AddStream(sum.streams, stream);
  }
  std::ranges::stable_sort(uses, {}, &GpuUse::first_ns);
  sum.first_ns = uses.front()->first_ns;
  // The start and the summed busy time of a group of overlapping rows.
  std::uint64_t begin = sum.first_ns;
  std::uint64_t busy = 0;
  for (const GpuUse* use : uses) {
    if (use->first_ns >= sum.last_ns) {
      sum.busy_ns += std::min(busy, sum.last_ns - std::min(begin, sum.last_ns));
      begin = use->first_ns;
      busy = 0;
    }
    busy += BusyOf(*use);
    sum.last_ns = std::max(sum.last_ns, use->last_ns);
  }
  sum.busy_ns += std::min(busy, sum.last_ns - begin);
  return sum;
}

std::optional<double> RegionTimes::concurrency() const {
  if (gpu.busy_ns == 0) return std::nullopt;
  return static_cast<double>(work_ns()) / static_cast<double>(gpu.busy_ns);
}

std::uint64_t RegionTimes::steady_instances() const {
  const std::uint64_t warm = warmup ? warmup->instances : 0;
  return cpu_ns.count() > warm ? cpu_ns.count() - warm : 0;
}

WallTime RegionTimes::steady_wall() const {
  WallTime steady = wall;
  if (warmup) steady -= warmup->wall;
  return steady;
}

namespace {

// The uses of each process and device, in order of first appearance.
std::vector<std::pair<ProcessId, std::vector<const GpuUse*>>> UsesByDevice(
    const Profile& profile, const Scope& scope,
    std::span<const std::uint32_t> rows) {
  std::vector<std::pair<ProcessId, std::vector<const GpuUse*>>> uses;
  for (const std::uint32_t index : rows) {
    const RegionUse& row = profile.uses[index];
    for (const GpuUse& use : row.gpu) {
      if (!scope.aggregate && use.device != scope.device) continue;
      // The uses of a process are adjacent.
      auto same = uses.rbegin();
      while (same != uses.rend() && same->first == row.process &&
             same->second.front()->device != use.device)
        ++same;
      if (same == uses.rend() || same->first != row.process)
        uses.push_back({row.process, {&use}});
      else
        same->second.push_back(&use);
    }
  }
  return uses;
}

// Whether a scope of one device has instances with work on other devices.
bool SharesInstances(const Profile& profile, const Scope& scope,
                     std::span<const std::uint32_t> uses) {
  return !scope.aggregate &&
         std::ranges::any_of(uses, [&](std::uint32_t index) {
           const std::vector<GpuUse>& all = profile.uses[index].gpu;
           return std::ranges::any_of(all, [&](const GpuUse& use) {
             return use.device != scope.device;
           });
         });
}

void ForgetGpu(RegionTimes& times) {
  times.gpu = {};
  times.span_ns = 0;
  times.streams.clear();
}

// Removes the GPU times of instances: unknown, or of all devices of a process.
void ForgetGpuOfInstances(RegionTimes& times) {
  times.gpu_of_instances = false;
  times.gpu_ns = times.gpu_span_ns = times.gpu_idle_ns = {};
  times.slowest_gpu.clear();
  if (times.warmup) times.warmup->steady_gpu_ns.reset();
}

}  // namespace

std::optional<RegionTimes> TimesOf(const RunView& run, const Scope& scope,
                                   RegionId id) {
  const Region& region = (*run.tree)[id];
  std::optional<RegionTimes> times;
  const auto all = [&]() -> RegionTimes& {
    if (!times) times.emplace();
    return *times;
  };
  const Profile& profile = *run.profile;
  const auto visits = RowsIn(scope, region.visits, profile.visits);
  for (const std::uint32_t& row : visits) {
    const auto place = static_cast<std::size_t>(&row - region.visits.data());
    const Process& process =
        profile.processes[Index(profile.visits[row].process)];
    all().gpu_recorded &= process.gpu_recorded && !process.gpu_is_damaged;
    AddVisits(all(), profile.visits[row], row,
              region.members.empty() ? StringId{} : region.visit_names[place]);
  }
  const auto uses = RowsIn(scope, region.uses, profile.uses);
  // Most regions have one row, with one use of each device.
  if (uses.size() == 1) {
    const RegionUse& row = profile.uses[uses.front()];
    for (const GpuUse& use : row.gpu)
      if (scope.aggregate || use.device == scope.device)
        AddUse(all(), row.process, use);
  } else {
    for (auto& [process, same] : UsesByDevice(profile, scope, uses))
      AddUse(all(), process, Together(std::move(same)));
  }
  if (!times) return times;
  times->gpu_known =
      times->gpu_recorded && std::ranges::none_of(uses, [&](std::uint32_t row) {
        return profile.uses[row].gpu.empty();
      });
  times->warmup = WarmupOf(profile, region, scope, run.warmup);
  times->warmup_known = !MayHideWarmup(profile, region, scope, run.warmup);
  if (!times->gpu_known) ForgetGpu(*times);
  if (!times->gpu_known || SharesInstances(profile, scope, uses))
    ForgetGpuOfInstances(*times);
  std::ranges::stable_sort(times->first, {}, [](const PlacedInstance& one) {
    return one.times.start_ns;
  });
  if (times->first.size() > RangeVisits::kFirst)
    times->first.resize(RangeVisits::kFirst);
  KeepSlowest(times->slowest, &InstanceTimes::cpu_ns);
  KeepSlowest(times->slowest_gpu, &InstanceTimes::gpu_ns);
  const InstanceNumbers numbers(profile, visits);
  for (auto* list : {&times->first, &times->slowest, &times->slowest_gpu}) {
    for (PlacedInstance& one : *list) numbers.Number(profile, one);
  }
  std::ranges::stable_sort(
      times->streams, std::greater<>(), [](const StreamTimes& stream) {
        return stream.use.kernel_ns + stream.use.copy_ns + stream.use.set_ns;
      });
  return times;
}

bool HasTimes(const RunView& run) {
  return !run.profile->visits.empty() || !run.profile->uses.empty();
}

std::uint64_t InstancesOf(const RunView& run, const Scope& scope, RegionId id,
                          const std::optional<RegionTimes>& times) {
  return times && times->instances > 0
             ? times->instances
             : ExecutionsIn((*run.tree)[id].executions, scope);
}

std::optional<Growth> GrowthOf(std::span<const TimeSpan> spans) {
  const std::size_t n = spans.size();
  if (n < kFewestOfGrowth) return std::nullopt;
  std::array<Mean, 4> quarters{};
  for (std::size_t i = 0; i < quarters.size(); ++i)
    quarters[i] = MeanOf(spans.subspan(i * n / 4, (i + 1) * n / 4 - i * n / 4));
  const Mean& first = quarters.front();
  const Mean& last = quarters.back();
  if (first.ns <= 0 || !std::ranges::is_sorted(quarters, {}, &Mean::ns) ||
      last.ns - first.ns <= kErrors * std::sqrt(first.variance + last.variance))
    return std::nullopt;
  double above = 0;
  for (const TimeSpan& span : spans)
    above += static_cast<double>(span.busy_ns) -
             first.ns * static_cast<double>(span.count);
  return Growth{.ratio = last.ns / first.ns, .ns = std::max(0.0, above)};
}

std::vector<double> KernelOverlaps(const RunView& run, const Scope& scope) {
  const std::span<const Region> regions = run.tree->regions();
  const bool is_traced = run.traced && run.traced->there();
  const std::vector<Measurement>& all =
      is_traced ? run.profile->traced : run.profile->measurements;
  // A kernel that is not selected is in no region.
  std::vector<std::optional<RegionId>> region_of(all.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    for (const std::uint32_t index : regions[i].traced)
      if (is_traced) region_of[index] = id;
    for (const MeasurementId kernel : regions[i].kernels)
      if (!is_traced) region_of[Index(kernel)] = id;
  }
  std::map<std::pair<ProcessId, std::int32_t>, std::vector<std::size_t>>
      devices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (scope.Has(all[i]) && all[i].start_ns > 0)
      devices[{all[i].process, all[i].device}].push_back(i);
  }
  std::vector<double> overlaps(regions.size());
  for (auto& [device, kernels] : devices) {
    SortBy(kernels, [&](std::size_t i) { return all[i].start_ns; });
    std::vector<WallInterval> shared;  // by at least two kernels
    std::uint64_t latest = 0;          // end of the kernels before
    for (const std::size_t i : kernels) {
      if (all[i].start_ns < latest)
        shared.push_back({all[i].start_ns, std::min(all[i].end_ns, latest)});
      latest = std::max(latest, all[i].end_ns);
    }
    const CoveredTime overlap(std::move(shared));
    for (const std::size_t i : kernels) {
      if (region_of[i])
        overlaps[Index(*region_of[i])] += static_cast<double>(
            overlap.Until(all[i].end_ns) - overlap.Until(all[i].start_ns));
    }
  }
  for (std::size_t i = regions.size(); i-- > 1;)
    overlaps[Index(regions[i].parent)] += overlaps[i];
  return overlaps;
}

}  // namespace rangefinder
