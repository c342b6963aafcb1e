#include "ranks/channel_families.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace rangefinder {
namespace {

// A host has few communicators of one kind at a time: as many as GPUs.
constexpr std::size_t kMostCompared = 16;

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
    std::optional<std::pair<ChannelAgreement, std::size_t>> best;
    const std::size_t from =
        parts.size() - std::min(parts.size(), kMostCompared);
    for (std::size_t i = from; i < parts.size(); ++i) {
      const ChannelAgreement agreement = Agree(clocks, parts[i].series, series);
      if (agreement.may_be_one &&
          (!best || agreement.IsBetterThan(best->first)))
        best = {agreement, i};
    }
    if (best) {
      HostPart& part = parts[best->second];
      part.channels.push_back(channel);
      part.series.Add(series);
    } else {
      parts.push_back({.series = std::move(series), .channels = {channel}});
    }
  }
  for (HostPart& part : parts) std::ranges::sort(part.channels);
  return parts;
}

}  // namespace

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

}  // namespace rangefinder
