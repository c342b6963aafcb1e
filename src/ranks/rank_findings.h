// The findings of an analysis of ranks, as plain data: the times of regions
// over ranks, late ranks and the reasons, clocks of hosts, groups of ranks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rangefinder {

// A number over ranks: minimum, median and maximum, and the ranks that have
// them.
struct OverRanks {
  std::size_t ranks = 0;  // number of ranks that have the region
  double sum = 0;
  double min = 0, median = 0, max = 0;
  std::size_t min_at = 0, max_at = 0;  // indices into Ranks::records
};

// A region over all ranks that have it; inclusive times in ns.
struct RegionOverRanks {
  std::vector<std::string> path{};  // frames, `domain@name`; empty: the run
  std::size_t parent = 0;           // index; the run's parent is itself
  OverRanks wall{}, compute{}, overlapped{}, exposed{}, copies{}, idle{};
  // Of matched collectives; nothing if there are none.
  std::optional<OverRanks> waiting{}, transfer{};
  // Launches of the rank with the fewest and the most.
  std::uint64_t min_kernels = 0, max_kernels = 0;
};

enum class LateReason : std::uint8_t {
  kCompute,  // its kernels took longer, with equal launches
  kWork,     // it launched more kernels
  kClock,    // its SMs ran slower
  kLaunch,   // its CPU launched kernels later
  kIdle,     // its GPU was idle for other reasons than late launches
  kNetwork,  // no rank came late: the transfer itself took longer
  kUnknown,
};

// A part of a rank's lateness.
struct LatePart {
  LateReason reason = LateReason::kUnknown;
  std::size_t region = 0;  // index into RankAnalysis::regions
  double ns = 0;           // median of instances
  double ratio = 0;        // to the median rank; 0: there is none
  // Of slow transfers only: at most 64 records of the communicator, and the
  // share of its instances that were slow.
  std::vector<std::size_t> records{};
  double share = 1;
  double size_ratio = 0;  // of their messages over the others'; 0: unknown
};

// The rank that the others wait for in a region.
struct LateRank {
  std::size_t region = 0;       // index into RankAnalysis::regions
  std::size_t record = 0;       // index into Ranks::records
  std::uint64_t instances = 0;  // with matched collectives
  std::uint64_t last = 0;       // instances in which this rank came last
  double late_ns = 0;           // after the median rank; median of `last`
  // Largest first. They add up to late_ns: the unexplained rest is kUnknown.
  std::vector<LatePart> parts{};
};

// The clock of a host compared with the clock of the first host.
struct HostClock {
  std::string host{};
  double offset_ns = 0;         // to add to its times
  double residual_ns = 0;       // median distance of ends with the offset
  std::size_t collectives = 0;  // that gave the offset
};

// Ranks with equal trees of regions and similar times.
struct RankGroup {
  std::size_t tree = 0;
  std::vector<std::size_t> records{};  // in order
  std::size_t typical = 0;             // the record with median compute time
};

struct RankAnalysis {
  std::vector<RegionOverRanks> regions{};  // [0] is the run; parents first
  std::vector<LateRank> late{};            // by lost time, largest first
  // Transfers that took long although no rank came late.
  std::vector<LatePart> slow_network{};
  std::vector<HostClock> clocks{};  // empty for a single host
  std::vector<RankGroup> groups{};
  std::vector<std::string> notes{};  // missing ranks, unmatched collectives
  // waiting_ns[record][node of its tree]; nothing without matched collectives.
  std::vector<std::vector<std::optional<double>>> waiting_ns{};
};

}  // namespace rangefinder
