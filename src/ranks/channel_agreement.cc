#include "ranks/channel_agreement.h"

#include <algorithm>
#include <cmath>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// The share of compared instances that have to agree.
constexpr double kLeastAgreeing = 0.8;
// The spread of ends is at most this share of the spread of starts, or
// kNoSpreadNs. It is checked from kLeastForSpread instances on.
constexpr double kLeaveTogether = 0.5;
constexpr double kNoSpreadNs = 2e3;
constexpr std::size_t kLeastForSpread = 8;
constexpr double kMostApartNs = 50e3;

// The median of differences, and the median distance from it.
struct Apart {
  double middle = 0;
  double distance = 0;

  explicit Apart(std::vector<double> differences)
      : middle(Median(differences)),
        distance(MedianDistance(differences, middle)) {}
};

// Compares two series; `to_shared` takes times of b's host to the shared clock.
template <typename ToShared>
ChannelAgreement Judge(const HostClocks& clocks, const ChannelSeries& a,
                       const ChannelSeries& b, ToShared to_shared) {
  const std::size_t seen = std::min(a.end.size(), b.end.size());
  std::vector<double> ends, starts, distances;
  for (std::size_t i = 0; i < seen; ++i) {
    ends.push_back(clocks.Shared(a.host, a.end[i]) - to_shared(b.end[i]));
    starts.push_back(clocks.Shared(a.host, a.start[i]) - to_shared(b.start[i]));
    distances.push_back(std::abs(ends.back()));
  }
  ChannelAgreement out;
  if (seen == 0) return out;
  const Apart end(ends), start(starts);
  out.distance_ns = Median(distances);
  // The clocks of processes on one host differ a little as well; many instances
  // reveal it.
  const bool many = seen >= kLeastForSpread;
  const double apart =
      many ? std::clamp(end.middle, -kMostApartNs, kMostApartNs) : 0;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < seen; ++i) {
    const double slack =
        kEndSlackNs + kEndSlackPart * std::min(a.duration[i], b.duration[i]);
    // From the start of one to the end of the other.
    const double a_to_b = a.end[i] - a.start[i] - ends[i] + apart;
    const double b_to_a = b.end[i] - b.start[i] + ends[i] - apart;
    const bool meet = a_to_b >= -kEndSlackNs && b_to_a >= -kEndSlackNs;
    agreeing +=
        std::abs(ends[i] - apart) <= slack && (meet || !a.synchronizes[i]);
  }
  out.may_be_one = static_cast<double>(agreeing) >=
                   kLeastAgreeing * static_cast<double>(seen);
  if (many &&
      end.distance > std::max(kNoSpreadNs, kLeaveTogether * start.distance))
    out.may_be_one = false;
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
