// Explains why a rank is late: divides its difference to the median rank by
// region and reason.
//
// The differences are between exclusive sums of the ranks' records, per
// instance of the region in which the rank is late. Together they are at most
// its lateness, which the collectives show.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ranks/collective_waits.h"
#include "ranks/joined_regions.h"
#include "ranks/late_ranks.h"
#include "ranks/rank_findings.h"

namespace rangefinder {

// The exclusive times of one rank in a region, per instance.
struct ExclusiveTimes {
  double compute_ns = 0;  // overlapped compute included
  double copy_ns = 0;
  double idle_ns = 0;
  double wall_ns = 0;
  double transfer_ns = 0;  // exposed communication without its waiting
  double kernels = 0;      // without communication kernels
  std::optional<double> sm_clock_hz{};
};

// The medians of some ranks' times, and the median distances from them; the
// distances are 0 for too few ranks.
struct TypicalTimes {
  std::vector<ExclusiveTimes> middle{};
  std::vector<ExclusiveTimes> distance{};
};

class LateParts {
 public:
  LateParts(const Ranks& ranks, const JoinedRegions& regions,
            const RegionWaits& waits)
      : ranks_(ranks), regions_(regions), waits_(waits) {}

  // The parts add up to `finding.late.late_ns`, the largest first. Work before
  // the region may have made the rank late: with `widen`, outer regions are
  // searched if the region itself explains too little.
  std::vector<LatePart> Of(const LateFinding& finding, bool widen);

 private:
  // The times of a record below node `top` of the late rank's tree, per
  // instance of the finding's region, by the nodes of that tree; zero for
  // regions that the record lacks.
  std::vector<ExclusiveTimes> TimesOf(std::size_t record,
                                      const LateFinding& finding,
                                      std::size_t top);
  // The times of the other ranks; if some have an equal tree, of these ranks
  // alone. Empty without other ranks.
  TypicalTimes TypicalOf(const LateFinding& finding, std::size_t top);

  const Ranks& ranks_;
  const JoinedRegions& regions_;
  const RegionWaits& waits_;
  // Collectives by node, by record; filled when needed.
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> collectives_;
};

}  // namespace rangefinder
