#include "report/merged_times.h"

#include <algorithm>

#include "region/of_process.h"

namespace rangefinder {
namespace {

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

std::uint64_t BusyOf(const GpuUse& use) {
  return std::min(use.busy_ns, use.last_ns - use.first_ns);
}

// How many instances of `row` were opened before `ns`. Of those beyond the
// first only the number is known: they were opened before the next row's.
std::uint64_t OpenedBefore(const RangeVisits& row, std::uint64_t ns) {
  const auto at =
      std::ranges::lower_bound(row.first, ns, {}, &InstanceTimes::start_ns);
  if (at == row.first.end()) return row.instances;
  return static_cast<std::uint64_t>(at - row.first.begin());
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
  // Of rows that overlap, one after the other.
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

void NumberInstances(const Profile& profile, const Region& region,
                     std::vector<PlacedInstance>& list) {
  if (region.visits.size() < 2) return;
  for (PlacedInstance& one : list) {
    for (const std::uint32_t index :
         OfProcess(region.visits, profile.visits, one.process)) {
      const RangeVisits& row = profile.visits[index];
      if (index == one.row || row.thread != one.thread) continue;
      one.times.ordinal += OpenedBefore(row, one.times.start_ns);
    }
  }
}

}  // namespace rangefinder
