#include "ranks/channels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include "base/lists.h"

namespace rangefinder {
namespace {

bool IsSynchronizing(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kKinds{
      "AllReduce", "AllGather", "ReduceScatter", "AllToAll", "Barrier"};
  return Has(kKinds, kind);
}

}  // namespace

Channels::Channels(const Ranks& ranks) : ranks_(ranks) {
  NumberKinds();
  base_ns_ = ~std::uint64_t{0};
  std::unordered_map<std::string_view, std::size_t> hosts;
  for (std::size_t r = 0; r < ranks.records.size(); ++r) {
    const RankRecord& record = ranks.records[r];
    const auto [host, is_new] = hosts.try_emplace(record.host, hosts_.size());
    if (is_new) hosts_.push_back(record.host);
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::uint32_t i = 0; i < record.collectives.size(); ++i) {
      const Collective& collective = record.collectives[i];
      // A record may come from a damaged file.
      if (collective.kind >= record.kinds.size() ||
          collective.region >= record.regions.size() ||
          collective.end_ns < collective.start_ns)
        continue;
      base_ns_ = std::min(base_ns_, collective.start_ns);
      const auto [place, is_new_channel] =
          places.try_emplace(collective.channel, all_.size());
      if (is_new_channel) all_.push_back({.record = r, .host = host->second});
      Channel& channel = all_[place->second];
      channel.at.push_back(i);
      channel.kinds =
          (channel.kinds ^ (kind_of_[r][collective.kind].number + 1)) *
          0x9E3779B97F4A7C15U;
      channel.kinds ^= channel.kinds >> 29;
    }
  }
}

void Channels::NumberKinds() {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  const auto number_of = [&](std::string_view kind, std::string_view plain) {
    const auto [number, is_new] =
        numbers.try_emplace(kind, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) synchronizes_.push_back(IsSynchronizing(plain));
    return number->second;
  };
  for (const RankRecord& record : ranks_.records) {
    std::vector<Kind>& own = kind_of_.emplace_back();
    for (const std::string_view text : record.kinds) {
      // Kind, communicator and size, divided by blanks.
      const std::string_view plain = text.substr(0, text.find(' '));
      const std::size_t end = text.find(' ', plain.size() + 1);
      Kind kind{.number = number_of(text.substr(0, end), plain)};
      if (end != text.npos)
        std::from_chars(text.data() + end + 1, text.data() + text.size(),
                        kind.bytes);
      own.push_back(kind);
      const std::uint32_t plain_number = number_of(plain, plain);
      plain_.resize(numbers.size());
      plain_[kind.number] = plain_[plain_number] = plain_number;
    }
  }
}

double Channels::Since(std::uint64_t ns) const {
  return ns >= base_ns_ ? static_cast<double>(ns - base_ns_)
                        : -static_cast<double>(base_ns_ - ns);
}

Instant Channels::InstantOf(const Collective& collective) const {
  Instant instant{.start = Since(collective.start_ns),
                  .end = Since(collective.end_ns)};
  if (collective.launch_ns != 0) instant.launch = Since(collective.launch_ns);
  return instant;
}

}  // namespace rangefinder
