#include "ranks/rank_analysis.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"
#include "ranks/joined_regions.h"
#include "ranks/late_parts.h"
#include "ranks/late_ranks.h"
#include "ranks/over_ranks.h"
#include "ranks/slow_transfers.h"

namespace rangefinder {
namespace {

// The costliest findings are explained by outer regions too, which takes time
// for each region.
constexpr std::size_t kMostWidened = 32;

// ---- Notes -----------------------------------------------------------------

// Longer lists of ranks are cut.
constexpr std::size_t kMostListed = 8;

std::string NameOf(const RankRecord& record) {
  if (record.rank >= 0) return fmt::format("rank {}", record.rank);
  return fmt::format("process {} on {}", record.pid, Printable(record.host));
}

// Lists the first names, and counts all.
class NameList {
 public:
  template <typename Name>
  void Add(Name name) {
    if (++count_ > kMostListed) return;
    if (!text_.empty()) text_ += ", ";
    text_ += name();
  }
  // Counts more names without listing them.
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
  std::map<std::int64_t, std::size_t> seen;  // processes by rank
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
    notes.push_back(fmt::format("{} of {} ranks are missing: {}",
                                missing.count(), world, missing.text()));
  if (twice.count() > 0)
    notes.push_back(
        fmt::format("several processes have the number of {}: a restart, or "
                    "several jobs; each process is shown as a rank",
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
                       const std::string& text) {
    if (records.empty()) return;
    NameList names;
    for (const std::size_t r : records)
      names.Add([&] { return NameOf(ranks.records[r]); });
    notes.push_back(fmt::format("{}: {}", names.text(), text));
  };
  say(alone, fmt::format("{} communication kernels match no other rank; their "
                         "waiting is not known",
                         unmatched));
  say(cut,
      "fewer collectives than the other ranks of a communicator; the others "
      "are matched without these ranks");
}

// Missing ranks, lost records and unmatched collectives, in sentences.
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
      notes.push_back(fmt::format("{}: {} communication kernels were not kept",
                                  NameOf(record), record.lost_collectives));
  }
  std::set<std::size_t> hosts, untied;
  for (const Channel& channel : channels.all()) {
    hosts.insert(channel.host);
    untied.insert(clocks.group(channel.host));
  }
  if (untied.size() > 1)
    notes.push_back(fmt::format(
        "no communicator spans all {} hosts: their clocks form {} groups, and "
        "times of different groups are not compared",
        hosts.size(), untied.size()));
  NoteCommunicators(ranks, channels, communicators, notes);
  return notes;
}

}  // namespace

std::string_view LateReasonName(LateReason reason) {
  constexpr std::array<std::string_view, 7> kNames{
      "compute", "work", "clock", "launch", "idle", "network", "unknown"};
  const auto at = static_cast<std::size_t>(reason);
  return at < kNames.size() ? kNames[at] : kNames.back();
}

RankAnalysis AnalyzeRanks(const Ranks& ranks) {
  RankAnalysis out;
  const JoinedRegions regions(ranks);
  const Channels channels(ranks);
  HostClocks clocks(channels.hosts().size());
  const std::vector<Communicator> communicators =
      FindCommunicators(channels, clocks);
  // Clocks and communicators do not change from here on. The times of a
  // communicator take much memory, so they are computed twice.
  WaitSums sums(ranks, channels);
  SlowTransfers slow(ranks, channels, regions);
  for (const Communicator& one : communicators) {
    const CommunicatorTimes times(channels, clocks, one);
    sums.Add(one, times);
    slow.Add(one, times);
  }
  RegionWaits waits = sums.Finish();
  const WaitedSoFar waited(ranks, channels, sums.waits());
  LateRanks late(ranks, channels, regions, waited);
  for (const Communicator& one : communicators) {
    if (one.members.size() > 1)
      late.Add(one, CommunicatorTimes(channels, clocks, one));
  }
  LateParts parts(ranks, regions, waits);
  for (LateFinding& finding : late.Take()) {
    finding.late.parts = parts.Of(finding, out.late.size() < kMostWidened);
    out.late.push_back(std::move(finding.late));
  }
  out.regions = RegionsOverRanks(ranks, regions, waits);
  out.slow_network = slow.Take();
  out.clocks = clocks.Describe(channels.hosts());
  out.groups = GroupsOf(ranks);
  out.notes = RankNotes(ranks, channels, clocks, communicators);
  out.waiting_ns = std::move(waits.waiting_ns);
  return out;
}

}  // namespace rangefinder
