#include "ranks/channel_agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// With the times of a's host shared, b's as they come of `to_shared`.
template <typename ToShared>
ChannelAgreement Judge(const Channels& channels, const HostClocks& clocks,
                       const Channel& a, const Channel& b, std::size_t count,
                       ToShared to_shared) {
  ChannelAgreement out;
  out.seen = std::min(count, kMostLookedAt);
  std::vector<double> distances;
  distances.reserve(out.seen);
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < out.seen; ++i) {
    const std::size_t k = LookedAt(i, out.seen, count);
    const Instant x = channels.InstantOf(a, k), y = channels.InstantOf(b, k);
    const double x_end = clocks.Shared(a.host, x.end);
    const double y_end = to_shared(y.end);
    const double distance = std::abs(x_end - y_end);
    distances.push_back(distance);
    const double slack =
        kEndSlackNs + kEndSlackPart * std::min(x.duration(), y.duration());
    const bool meet = x_end - x.duration() <= y_end + kEndSlackNs &&
                      y_end - y.duration() <= x_end + kEndSlackNs;
    agreeing += distance <= slack &&
                (meet || !channels.Synchronizes(channels.KindOf(a, k)));
  }
  if (out.seen == 0) return out;
  out.share = static_cast<double>(agreeing) / static_cast<double>(out.seen);
  out.distance_ns = Median(distances);
  return out;
}

}  // namespace

ChannelAgreement Agree(const Channels& channels, const HostClocks& clocks,
                       const Channel& a, const Channel& b, std::size_t count) {
  return Judge(channels, clocks, a, b, count,
               [&](double ns) { return clocks.Shared(b.host, ns); });
}

FreeAgreement AgreeWithAnyClock(const Channels& channels,
                                const HostClocks& clocks, const Channel& a,
                                const Channel& b, std::size_t count) {
  const std::size_t looked_at = std::min(count, kMostLookedAt);
  std::vector<ClockSample> samples;
  samples.reserve(looked_at);
  for (std::size_t i = 0; i < looked_at; ++i) {
    const std::size_t k = LookedAt(i, looked_at, count);
    const double to = clocks.Shared(a.host, channels.InstantOf(a, k).end);
    const double from = channels.InstantOf(b, k).end;
    samples.push_back({.ns = from, .offset_ns = to - from});
  }
  FreeAgreement out;
  out.line = FitClock(std::move(samples));
  out.agreement = Judge(channels, clocks, a, b, count,
                        [&](double ns) { return out.line.At(ns); });
  return out;
}

}  // namespace rangefinder
