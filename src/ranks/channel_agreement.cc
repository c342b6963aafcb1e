#include "ranks/channel_agreement.h"

#include <algorithm>
#include <cmath>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// Of the instances that were looked at.
constexpr double kLeastAgreeing = 0.8;
// How much less ends spread than starts; and what is no spread at all. From so
// many instances on it is judged by that.
constexpr double kLeaveTogether = 0.5;
constexpr double kNoSpreadNs = 2e3;
constexpr std::size_t kLeastForSpread = 8;

// With the times of a's host shared, b's as they come of `to_shared`.
template <typename ToShared>
ChannelAgreement Judge(const HostClocks& clocks, const ChannelSeries& a,
                       const ChannelSeries& b, ToShared to_shared) {
  const std::size_t seen = std::min(a.end.size(), b.end.size());
  std::vector<double> ends, starts, distances;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < seen; ++i) {
    const double a_end = clocks.Shared(a.host, a.end[i]);
    const double b_end = to_shared(b.end[i]);
    const double a_start = clocks.Shared(a.host, a.start[i]);
    const double b_start = to_shared(b.start[i]);
    ends.push_back(a_end - b_end);
    starts.push_back(a_start - b_start);
    distances.push_back(std::abs(ends.back()));
    const double slack =
        kEndSlackNs + kEndSlackPart * std::min(a.duration[i], b.duration[i]);
    const bool meet =
        a_start <= b_end + kEndSlackNs && b_start <= a_end + kEndSlackNs;
    agreeing += distances.back() <= slack && (meet || !a.synchronizes[i]);
  }
  ChannelAgreement out;
  if (seen == 0) return out;
  out.distance_ns = Median(distances);
  out.may_be_one = static_cast<double>(agreeing) >=
                   kLeastAgreeing * static_cast<double>(seen);
  if (!out.may_be_one || seen < kLeastForSpread) return out;
  const double ends_spread = MedianDistance(ends, Median(ends));
  const double starts_spread = MedianDistance(starts, Median(starts));
  out.may_be_one =
      ends_spread <= std::max(kNoSpreadNs, kLeaveTogether * starts_spread);
  return out;
}

}  // namespace

ChannelSeries::ChannelSeries(const Channels& channels, const Channel& channel,
                             std::size_t count)
    : host(channel.host) {
  const std::size_t looked_at = std::min(count, kMostLookedAt);
  for (std::size_t i = 0; i < looked_at; ++i) {
    const std::size_t k = LookedAt(i, looked_at, count);
    const Instant instant = channels.InstantOf(channel, k);
    start.push_back(instant.start);
    end.push_back(instant.end);
    duration.push_back(instant.duration());
    synchronizes.push_back(channels.Synchronizes(channels.KindOf(channel, k)));
  }
}

void ChannelSeries::Add(const ChannelSeries& other) {
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = std::max(start[i], other.start[i]);
    duration[i] = std::min(duration[i], other.duration[i]);
  }
}

ChannelAgreement Agree(const HostClocks& clocks, const ChannelSeries& a,
                       const ChannelSeries& b) {
  return Judge(clocks, a, b,
               [&](double ns) { return clocks.Shared(b.host, ns); });
}

FreeAgreement AgreeWithAnyClock(const HostClocks& clocks,
                                const ChannelSeries& a,
                                const ChannelSeries& b) {
  std::vector<ClockSample> samples;
  for (std::size_t i = 0; i < std::min(a.end.size(), b.end.size()); ++i) {
    samples.push_back(
        {.ns = b.end[i],
         .offset_ns = clocks.Shared(a.host, a.end[i]) - b.end[i]});
  }
  FreeAgreement out;
  out.line = FitClock(std::move(samples));
  out.agreement =
      Judge(clocks, a, b, [&](double ns) { return out.line.At(ns); });
  return out;
}

}  // namespace rangefinder
