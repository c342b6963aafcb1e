#include "ranks/rank_analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/median.h"
#include "base/text.h"
#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"
#include "ranks/joined_regions.h"
#include "ranks/late_parts.h"
#include "ranks/late_ranks.h"
#include "ranks/rank_findings.h"

namespace rangefinder {

namespace {

// ---- Numbers over ranks ----------------------------------------------------

// The values of one region over ranks.
class Values {
 public:
  void Add(std::size_t record, double value) {
    if (values_.empty() || value < of_.min) {
      of_.min = value;
      of_.min_at = record;
    }
    if (values_.empty() || value > of_.max) {
      of_.max = value;
      of_.max_at = record;
    }
    of_.sum += value;
    values_.push_back(value);
  }

  void Add(std::size_t record, std::uint64_t value) {
    Add(record, static_cast<double>(value));
  }
  void Add(std::size_t record, const std::optional<double>& value) {
    if (value) Add(record, *value);
  }

  // Returns the values so far, and starts again.
  OverRanks Take() {
    of_.ranks = values_.size();
    of_.median = Median(values_);
    values_.clear();
    return std::exchange(of_, {});
  }

  bool empty() const { return values_.empty(); }

 private:
  OverRanks of_{};
  std::vector<double> values_;
};

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

// The records that have a region, each with the region's node.
Places PlacesOf(const JoinedRegions& regions, std::size_t region) {
  Places places;
  for (const auto& [tree, node] : regions.Nodes(region)) {
    for (const std::size_t record : regions.RecordsOf(tree))
      places.emplace_back(record, node);
  }
  // Records of one tree are sorted already.
  if (regions.Nodes(region).size() > 1) std::ranges::sort(places);
  return places;
}

// ---- Groups ----------------------------------------------------------------

// Times are similar if they differ by less than this share of the larger time,
// or of the rank's whole time.
constexpr double kAlike = 0.05;
constexpr double kAlikeOfAll = 0.01;
// A limit per tree keeps the time linear in ranks. Further ranks join the
// nearest group.
constexpr std::size_t kMostGroups = 32;
constexpr std::size_t kMostRegions = 16;

// Exposed communication of the run, and compute times of the run and of its
// outermost regions.
std::vector<double> TimesOf(const RankRecord& record, const RankTree& tree) {
  const auto number = [](std::uint64_t ns) { return static_cast<double>(ns); };
  std::vector<double> times{number(record.regions[0].exposed_ns)};
  for (std::size_t i = 0; i < record.regions.size(); ++i) {
    if (times.size() > kMostRegions + 1) break;
    if (tree.nodes[i].parent != 0) continue;
    const RankRegion& region = record.regions[i];
    times.push_back(number(region.compute_ns + region.overlapped_ns));
  }
  return times;
}

// At most 1 for similar ranks.
double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  const double all = std::max({a[0] + a[1], b[0] + b[1], 1.0});
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double allowed =
        std::max(kAlike * std::max(a[i], b[i]), kAlikeOfAll * all);
    most = std::max(most, std::abs(a[i] - b[i]) / allowed);
  }
  return most;
}

struct Leader {
  std::size_t group = 0;
  std::vector<double> times{};
};

std::vector<RegionOverRanks> RegionsOverRanks(const Ranks& ranks,
                                              const JoinedRegions& regions,
                                              const RegionWaits& waits) {
  std::vector<RegionOverRanks> out(regions.size());
  Values wall, compute, overlapped, exposed, copies, idle;
  Values waiting, transfer;
  for (std::size_t i = 0; i < out.size(); ++i) {
    RegionOverRanks& region = out[i];
    // Each record is read once per region: all records exceed a CPU cache.
    for (const auto& [record, node] : PlacesOf(regions, i)) {
      const RankRegion& of = ranks.records[record].regions[node];
      // As integers: a double cannot hold every count of a summary.
      region.min_kernels =
          wall.empty() ? of.kernels : std::min(region.min_kernels, of.kernels);
      region.max_kernels = std::max(region.max_kernels, of.kernels);
      wall.Add(record, of.wall_ns);
      compute.Add(record, of.compute_ns);
      overlapped.Add(record, of.overlapped_ns);
      exposed.Add(record, of.exposed_ns);
      copies.Add(record, of.copy_ns);
      idle.Add(record, of.idle_ns);
      waiting.Add(record, waits.waiting_ns[record][node]);
      transfer.Add(record, waits.transfer_ns[record][node]);
    }
    region.path = regions.PathTo(i);
    region.parent = regions.parent(i);
    region.wall = wall.Take();
    region.compute = compute.Take();
    region.overlapped = overlapped.Take();
    region.exposed = exposed.Take();
    region.copies = copies.Take();
    region.idle = idle.Take();
    if (!waiting.empty()) region.waiting = waiting.Take();
    if (!transfer.empty()) region.transfer = transfer.Take();
  }
  return out;
}

// Groups of similar ranks; every rank is in one group. Groups are in the order
// of their first ranks.
std::vector<RankGroup> GroupsOf(const Ranks& ranks) {
  std::vector<RankGroup> groups;
  std::vector<std::vector<Leader>> leaders(ranks.trees.size());
  std::vector<double> compute;
  for (std::size_t r = 0; r < ranks.records.size(); ++r) {
    const RankRecord& record = ranks.records[r];
    std::vector<double> times = TimesOf(record, ranks.trees[record.tree]);
    compute.push_back(times[1]);
    std::vector<Leader>& known = leaders[record.tree];
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Leader& leader : known) {
      const double distance = Distance(leader.times, times);
      if (distance >= least) continue;
      least = distance;
      nearest = leader.group;
      if (distance <= 1) break;
    }
    if (least > 1 && known.size() < kMostGroups) {
      nearest = groups.size();
      known.push_back({nearest, std::move(times)});
      groups.push_back({.tree = record.tree});
    }
    groups[nearest].records.push_back(r);
  }
  for (RankGroup& group : groups) {
    std::vector<std::size_t> sorted = group.records;
    const auto middle =
        sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::ranges::nth_element(sorted, middle, {}, [&](std::size_t r) {
      return std::pair(compute[r], r);
    });
    group.typical = *middle;
  }
  return groups;
}

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
  return kNames[static_cast<std::size_t>(reason)];
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
    // The program's ranges are no reason for the start-up before them.
    finding.late.parts = parts.Of(
        finding, !finding.is_startup && out.late.size() < kMostWidened);
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

std::vector<std::vector<float>> RankWaits(const Ranks& ranks) {
  const Channels channels(ranks);
  HostClocks clocks(channels.hosts().size());
  const auto communicators = FindCommunicators(channels, clocks);
  WaitSums sums(ranks, channels);
  for (const Communicator& one : communicators)
    sums.Add(one, CommunicatorTimes(channels, clocks, one));
  return sums.waits();
}

}  // namespace rangefinder
