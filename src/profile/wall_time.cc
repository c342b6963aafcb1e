#include "profile/wall_time.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace rangefinder {
namespace {

constexpr std::size_t At(WallPart part) {
  return static_cast<std::size_t>(part);
}

constexpr std::uint64_t kTick = 1'000'000;  // ns; systems have longer ticks

constexpr std::array<std::string_view, kWallTimes> kNames = {
    "kernels",        "rank_wait",    "copies",      "other_gpu_work",
    "page_migration", "profiler",     "loading",     "allocating",
    "synchronising",  "launching",    "other_calls", "host",
    "unknown",        "host_waiting", "host_running"};

}  // namespace

std::string_view NameOf(WallPart part) {
  return kNames[At(part)];
}

std::uint64_t WallTime::total() const {
  return std::accumulate(ns.begin(), ns.begin() + kWallParts, std::uint64_t{0});
}

WallTime& WallTime::operator+=(const WallTime& more) {
  for (std::size_t part = 0; part < kWallTimes; ++part)
    ns[part] += more.ns[part];
  return *this;
}

WallTime& WallTime::operator-=(const WallTime& less) {
  for (std::size_t part = 0; part < kWallTimes; ++part)
    ns[part] -= less.ns[part];
  return *this;
}

CoveredTime::CoveredTime(std::vector<WallInterval> intervals) {
  std::ranges::sort(intervals, {}, &WallInterval::start_ns);
  for (const WallInterval& one : intervals) {
    if (one.end_ns <= one.start_ns) continue;
    if (!parts_.empty() && one.start_ns <= parts_.back().end_ns)
      parts_.back().end_ns = std::max(parts_.back().end_ns, one.end_ns);
    else
      parts_.push_back(one);
  }
  before_.reserve(parts_.size());
  std::uint64_t sum = 0;
  for (const WallInterval& part : parts_) {
    before_.push_back(sum);
    sum += part.end_ns - part.start_ns;
  }
}

std::uint64_t CoveredTime::Until(std::uint64_t ns) const {
  const auto after =
      std::ranges::upper_bound(parts_, ns, {}, &WallInterval::start_ns);
  if (after == parts_.begin()) return 0;
  const auto at = static_cast<std::size_t>(after - parts_.begin()) - 1;
  return before_[at] + std::min(ns, parts_[at].end_ns) - parts_[at].start_ns;
}

void OwnGpuWork::Add(WallPart part, std::uint64_t start_ns,
                     std::uint64_t end_ns) {
  if (end_ns > deferred_until_ns_) {
    deferred_ns_ += end_ns - std::max(start_ns, deferred_until_ns_);
    deferred_until_ns_ = end_ns;
  }
  start_ns = std::max(start_ns, open_ns_);
  end_ns = std::min(end_ns, close_ns_);
  for (std::size_t i = At(part); i < covered_ns_.size(); ++i) {
    const std::uint64_t from = std::max(start_ns, until_ns_[i]);
    if (end_ns <= from) continue;
    covered_ns_[i] += end_ns - from;
    until_ns_[i] = end_ns;
  }
}

void OwnGpuWork::MoveTo(WallTime& time) const {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < covered_ns_.size(); ++i) {
    // Less if the time of inner instances is left out.
    const std::uint64_t part =
        std::min(covered_ns_[i] - before, time[WallPart::kOtherGpuWork]);
    time.ns[i] += part;
    time[WallPart::kOtherGpuWork] -= part;
    before = covered_ns_[i];
  }
}

ProcessWallTimes::ProcessWallTimes(
    std::vector<WallInterval> gpu_work,
    const std::vector<WallInterval>& migrations,
    std::optional<std::map<std::uint64_t, std::vector<WallCall>>> calls,
    std::map<std::uint64_t, std::vector<CpuReading>> cpu_times)
    : calls_known_(calls.has_value()), busy_(gpu_work), migrating_(migrations) {
  gpu_work.insert(gpu_work.end(), migrations.begin(), migrations.end());
  busy_or_migrating_ = CoveredTime(std::move(gpu_work));
  if (!calls) return;
  for (auto& [thread, list] : *calls)
    threads_.emplace(thread, SegmentsOf(std::move(list)));
  for (auto& [thread, readings] : cpu_times)
    cpu_.emplace(thread, CpuOf(thread, std::move(readings)));
}

// Between two readings, the time of kHost and the time in which the thread runs
// overlap by their sum less the whole, at least.
//
// The thread reads its CPU time at an event, unless it did so a short time
// before. So events between two readings follow the first: the thread runs at
// the start of the time, and waits at its end.
ProcessWallTimes::ThreadCpu ProcessWallTimes::CpuOf(
    std::uint64_t thread, std::vector<CpuReading> readings) const {
  std::ranges::sort(readings, {}, &CpuReading::at_ns);
  std::vector<WallInterval> waiting, running;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const auto& [from_ns, from_cpu_ns] = readings[i - 1];
    const auto& [to_ns, to_cpu_ns] = readings[i];
    // Another thread may have the id of one that ended.
    if (to_cpu_ns < from_cpu_ns) continue;
    const std::uint64_t ns = to_ns - from_ns;
    // A clock that counts the system's ticks, as in gVisor: nothing is known.
    if (to_cpu_ns - from_cpu_ns > ns + kTick) return {};
    const std::uint64_t runs = std::min(to_cpu_ns - from_cpu_ns, ns);
    const std::uint64_t host = Between(thread, from_ns, to_ns)[WallPart::kHost];
    if (host > ns - runs)
      running.push_back({from_ns, from_ns + host - (ns - runs)});
    if (host > runs) waiting.push_back({to_ns - (host - runs), to_ns});
  }
  return {CoveredTime(std::move(waiting)), CoveredTime(std::move(running))};
}

ProcessWallTimes::ThreadCalls ProcessWallTimes::SegmentsOf(
    std::vector<WallCall> calls) const {
  struct Edge {
    std::uint64_t ns;
    std::size_t part;
    bool opens;
  };
  std::vector<Edge> edges;
  for (const WallCall& call : calls) {
    if (call.end_ns <= call.start_ns) continue;
    edges.push_back({call.start_ns, At(call.part), true});
    edges.push_back({call.end_ns, At(call.part), false});
  }
  std::ranges::sort(edges, {}, &Edge::ns);
  ThreadCalls segments;
  std::array<std::size_t, kWallParts> open{};
  WallTime sum;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    open[edge.part] += edge.opens ? 1 : std::size_t(-1);
    const std::uint64_t until =
        i + 1 < edges.size() ? edges[i + 1].ns : edge.ns;
    if (until == edge.ns) continue;
    const auto first = std::ranges::find_if(open, std::identity());
    if (first == open.end()) continue;
    const auto part = static_cast<WallPart>(first - open.begin());
    segments.push_back({part, edge.ns, until, sum});
    sum[part] += Free(edge.ns, until);
  }
  return segments;
}

WallTime ProcessWallTimes::CallsUntil(const ThreadCalls& calls,
                                      std::uint64_t ns) const {
  const auto after =
      std::ranges::upper_bound(calls, ns, {}, &Segment::start_ns);
  if (after == calls.begin()) return {};
  const Segment& last = *(after - 1);
  WallTime time = last.before;
  time[last.part] += Free(last.start_ns, std::min(ns, last.end_ns));
  return time;
}

std::uint64_t ProcessWallTimes::Free(std::uint64_t start_ns,
                                     std::uint64_t end_ns) const {
  return end_ns - start_ns -
         (busy_or_migrating_.Until(end_ns) -
          busy_or_migrating_.Until(start_ns));
}

WallTime ProcessWallTimes::GpuBetween(std::uint64_t open_ns,
                                      std::uint64_t close_ns) const {
  WallTime time;
  const std::uint64_t busy = busy_.Until(close_ns) - busy_.Until(open_ns);
  time[WallPart::kOtherGpuWork] = busy;
  time[WallPart::kPageMigration] = busy_or_migrating_.Until(close_ns) -
                                   busy_or_migrating_.Until(open_ns) - busy;
  return time;
}

std::uint64_t ProcessWallTimes::MigratingNs(std::uint64_t open_ns,
                                            std::uint64_t close_ns) const {
  if (close_ns <= open_ns) return 0;
  return migrating_.Until(close_ns) - migrating_.Until(open_ns);
}

WallTime ProcessWallTimes::BetweenThreads(std::uint64_t open_ns,
                                          std::uint64_t close_ns) const {
  if (close_ns <= open_ns) return {};
  WallTime time = GpuBetween(open_ns, close_ns);
  time[WallPart::kUnknown] = close_ns - open_ns - time.total();
  return time;
}

WallTime ProcessWallTimes::Between(std::uint64_t thread, std::uint64_t open_ns,
                                   std::uint64_t close_ns) const {
  if (!calls_known_) return BetweenThreads(open_ns, close_ns);
  if (close_ns <= open_ns) return {};
  WallTime time = GpuBetween(open_ns, close_ns);
  const auto calls = threads_.find(thread);
  if (calls != threads_.end()) {
    time += CallsUntil(calls->second, close_ns);
    time -= CallsUntil(calls->second, open_ns);
  }
  time[WallPart::kHost] = close_ns - open_ns - time.total();
  const auto cpu = cpu_.find(thread);
  if (cpu == cpu_.end()) return time;
  const auto covered = [&](const CoveredTime& of) {
    return std::min(time[WallPart::kHost],
                    of.Until(close_ns) - of.Until(open_ns));
  };
  time[WallPart::kHostWaiting] = covered(cpu->second.waiting);
  time[WallPart::kHostRunning] = covered(cpu->second.running);
  return time;
}

}  // namespace rangefinder
