#include "ranks/rank_analysis.h"

#include <array>
#include <utility>

#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"
#include "ranks/joined_regions.h"
#include "ranks/late_parts.h"
#include "ranks/late_ranks.h"
#include "ranks/lateness.h"
#include "ranks/over_ranks.h"
#include "ranks/rank_groups.h"
#include "ranks/rank_notes.h"
#include "ranks/slow_transfers.h"

namespace rangefinder {
namespace {

// Those that cost most are looked at more widely: it takes as long as there are
// regions.
constexpr std::size_t kMostWidened = 32;

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
  // Clocks and communicators stay as they are from here on. The times of one
  // communicator are as large as all its collectives, so they are made twice.
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
