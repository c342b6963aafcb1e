#include "ranks/communicators.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "ranks/channel_agreement.h"
#include "ranks/middle.h"

namespace rangefinder {
namespace {

// A host has few communicators of one kind at a time: as many as GPUs.
constexpr std::size_t kMostCompared = 16;
// A channel may have lost this many collectives for each that it has.
constexpr std::size_t kMostLost = 8;
// Collectives of each communicator that are used for clocks.
constexpr std::size_t kMostForClocks = 256;
// Smaller shifts are within the spread of the ends of a collective.
constexpr double kLeastShiftNs = 2e3;
constexpr std::size_t kLeastForShift = 8;

// ---- Families: channels with the same kinds in the same order --------------

// The channels of a communicator on one host.
struct HostPart {
  ChannelSeries series;
  std::vector<std::size_t> channels{};  // in order
};

struct ChannelFamily {
  std::size_t length = 0;  // collectives of each channel
  std::size_t hosts = 0;
  std::size_t most_on_a_host = 0;  // largest number of parts on a host
  std::vector<HostPart> parts{};   // by host
};

// Divides channels of one host, which have equal kinds, into parts.
std::vector<HostPart> PartsOf(const Channels& channels,
                              const HostClocks& clocks,
                              std::vector<std::size_t> members) {
  const std::size_t length = channels[members.front()].size();
  // Neighbours in time become neighbours in the list.
  std::ranges::stable_sort(members, {}, [&](std::size_t channel) {
    return channels.InstantOf(channels[channel], length / 2).end;
  });
  std::vector<HostPart> parts;
  for (const std::size_t channel : members) {
    ChannelSeries series(channels, channels[channel], length);
    ChannelAgreement best;
    std::size_t best_at = 0;
    const std::size_t from =
        parts.size() - std::min(parts.size(), kMostCompared);
    for (std::size_t i = from; i < parts.size(); ++i) {
      const ChannelAgreement agreement = Agree(clocks, parts[i].series, series);
      if (!agreement.IsBetterThan(best)) continue;
      best = agreement;
      best_at = i;
    }
    if (best.may_be_one) {
      parts[best_at].channels.push_back(channel);
      parts[best_at].series.Add(series);
    } else {
      parts.push_back({.series = std::move(series), .channels = {channel}});
    }
  }
  for (HostPart& part : parts) std::ranges::sort(part.channels);
  return parts;
}

// Families on many hosts with few parts on each come first: they show most
// about the clocks.
std::vector<ChannelFamily> FindFamilies(const Channels& channels,
                                        const HostClocks& clocks) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> numbers;
  std::vector<std::map<std::size_t, std::vector<std::size_t>>> by_host;
  for (std::size_t i = 0; i < channels.all().size(); ++i) {
    const Channel& channel = channels[i];
    const auto [number, is_new] =
        numbers.try_emplace({channel.size(), channel.kinds}, by_host.size());
    if (is_new) by_host.emplace_back();
    by_host[number->second][channel.host].push_back(i);
  }
  std::vector<ChannelFamily> families;
  for (auto& hosts : by_host) {
    ChannelFamily family{.hosts = hosts.size()};
    for (auto& [host, members] : hosts) {
      family.length = channels[members.front()].size();
      std::vector<HostPart> parts =
          PartsOf(channels, clocks, std::move(members));
      family.most_on_a_host = std::max(family.most_on_a_host, parts.size());
      std::ranges::move(parts, std::back_inserter(family.parts));
    }
    families.push_back(std::move(family));
  }
  std::ranges::stable_sort(families, [](const auto& a, const auto& b) {
    return std::tuple(a.hosts < 2, a.most_on_a_host, b.hosts, b.length) <
           std::tuple(b.hosts < 2, b.most_on_a_host, a.hosts, a.length);
  });
  return families;
}

// ---- Clocks and communicators ----------------------------------------------

// Ties the clocks of the hosts of a family by the ends of its collectives.
void TieClocks(const ChannelFamily& family, HostClocks& clocks) {
  // Two ends have one difference, which could agree by chance.
  if (family.hosts < 2 || family.length < 3) return;
  ByNumber by_span;
  for (std::size_t i = 0; i < family.parts.size(); ++i) {
    const ChannelSeries& own = family.parts[i].series;
    const double span = own.end.back() - own.end.front();
    FreeAgreement best;
    std::size_t best_host = 0;
    for (const std::size_t at : Nearest(by_span, span, kMostCompared)) {
      const ChannelSeries& other = family.parts[at].series;
      if (clocks.AreTied(other.host, own.host)) continue;
      const FreeAgreement fit = AgreeWithAnyClock(clocks, other, own);
      if (!fit.agreement.IsBetterThan(best.agreement)) continue;
      best = fit;
      best_host = other.host;
    }
    if (best.agreement.may_be_one) clocks.Tie(best_host, own.host, best.line);
    by_span.emplace(span, i);
  }
}

// Joins the parts of a family into communicators, after its clocks are tied.
void JoinParts(const HostClocks& clocks, const ChannelFamily& family,
               std::vector<Communicator>& out) {
  std::vector<std::vector<const HostPart*>> joined;  // by communicator
  // By group of hosts; in it by the end of the middle collective.
  std::map<std::size_t, ByNumber> by_middle;
  for (const HostPart& part : family.parts) {
    const ChannelSeries& own = part.series;
    const double middle = clocks.Shared(own.host, own.end[own.end.size() / 2]);
    ByNumber& near = by_middle[clocks.group(own.host)];
    ChannelAgreement best;
    std::size_t best_at = 0;
    for (const std::size_t at : Nearest(near, middle, kMostCompared)) {
      // Parts of one host are different communicators: FindFamilies() saw that.
      if (joined[at].back()->series.host == own.host) continue;
      const ChannelAgreement agreement =
          Agree(clocks, joined[at].front()->series, own);
      if (!agreement.IsBetterThan(best)) continue;
      best = agreement;
      best_at = at;
    }
    if (best.may_be_one) {
      joined[best_at].push_back(&part);
    } else {
      near.emplace(middle, joined.size());
      joined.push_back({&part});
    }
  }
  for (const std::vector<const HostPart*>& parts : joined) {
    Communicator& one = out.emplace_back(Communicator{.length = family.length});
    for (const HostPart* part : parts) {
      for (const std::size_t channel : part->channels)
        one.members.push_back({.channel = channel});
    }
    std::ranges::sort(one.members, {}, &CommunicatorMember::channel);
  }
}

// Calls `see(channel, end, middle)` for ends of a communicator's collectives:
// `middle` is the median end over its members. Times are shared.
template <typename See>
void ForEachEnd(const Channels& channels, const Communicator& one,
                const HostClocks& clocks, See see) {
  std::vector<double> ends, sorted;
  const std::size_t seen = std::min(one.length, kMostForClocks);
  for (std::size_t i = 0; i < seen; ++i) {
    const std::size_t k = LookedAt(i, seen, one.length);
    const Channel& first = channels[one.members.front().channel];
    // Only in these collectives do all ranks leave at the same time.
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

// Corrects the clock of every host by the median ends of its communicators, and
// then the clock of every process.
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
  std::vector<std::vector<double>> of_record(channels.records());
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

// Joins a communicator to the longer communicator of which it is the beginning,
// and a single channel to the communicator of which it is any part: the traces
// of their ranks were cut, or lost records.
class IncompleteJoining {
 public:
  IncompleteJoining(const Channels& channels, HostClocks& clocks)
      : channels_(channels),
        clocks_(clocks),
        on_host_(channels.hosts().size()) {}

  std::vector<Communicator> Run(std::vector<Communicator> found) {
    // A cut channel is shorter than the communicator that it belongs to.
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) {
      return a.length > b.length;
    });
    for (Communicator& one : found) {
      if (!JoinsBeginning(one) && !JoinsAnywhere(one)) Keep(std::move(one));
    }
    for (Communicator& one : kept_) {
      std::ranges::stable_sort(
          one.members, std::greater<>(), [&](const auto& member) {
            return member.RowSize(channels_[member.channel].size());
          });
    }
    return std::move(kept_);
  }

 private:
  const Channel& First(const Communicator& one) const {
    return channels_[one.members.front().channel];
  }
  double FirstEnd(const Channel& channel) const {
    return channels_.InstantOf(channel, 0).end;
  }

  void Keep(Communicator one) {
    const std::size_t at = kept_.size();
    const Channel& first = First(one);
    by_first_end_.emplace(clocks_.Shared(first.host, FirstEnd(first)), at);
    for (const CommunicatorMember& member : one.members) {
      std::vector<std::size_t>& here = on_host_[channels_[member.channel].host];
      if (here.empty() || here.back() != at) here.push_back(at);
    }
    kept_.push_back(std::move(one));
  }

  bool AreKindsEqual(const Channel& a, const Channel& b) const {
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (channels_.KindOf(a, i) != channels_.KindOf(b, i)) return false;
    }
    return true;
  }

  // Joins `one` to the beginning of a longer communicator. Candidates are
  // communicators whose first collective ended at nearly the same time.
  bool JoinsBeginning(Communicator& one) {
    const Channel& own = First(one);
    const ChannelSeries series(channels_, own, one.length);
    FreeAgreement best;
    std::size_t best_at = 0;
    for (const std::size_t at :
         Nearest(by_first_end_, clocks_.Shared(own.host, FirstEnd(own)),
                 kMostCompared)) {
      const Channel& other = First(kept_[at]);
      if (kept_[at].length == one.length) continue;
      const ChannelSeries theirs(channels_, other, one.length);
      FreeAgreement fit;
      if (clocks_.AreTied(other.host, own.host)) {
        fit.agreement = Agree(clocks_, theirs, series);
      } else if (one.length >= 3) {
        fit = AgreeWithAnyClock(clocks_, theirs, series);
      }
      if (!fit.agreement.IsBetterThan(best.agreement) ||
          !AreKindsEqual(other, own))
        continue;
      best = fit;
      best_at = at;
    }
    if (!best.agreement.may_be_one) return false;
    Communicator& whole = kept_[best_at];
    clocks_.Tie(First(whole).host, own.host, best.line);
    std::ranges::move(one.members, std::back_inserter(whole.members));
    return true;
  }

  // Joins a single channel to any part of a communicator on its host.
  bool JoinsAnywhere(Communicator& one) {
    if (one.members.size() > 1) return false;
    const Channel& own = First(one);
    std::optional<std::pair<std::size_t, std::size_t>> best;
    std::vector<std::uint32_t> numbers;
    const std::vector<std::size_t>& here = on_host_[own.host];
    for (std::size_t i = 0; i < std::min(here.size(), kMostCompared); ++i) {
      auto [matched, at] = NumbersIn(kept_[here[i]], own);
      if (matched * 5 < own.size() * 4 || (best && matched <= best->first))
        continue;
      best = {matched, here[i]};
      numbers = std::move(at);
    }
    if (!best) return false;
    kept_[best->second].members.push_back(
        {.channel = one.members.front().channel,
         .numbers = std::move(numbers)});
    return true;
  }

  // The numbers in `whole` of the channel's collectives, matched by time and
  // kind, and how many are matched.
  std::pair<std::size_t, std::vector<std::uint32_t>> NumbersIn(
      const Communicator& whole, const Channel& own) const {
    const Channel& all = First(whole);
    std::pair<std::size_t, std::vector<std::uint32_t>> out;
    if (!clocks_.AreTied(all.host, own.host)) return out;
    std::size_t k = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Instant x = channels_.InstantOf(own, i);
      const double end = clocks_.Shared(own.host, x.end);
      std::uint32_t number = CommunicatorMember::kNone;
      for (; k < all.size(); ++k) {
        const Instant y = channels_.InstantOf(all, k);
        const double slack =
            kEndSlackNs + kEndSlackPart * std::min(x.duration(), y.duration());
        const double ahead = clocks_.Shared(all.host, y.end) - end;
        if (ahead < -slack) continue;
        if (ahead <= slack &&
            channels_.KindOf(all, k) == channels_.KindOf(own, i))
          number = static_cast<std::uint32_t>(k++);
        break;
      }
      out.first += number != CommunicatorMember::kNone;
      out.second.push_back(number);
    }
    // A channel that lost nearly all collectives would take as much memory as a
    // whole one.
    if (k > kMostLost * own.size()) out.first = 0;
    return out;
  }

  const Channels& channels_;
  HostClocks& clocks_;
  std::vector<Communicator> kept_;
  ByNumber by_first_end_;
  std::vector<std::vector<std::size_t>> on_host_;
};

}  // namespace

std::vector<Communicator> FindCommunicators(const Channels& channels,
                                            HostClocks& clocks) {
  const std::vector<ChannelFamily> families = FindFamilies(channels, clocks);
  for (const ChannelFamily& family : families) TieClocks(family, clocks);
  std::vector<Communicator> communicators;
  for (const ChannelFamily& family : families)
    JoinParts(clocks, family, communicators);
  CorrectClocks(channels, communicators, clocks);
  return IncompleteJoining(channels, clocks).Run(std::move(communicators));
}

}  // namespace rangefinder
