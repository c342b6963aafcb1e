#include "ranks/communicators.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "ranks/channel_agreement.h"
#include "ranks/channel_families.h"
#include "ranks/incomplete_channels.h"
#include "ranks/middle.h"
#include "ranks/nearest.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostCompared = 16;
// Of each communicator, for the clocks.
constexpr std::size_t kMostForClocks = 256;
// Less is how ends of one collective differ.
constexpr double kLeastShiftNs = 2e3;
constexpr std::size_t kLeastForShift = 8;

// Ties the hosts of a family as far as its ends do.
class ClockTying {
 public:
  explicit ClockTying(HostClocks& clocks) : clocks_(clocks) {}

  void Run(const ChannelFamily& family) {
    // Of two ends there is one difference, and it may be anything.
    if (family.hosts < 2 || family.length < 3) return;
    ByNumber by_span;
    for (std::size_t i = 0; i < family.parts.size(); ++i) {
      const ChannelSeries& own = family.parts[i].series;
      const double span = own.end.back() - own.end.front();
      TieBest(family, own, Nearest(by_span, span, kMostCompared));
      by_span.emplace(span, i);
    }
  }

 private:
  void TieBest(const ChannelFamily& family, const ChannelSeries& own,
               const std::vector<std::size_t>& candidates) {
    std::optional<std::pair<FreeAgreement, std::size_t>> best;
    for (const std::size_t i : candidates) {
      const ChannelSeries& other = family.parts[i].series;
      if (clocks_.AreTied(other.host, own.host)) continue;
      const FreeAgreement fit = AgreeWithAnyClock(clocks_, other, own);
      if (fit.agreement.may_be_one &&
          (!best || fit.agreement.IsBetterThan(best->first.agreement)))
        best = {fit, other.host};
    }
    if (best) clocks_.Tie(best->second, own.host, best->first.line);
  }

  HostClocks& clocks_;
};

// Joins the parts of a family, whose hosts are tied as far as they can be.
class PartJoining {
 public:
  PartJoining(const HostClocks& clocks, const ChannelFamily& family)
      : clocks_(clocks), family_(family) {}

  void Run(std::vector<Communicator>& out) {
    for (std::size_t i = 0; i < family_.parts.size(); ++i) Place(i);
    for (const std::vector<std::size_t>& parts : joined_) {
      Communicator& one =
          out.emplace_back(Communicator{.length = family_.length});
      for (const std::size_t part : parts) {
        for (const std::size_t channel : family_.parts[part].channels)
          one.members.push_back({.channel = channel});
      }
      std::ranges::sort(one.members, {}, &CommunicatorMember::channel);
    }
  }

 private:
  void Place(std::size_t part) {
    const ChannelSeries& own = family_.parts[part].series;
    const double middle = clocks_.Shared(own.host, own.end[own.end.size() / 2]);
    ByNumber& near = by_middle_[clocks_.group(own.host)];
    std::optional<std::pair<ChannelAgreement, std::size_t>> best;
    for (const std::size_t at : Nearest(near, middle, kMostCompared)) {
      const std::vector<std::size_t>& parts = joined_[at];
      // Two parts of one host were told apart by one clock.
      if (family_.parts[parts.back()].host() == own.host) continue;
      const ChannelAgreement agreement =
          Agree(clocks_, family_.parts[parts.front()].series, own);
      if (agreement.may_be_one &&
          (!best || agreement.IsBetterThan(best->first)))
        best = {agreement, at};
    }
    if (best) {
      joined_[best->second].push_back(part);
    } else {
      near.emplace(middle, joined_.size());
      joined_.push_back({part});
    }
  }

  const HostClocks& clocks_;
  const ChannelFamily& family_;
  std::vector<std::vector<std::size_t>> joined_;  // parts
  // By group of hosts; within by the end of the middle collective.
  std::map<std::size_t, ByNumber> by_middle_;
};

// Calls `see(member, end, middle)` for ends of every communicator and what they
// are in the middle of its members, shared.
template <typename See>
void ForEachEnd(const Channels& channels, const Communicator& one,
                const HostClocks& clocks, See see) {
  std::vector<double> ends, sorted;
  const std::size_t seen = std::min(one.length, kMostForClocks);
  for (std::size_t i = 0; i < seen; ++i) {
    const std::size_t k = LookedAt(i, seen, one.length);
    const Channel& first = channels[one.members.front().channel];
    // Others leave when they like.
    if (!channels.Synchronizes(channels.KindOf(first, k))) continue;
    ends.clear();
    for (const CommunicatorMember& member : one.members) {
      const Channel& channel = channels[member.channel];
      ends.push_back(
          clocks.Shared(channel.host, channels.InstantOf(channel, k).end));
    }
    sorted = ends;
    const double middle = Median(sorted);
    for (std::size_t m = 0; m < ends.size(); ++m)
      see(channels[one.members[m].channel], ends[m], middle);
  }
}

// Puts every host right by the middle of all ends of its communicators, and
// then every process.
void CorrectClocks(const Channels& channels,
                   const std::vector<Communicator>& communicators,
                   HostClocks& clocks) {
  std::vector<std::vector<ClockSample>> of_host(channels.hosts().size());
  for (const Communicator& one : communicators) {
    const auto host = [&](const CommunicatorMember& member) {
      return channels[member.channel].host;
    };
    if (std::ranges::all_of(one.members, [&](const CommunicatorMember& member) {
          return host(member) == host(one.members.front());
        }))
      continue;
    ForEachEnd(channels, one, clocks,
               [&](const Channel& channel, double end, double middle) {
                 of_host[channel.host].push_back(
                     {.ns = end, .offset_ns = middle - end});
               });
  }
  for (std::size_t host = 0; host < of_host.size(); ++host)
    clocks.Correct(host, of_host[host]);
  std::vector<std::vector<double>> of_record(channels.host_of().size());
  for (const Communicator& one : communicators) {
    if (one.members.size() < 2) continue;
    ForEachEnd(channels, one, clocks,
               [&](const Channel& channel, double end, double middle) {
                 of_record[channel.record].push_back(middle - end);
               });
  }
  std::vector<double> shifts;
  for (std::vector<double>& samples : of_record) {
    const double shift = Median(samples);
    const bool is_seen =
        samples.size() >= kLeastForShift && std::abs(shift) >= kLeastShiftNs;
    shifts.push_back(is_seen ? shift : 0);
  }
  clocks.SetShifts(std::move(shifts));
}

}  // namespace

std::vector<Communicator> FindCommunicators(const Channels& channels,
                                            HostClocks& clocks) {
  const std::vector<ChannelFamily> families = FindFamilies(channels, clocks);
  ClockTying tying(clocks);
  for (const ChannelFamily& family : families) tying.Run(family);
  std::vector<Communicator> communicators;
  for (const ChannelFamily& family : families)
    PartJoining(clocks, family).Run(communicators);
  CorrectClocks(channels, communicators, clocks);
  return JoinIncomplete(channels, std::move(communicators), clocks);
}

}  // namespace rangefinder
