// Who is late, and why: the ranks of a job held against each other.
//
// A collective runs on every rank until the last one has come. The instances of
// one are matched over the ranks of its communicator by order and kind; of each
// the time up to the latest start is waiting, the rest is transfer. Method and
// limits: docs/ranks.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/rank_record.h"

namespace rangefinder {

// A number over ranks: least, middle and most, and whose they are.
struct OverRanks {
  std::size_t ranks = 0;  // that have the region
  double sum = 0;
  double min = 0, median = 0, max = 0;
  std::size_t min_at = 0, max_at = 0;  // indices into Ranks::records
};

// One region over all ranks that have it; times in ns, inner regions included.
struct RegionOverRanks {
  std::vector<std::string> path{};  // frames, `domain@name`; empty: the whole
  std::size_t parent = 0;           // index; of [0]: 0
  OverRanks wall{}, compute{}, overlapped{}, exposed{}, copies{}, idle{};
  // Of communication, matched over ranks; nothing where none was matched.
  std::optional<OverRanks> waiting{}, transfer{};
  // Launches of the rank with the fewest and the most.
  std::uint64_t min_kernels = 0, max_kernels = 0;
};

enum class LateReason : std::uint8_t {
  kCompute,  // its kernels took longer, at equal launches
  kWork,     // it launched more
  kClock,    // its SMs ran slower
  kLaunch,   // its kernels came later: the CPU, not the GPU
  kIdle,     // the GPU waited, and not for the CPU's launches alone
  kNetwork,  // no rank came late; the transfer itself is longer
  kUnknown,
};
std::string_view LateReasonName(LateReason reason);  // "compute" "work" …

// A part of what makes a rank late.
struct LatePart {
  LateReason reason = LateReason::kUnknown;
  std::size_t region = 0;  // index into RankAnalysis::regions
  double ns = 0;           // an instance, in the middle
  double ratio = 0;        // to the median rank; 0: has none
  // Of slow transfers: whose communicator it is (at most 64 of them), and in
  // which part of the instances; else nobody's, and all.
  std::vector<std::size_t> records{};
  double share = 1;
};

// The rank that the others wait for in a region.
struct LateRank {
  std::size_t region = 0;         // whose instances these are
  std::size_t record = 0;         // index into Ranks::records
  std::uint64_t instances = 0;    // in which collectives were matched
  std::uint64_t last = 0;         // of them, in which this rank came last
  double late_ns = 0;             // after the median rank, median of those
  std::vector<LatePart> parts{};  // most weighty first; what is left over is
                                  // kUnknown, so that they add up to late_ns
};

// The clock of a host against that of the first one.
struct HostClock {
  std::string host{};
  double offset_ns = 0;         // to be added to its times
  double residual_ns = 0;       // median distance of ends after that
  std::size_t collectives = 0;  // it was found from
};

// Ranks that behave alike: of one tree, and of like times.
struct RankGroup {
  std::size_t tree = 0;
  std::vector<std::size_t> records{};  // in order
  std::size_t typical = 0;             // one of them, in their middle
};

struct RankAnalysis {
  std::vector<RegionOverRanks> regions{};  // [0] is the whole; parents first
  std::vector<LateRank> late{};            // by time lost, most first
  // Transfers that are long although nobody came late: by region.
  std::vector<LatePart> slow_network{};
  std::vector<HostClock> clocks{};  // of several hosts
  std::vector<RankGroup> groups{};
  std::vector<std::string> notes{};  // missing ranks, what did not match
  // waiting_ns[record][node of its tree]; nothing where it had no matched
  // collectives.
  std::vector<std::vector<std::optional<double>>> waiting_ns{};
};

// Linear in the ranks and their collectives. With fewer than two records:
// regions alone.
RankAnalysis AnalyzeRanks(const Ranks& ranks);

}  // namespace rangefinder
