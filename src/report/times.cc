#include "report/times.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "region/of_process.h"
#include "report/merged_times.h"

namespace rangefinder {
namespace {

// Of `places`, which are into `rows`, those of the scope.
template <typename Row>
std::span<const std::uint32_t> OwnRows(const std::vector<std::uint32_t>& places,
                                       const std::vector<Row>& rows,
                                       const Scope& scope) {
  if (scope.aggregate) return places;
  return OfProcess(places, rows, scope.process);
}

void AddInstances(std::vector<PlacedInstance>& list, const RangeVisits& visits,
                  const std::vector<InstanceTimes>& more, std::uint32_t row,
                  StringId name) {
  for (const InstanceTimes& times : more)
    list.push_back({visits.process, visits.thread, times, row, name});
}

// The largest by `key`, largest first; equal ones by start.
void KeepSlowest(std::vector<PlacedInstance>& list,
                 std::uint64_t InstanceTimes::*key) {
  std::ranges::stable_sort(list, [&](const auto& a, const auto& b) {
    return std::tuple(b.times.*key, a.times.start_ns) <
           std::tuple(a.times.*key, b.times.start_ns);
  });
  if (list.size() > RangeVisits::kSlowest) list.resize(RangeVisits::kSlowest);
}

// Every instance begins a span, but for those that were never closed: of these
// the first ones are known.
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
  AddInstances(times.first, visits, visits.first, row, name);
  AddInstances(times.slowest, visits, visits.slowest, row, name);
  AddInstances(times.slowest_gpu, visits, visits.slowest_gpu, row, name);
}

void AddUse(RegionTimes& times, ProcessId process, const GpuUse& use) {
  AddCounts(times.gpu, use);
  const std::uint64_t span = use.last_ns - use.first_ns;
  times.span_ns += span;
  times.gpu.busy_ns += std::min(use.busy_ns, span);
  for (const StreamUse& stream : use.streams)
    times.streams.push_back({process, use.device, stream});
}

}  // namespace

std::optional<double> RegionTimes::concurrency() const {
  if (gpu.busy_ns == 0) return std::nullopt;
  return static_cast<double>(work_ns()) / static_cast<double>(gpu.busy_ns);
}

std::optional<RegionTimes> TimesOf(const Report& report, const Scope& scope,
                                   RegionId id) {
  const Region& region = (*report.tree)[id];
  std::optional<RegionTimes> times;
  const auto all = [&]() -> RegionTimes& {
    if (!times) times.emplace();
    return *times;
  };
  const Profile& profile = *report.profile;
  for (const std::uint32_t& row :
       OwnRows(region.visits, profile.visits, scope)) {
    const auto place = static_cast<std::size_t>(&row - region.visits.data());
    AddVisits(all(), profile.visits[row], row,
              region.members.empty() ? StringId{} : region.visit_names[place]);
  }
  // In order of first appearance.
  std::vector<std::pair<ProcessId, std::vector<const GpuUse*>>> uses;
  for (const std::uint32_t index : OwnRows(region.uses, profile.uses, scope)) {
    const RegionUse& row = profile.uses[index];
    for (const GpuUse& use : row.gpu) {
      if (!scope.aggregate && use.device != scope.device) continue;
      // A process's are one behind the other.
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
  for (auto& [process, same] : uses)
    AddUse(all(), process, Together(std::move(same)));
  if (!times) return times;
  times->warmup = WarmupOf(profile, region, scope, report.options.warmup);
  std::ranges::stable_sort(times->first, {}, [](const PlacedInstance& one) {
    return one.times.start_ns;
  });
  if (times->first.size() > RangeVisits::kFirst)
    times->first.resize(RangeVisits::kFirst);
  KeepSlowest(times->slowest, &InstanceTimes::cpu_ns);
  KeepSlowest(times->slowest_gpu, &InstanceTimes::gpu_ns);
  for (auto* list : {&times->first, &times->slowest, &times->slowest_gpu})
    NumberInstances(*report.profile, region, *list);
  std::ranges::stable_sort(
      times->streams, std::greater<>(), [](const StreamTimes& stream) {
        return stream.use.kernel_ns + stream.use.copy_ns + stream.use.set_ns;
      });
  return times;
}

bool HasTimes(const Report& report) {
  return !report.profile->visits.empty() || !report.profile->uses.empty();
}

}  // namespace rangefinder
