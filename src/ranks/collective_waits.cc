#include "ranks/collective_waits.h"

#include <algorithm>
#include <cmath>

namespace rangefinder {
CommunicatorTimes::CommunicatorTimes(const Channels& channels,
                                     const HostClocks& clocks,
                                     const Communicator& communicator)
    : members(communicator.members.size()), length(communicator.length) {
  rows.push_back(0);
  members_at.assign(length, 0);
  for (const CommunicatorMember& member : communicator.members) {
    const std::size_t row =
        std::min(length, member.RowSize(channels[member.channel].size()));
    rows.push_back(rows.back() + row);
    if (row > 0) ++members_at[row - 1];
  }
  for (std::size_t k = length; k-- > 1;) members_at[k - 1] += members_at[k];
  start.assign(rows.back(), kNaN);
  end = launch = start;
  at.assign(start.size(), CommunicatorMember::kNone);
  latest.assign(length, kNaN);
  const Channel& first = channels[communicator.members.front().channel];
  for (std::size_t k = 0; k < length; ++k)
    since.push_back(
        clocks.Shared(first.host, channels.InstantOf(first, k).end));
  std::vector<std::size_t> there(length);
  for (std::size_t m = 0; m < members; ++m) {
    const CommunicatorMember& member = communicator.members[m];
    const Channel& channel = channels[member.channel];
    const double shift = clocks.ShiftOf(channel.record);
    for (std::size_t i = 0; i < channel.size(); ++i) {
      const std::uint32_t k = member.NumberOf(i);
      if (k >= length) continue;
      const Instant instant = channels.InstantOf(channel, i);
      const std::size_t place = Index(m, k);
      const auto shared = [&](double ns) {
        return static_cast<float>(clocks.Shared(channel.host, ns) + shift -
                                  since[k]);
      };
      start[place] = shared(instant.start);
      end[place] = shared(instant.end);
      launch[place] = shared(instant.launch);
      at[place] = static_cast<std::uint32_t>(i);
      latest[k] =
          ++there[k] == 1 ? start[place] : std::max(latest[k], start[place]);
    }
  }
  for (std::size_t k = 0; k < length; ++k) {
    if (there[k] < 2) latest[k] = kNaN;
  }
}

float CommunicatorTimes::Waiting(std::size_t member, std::size_t k) const {
  const std::size_t place = Index(member, k);
  return std::clamp(latest[k] - start[place], 0.F, end[place] - start[place]);
}

float CommunicatorTimes::Transfer(std::size_t member, std::size_t k) const {
  const std::size_t place = Index(member, k);
  return end[place] - start[place] - Waiting(member, k);
}

WaitSums::WaitSums(const Ranks& ranks, const Channels& channels)
    : ranks_(ranks), channels_(channels) {
  for (const RankRecord& record : ranks.records) {
    waits_.emplace_back(record.collectives.size(), kNaN);
    sums_.waiting_ns.emplace_back(record.regions.size());
    sums_.transfer_ns.emplace_back(record.regions.size());
  }
}

void WaitSums::Add(const Communicator& communicator,
                   const CommunicatorTimes& times) {
  for (std::size_t m = 0; m < times.members; ++m) {
    const Channel& channel = channels_[communicator.members[m].channel];
    for (std::size_t k = 0; k < times.RowSize(m); ++k) {
      if (!times.IsThere(m, k) || std::isnan(times.latest[k])) continue;
      const std::uint32_t i = times.at[times.Index(m, k)];
      const float waiting = times.Waiting(m, k);
      waits_[channel.record][channel.at[i]] = waiting;
      const std::uint32_t node = channels_.At(channel, i).region;
      const auto add = [&](auto& sums, float ns) {
        std::optional<double>& sum = sums[channel.record][node];
        sum = sum.value_or(0) + static_cast<double>(ns);
      };
      add(sums_.waiting_ns, waiting);
      add(sums_.transfer_ns, times.Transfer(m, k));
    }
  }
}

RegionWaits WaitSums::Finish() {
  for (std::size_t r = 0; r < ranks_.records.size(); ++r) {
    const std::vector<RankTree::Node>& nodes =
        ranks_.trees[ranks_.records[r].tree].nodes;
    for (auto* sums : {&sums_.waiting_ns[r], &sums_.transfer_ns[r]}) {
      for (std::size_t i = std::min(nodes.size(), sums->size()); i-- > 1;) {
        const std::size_t parent = nodes[i].parent;
        if ((*sums)[i] && parent < i)
          (*sums)[parent] = (*sums)[parent].value_or(0) + *(*sums)[i];
      }
    }
  }
  return std::move(sums_);
}

}  // namespace rangefinder
