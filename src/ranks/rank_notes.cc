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

// Names as many as are shown, and counts all.
class NameList {
 public:
  template <typename Name>
  void Add(Name name) {
    if (++count_ > kMostListed) return;
    if (!text_.empty()) text_ += ", ";
    text_ += name();
  }
  // Some more that have no name here.
  void AddUnnamed(std::size_t more) { count_ += more; }

  std::size_t count() const { return count_; }
  std::string text() const {
    if (count_ <= kMostListed) return text_;
    return text_ + fmt::format(" and {} more", count_ - kMostListed);
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

void NoteMissing(const Ranks& ranks, std::vector<std::string>& notes) {
  std::map<std::int64_t, std::size_t> seen;  // how often
  std::int64_t world = 0;
  for (const RankRecord& record : ranks.records) {
    world = std::max<std::int64_t>(world, record.world);
    if (record.rank >= 0) ++seen[record.rank];
  }
  if (seen.empty()) return;
  world = std::max(world, seen.rbegin()->first + 1);
  NameList missing, twice;
  std::int64_t next = 0;
  const auto skip_to = [&](std::int64_t rank) {
    for (; next < rank && missing.count() < kMostListed; ++next)
      missing.Add([&] { return fmt::format("{}", next); });
    missing.AddUnnamed(
        static_cast<std::size_t>(std::max<std::int64_t>(rank - next, 0)));
    next = rank + 1;
  };
  for (const auto& [rank, count] : seen) {
    skip_to(rank);
    if (count > 1)
      twice.Add([&, which = rank] { return fmt::format("rank {}", which); });
  }
  skip_to(world);
  if (missing.count() > 0)
    notes.push_back(fmt::format("{} of {} ranks are not there: {}",
                                missing.count(), world, missing.text()));
  if (twice.count() > 0)
    notes.push_back(
        fmt::format("several processes say to be {}: restarted, or "
                    "of several jobs; each is shown for itself",
                    twice.text()));
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
    NameList names;
    for (const std::size_t r : records)
      names.Add([&] { return NameOf(ranks.records[r]); });
    notes.push_back(fmt::format("{}: {}", names.text(), what));
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
  if (ranks.records.size() < 2) return notes;
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
  std::set<std::size_t> hosts, untied;
  for (const Channel& channel : channels.all()) {
    hosts.insert(channel.host);
    untied.insert(clocks.group(channel.host));
  }
  if (untied.size() > 1)
    notes.push_back(fmt::format(
        "no communicator ties the clocks of all {} hosts: they are {} groups "
        "whose times are not compared",
        hosts.size(), untied.size()));
  NoteCommunicators(ranks, channels, communicators, notes);
  return notes;
}

}  // namespace rangefinder
