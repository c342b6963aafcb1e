#include "ranks/lateness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Takes the middle of each collective off `values`, which are by member and
// collective.
void TakeMiddleOff(const CommunicatorTimes& times, std::vector<float>& values) {
  std::vector<double> column;
  for (std::size_t k = 0; k < times.length; ++k) {
    column.clear();
    const std::size_t members = times.MembersAt(k);
    for (std::size_t m = 0; m < members; ++m) {
      if (!times.IsThere(m, k)) continue;
      const float value = values[times.Index(m, k)];
      if (!std::isnan(value)) column.push_back(static_cast<double>(value));
    }
    const auto middle = static_cast<float>(LowerMedian(column));
    for (std::size_t m = 0; m < members; ++m) {
      if (times.IsThere(m, k)) values[times.Index(m, k)] -= middle;
    }
  }
}

}  // namespace

WaitedSoFar::WaitedSoFar(const Ranks& ranks, const Channels& channels,
                         const CollectiveWaits& waits) {
  std::vector<std::pair<double, double>> ends;
  for (std::size_t r = 0; r < ranks.records.size(); ++r) {
    ends.clear();
    for (std::size_t i = 0; i < waits[r].size(); ++i) {
      if (std::isnan(waits[r][i])) continue;
      ends.emplace_back(channels.InstantOf(ranks.records[r].collectives[i]).end,
                        static_cast<double>(waits[r][i]));
    }
    std::ranges::sort(ends);
    Waited& waited = by_record_.emplace_back();
    double sum = 0;
    for (const auto& [end, wait] : ends) {
      waited.end_ns.push_back(end);
      waited.sum_ns.push_back(sum += wait);
    }
  }
}

double WaitedSoFar::At(std::size_t record, double ns) const {
  const Waited& waited = by_record_[record];
  const auto after = std::ranges::upper_bound(waited.end_ns, ns);
  if (after == waited.end_ns.begin()) return 0;
  return waited
      .sum_ns[static_cast<std::size_t>(after - waited.end_ns.begin() - 1)];
}

Lateness::Lateness(const Channels& channels, const Communicator& communicator,
                   const CommunicatorTimes& times, const WaitedSoFar& waited)
    : start(times.start), launch(times.launch) {
  // What each would have started at, had it not waited for others since the
  // last collective of these.
  std::vector<float> own = times.start;
  for (std::size_t m = 0; m < times.members; ++m) {
    const Channel& channel = channels[communicator.members[m].channel];
    double before = 0;
    for (std::size_t k = 0; k < times.RowSize(m); ++k) {
      if (!times.IsThere(m, k)) continue;
      const std::size_t at = times.Index(m, k);
      if (std::isnan(times.latest[k])) start[at] = own[at] = kNaN;
      const Instant instant = channels.InstantOf(channel, times.at[at]);
      own[at] -=
          static_cast<float>(waited.At(channel.record, instant.start) - before);
      before = waited.At(channel.record, instant.end);
    }
  }
  TakeMiddleOff(times, start);
  TakeMiddleOff(times, own);
  TakeMiddleOff(times, launch);
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = std::min(start[i], own[i]);
    if (!std::isnan(launch[i]))
      launch[i] = std::clamp(launch[i], 0.F, std::max(start[i], 0.F));
  }
}

}  // namespace rangefinder
