// Finds the rank that the others wait for, in every region.
//
// A rank's lateness in a collective is its start after the median rank's start,
// without the time that it waited in other communicators meanwhile: a third
// rank is the reason for that time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"
#include "ranks/joined_regions.h"
#include "ranks/rank_findings.h"

namespace rangefinder {

// The time that each rank had waited up to any moment, in all its
// communicators.
class WaitedSoFar {
 public:
  WaitedSoFar(const Ranks& ranks, const Channels& channels,
              const CollectiveWaits& waits);

  // In collectives that had ended by `ns`, a time of the record's host.
  double At(std::size_t record, double ns) const;

 private:
  struct Waited {
    std::vector<double> end_ns{};
    std::vector<double> sum_ns{};
  };
  std::vector<Waited> by_record_;
};

// A late rank, with numbers that explain it.
struct LateFinding {
  LateRank late{};  // without its parts
  // Over all instances; `late.late_ns` covers those in which it came last.
  double mean_late_ns = 0;
  // Median lateness of the launch calls in instances in which it came last;
  // nothing: not known.
  std::optional<double> launch_late_ns{};
  std::vector<std::size_t> records{};  // some records of the communicator
  // In no range of the program, though other findings are in its ranges.
  bool is_startup = false;
  // Instances are single collectives, not instances of the region.
  bool by_collective = false;
  // How many collectives the late rank and `records` ran, matched or not: in a
  // window, one rank may have run more than another.
  std::map<std::size_t, std::size_t> collectives{};

  double lost_ns() const {
    return late.late_ns * static_cast<double>(late.last);
  }
};

class LateRanks {
 public:
  LateRanks(const Ranks& ranks, const Channels& channels,
            const JoinedRegions& regions, const WaitedSoFar& waited)
      : ranks_(ranks),
        channels_(channels),
        regions_(regions),
        waited_(waited) {}

  void Add(const Communicator& communicator, const CommunicatorTimes& times);
  // At most one finding per region. Findings in ranges of the program come
  // first, the costliest first.
  std::vector<LateFinding> Take();

 private:
  struct Within;
  std::map<std::size_t, Within> ByRegion(const Communicator& communicator,
                                         const CommunicatorTimes& times) const;
  bool IsOfProgram(std::size_t region) const;
  std::size_t EachOf(const RankRecord& record, std::size_t region,
                     const Within& within) const;
  void AddRecords(const Communicator& communicator,
                  const CommunicatorTimes& times, const Within& within,
                  std::size_t late, LateFinding& finding) const;

  const Ranks& ranks_;
  const Channels& channels_;
  const JoinedRegions& regions_;
  const WaitedSoFar& waited_;
  std::map<std::size_t, LateFinding> by_region_;
};

// ---- Slow transfers --------------------------------------------------------

// Finds transfers that take long although no rank came late: in some instances
// of a collective compared with its others, or always compared with
// communicators that run the same collectives.
//
// If NCCL reports the sizes of messages, a finding has the size ratio of the
// slow ones. Otherwise a region's collective is assumed to have the same size
// in each instance; if the sizes differ, the larger instances are found.

class SlowTransfers {
 public:
  SlowTransfers(const Ranks& ranks, const Channels& channels,
                const JoinedRegions& regions)
      : ranks_(ranks), channels_(channels), regions_(regions) {}

  void Add(const Communicator& communicator, const CommunicatorTimes& times);
  // The costliest first.
  std::vector<LatePart> Take();

 private:
  struct Transfer {
    double ns = 0;
    double bytes = 0;  // NaN: not known
  };
  // A region's collectives of one kind in one communicator.
  struct Usual {
    Transfer median{};  // of instances
    std::size_t instances = 0;
    std::vector<std::size_t> records{};
  };
  // Region, kind, number of ranks, number of instances: communicators with
  // equal ones are compared.
  using Like = std::tuple<std::size_t, std::uint32_t, std::size_t, std::size_t>;
  struct Slow {
    double lost_ns = 0;
    LatePart part{};
  };

  static LatePart PartOf(std::size_t region, const Transfer& slow,
                         const Transfer& usual,
                         std::vector<std::size_t> records);
  void AddTransfers(const Like& like, const std::vector<Transfer>& each,
                    std::vector<std::size_t> records);
  void CompareAlike();

  const Ranks& ranks_;
  const Channels& channels_;
  const JoinedRegions& regions_;
  std::map<Like, std::vector<Usual>> usual_;
  std::vector<Slow> slow_;
};

}  // namespace rangefinder
