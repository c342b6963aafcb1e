#include "ranks/rank_notes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// A list is cut where it grows with the ranks.
constexpr std::size_t kMostListed = 8;

std::string NameOf(const RankRecord& record) {
  if (record.rank >= 0) return fmt::format("rank {}", record.rank);
  return fmt::format("process {} on {}", record.pid, Printable(record.host));
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostListed)
    text += fmt::format(" and {} more", names.size() - kMostListed);
  return text;
}

void NoteMissing(const Ranks& ranks, std::vector<std::string>& notes) {
  std::map<std::int32_t, std::size_t> seen;
  std::int32_t world = 0;
  for (const RankRecord& record : ranks.records) {
    world = std::max(world, record.world);
    if (record.rank >= 0) ++seen[record.rank];
  }
  std::vector<std::string> missing, twice;
  std::size_t gone = 0;
  std::int32_t next = 0;
  const auto until = [&](std::int32_t rank) {
    for (; next < rank; ++next, ++gone) {
      if (missing.size() <= kMostListed)
        missing.push_back(fmt::format("{}", next));
      else {
        gone += static_cast<std::size_t>(rank - next);
        break;
      }
    }
    next = rank + 1;
  };
  for (const auto& [rank, count] : seen) {
    until(rank);
    if (count > 1) twice.push_back(fmt::format("rank {}", rank));
  }
  if (!seen.empty() && world > next) until(world);
  if (gone > 0) {
    const std::size_t listed = std::min(missing.size(), kMostListed);
    missing.resize(listed);
    notes.push_back(fmt::format(
        "{} of {} ranks are not there: {}{}", gone, gone + seen.size(),
        Listed(missing),
        gone > listed ? fmt::format(" and {} more", gone - listed) : ""));
  }
  if (!twice.empty())
    notes.push_back(
        fmt::format("several processes say to be {}: restarted, or "
                    "of several jobs; each is shown for itself",
                    Listed(twice)));
}

void NoteCommunicators(const Ranks& ranks, const Channels& channels,
                       const std::vector<Communicator>& communicators,
                       std::vector<std::string>& notes) {
  std::set<std::size_t> alone, cut;
  std::uint64_t unmatched = 0;
  for (const Communicator& one : communicators) {
    for (const CommunicatorMember& member : one.members) {
      const Channel& channel = channels[member.channel];
      if (one.members.size() == 1) {
        alone.insert(channel.record);
        unmatched += channel.size();
      } else if (channel.size() < one.length || !member.numbers.empty()) {
        cut.insert(channel.record);
      }
    }
  }
  const auto say = [&](const std::set<std::size_t>& records,
                       const std::string& what) {
    if (records.empty()) return;
    std::vector<std::string> names;
    for (const std::size_t r : records) {
      if (names.size() > kMostListed) break;
      names.push_back(NameOf(ranks.records[r]));
    }
    std::string listed = Listed(names);
    if (records.size() > names.size())
      names.resize(kMostListed),
          listed = Listed(names) +
                   fmt::format(" and {} more", records.size() - kMostListed);
    notes.push_back(fmt::format("{}: {}", listed, what));
  };
  say(alone, fmt::format("{} kernels of communication match no other rank's; "
                         "their waiting is not known",
                         unmatched));
  say(cut,
      "fewer collectives than the other ranks of a communicator; the rest of "
      "those is matched without");
}

}  // namespace

std::vector<std::string> RankNotes(
    const Ranks& ranks, const Channels& channels, const HostClocks& clocks,
    const std::vector<Communicator>& communicators) {
  std::vector<std::string> notes;
  NoteMissing(ranks, notes);
  for (const RankRecord& record : ranks.records) {
    for (const std::string& note : record.notes)
      notes.push_back(NameOf(record) + ": " + note);
    if (record.lost_collectives > 0)
      notes.push_back(
          fmt::format("{}: {} kernels of communication were not "
                      "kept",
                      NameOf(record), record.lost_collectives));
  }
  std::set<std::size_t> untied;
  for (std::size_t host = 0; host < channels.hosts().size(); ++host)
    untied.insert(clocks.group(host));
  if (untied.size() > 1)
    notes.push_back(fmt::format(
        "no communicator ties the clocks of all {} hosts: they are {} groups "
        "whose times are not compared",
        channels.hosts().size(), untied.size()));
  NoteCommunicators(ranks, channels, communicators, notes);
  return notes;
}

}  // namespace rangefinder
