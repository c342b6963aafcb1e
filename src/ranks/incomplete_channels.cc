#include "ranks/incomplete_channels.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "ranks/channel_agreement.h"
#include "ranks/nearest.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostCompared = 16;
constexpr std::size_t kMostLost = 8;  // times as many as it has

class Joining {
 public:
  Joining(const Channels& channels, HostClocks& clocks)
      : channels_(channels),
        clocks_(clocks),
        on_host_(channels.hosts().size()) {}

  std::vector<Communicator> Run(std::vector<Communicator> found) {
    // What is cut is shorter than what it is a part of.
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

  // Of all that are longer, those whose first ended nearest to its own.
  bool JoinsBeginning(Communicator& one) {
    const Channel& own = First(one);
    const ChannelSeries series(channels_, own, one.length);
    std::optional<std::pair<FreeAgreement, std::size_t>> best;
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
      if (!fit.agreement.may_be_one ||
          (best && !fit.agreement.IsBetterThan(best->first.agreement)) ||
          !AreKindsEqual(other, own))
        continue;
      best = {fit, at};
    }
    if (!best) return false;
    Communicator& whole = kept_[best->second];
    clocks_.Tie(First(whole).host, own.host, best->first.line);
    std::ranges::move(one.members, std::back_inserter(whole.members));
    return true;
  }

  // One channel among the communicators of its host, which is a handful.
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

  // Which of `whole` each is, by time and kind, and how many are one.
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
    // What has lost nearly all would take as much room as what has all.
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

std::vector<Communicator> JoinIncomplete(const Channels& channels,
                                         std::vector<Communicator> found,
                                         HostClocks& clocks) {
  return Joining(channels, clocks).Run(std::move(found));
}

}  // namespace rangefinder
