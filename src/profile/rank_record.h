// What one rank of a job did, region by region, in numbers small enough to be
// kept of ten thousand ranks.
//
// A rank is one process of a job, whatever its number of devices. Times are in
// nanoseconds; those of regions are with their inner regions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rangefinder {

// The regions of a rank; ranks with equal ones share it. Pipeline stages of one
// job differ in it.
struct RankTree {
  struct Node {
    std::string domain{};  // "": the default one
    std::string name{};
    std::uint32_t parent = 0;  // index of a node before this one; of [0]: 0
  };
  // [0] is the whole run, without a name; each region is followed by all that
  // is inside it, siblings by domain and name: equal trees are equal lists.
  std::vector<Node> nodes{Node{}};
};

// One region of one rank.
struct RankRegion {
  std::uint64_t instances = 0;
  std::uint64_t kernels = 0;  // launches, those of communication included
  std::uint64_t wall_ns = 0;  // summed over instances: from open to close
  // Of what was launched inside, over all streams and devices of the rank.
  // "Compute" is every kernel that is no communication. The four do not overlap
  // and add up to the time in which anything ran, and `idle_ns`, which is what
  // is left of the spans from the first activity of an instance to its last.
  std::uint64_t compute_ns = 0;     // compute, and no communication
  std::uint64_t overlapped_ns = 0;  // compute and communication at once
  std::uint64_t exposed_ns = 0;     // communication alone
  std::uint64_t copy_ns = 0;        // copies and sets alone
  std::uint64_t idle_ns = 0;
  // From the launch call to the start on the GPU, summed over kernels.
  std::uint64_t latency_ns = 0;
  // SM cycles elapsed while its kernels ran over their time, in Hz: where the
  // counters of the device were read.
  std::optional<double> sm_clock_hz{};
};

// One kernel of NCCL, NVSHMEM or RCCL in one rank.
struct Collective {
  std::uint32_t region = 0;   // node of the rank's tree that it was launched in
  std::uint32_t kind = 0;     // index into RankRecord::kinds
  std::uint32_t channel = 0;  // the stream it ran in: a number of the rank's
  std::uint64_t launch_ns = 0;  // of the launch call; 0: not known
  std::uint64_t start_ns = 0;   // on the clock of the rank's host
  std::uint64_t end_ns = 0;
};

struct RankRecord {
  std::int32_t rank = -1;  // -1: none was given
  std::int32_t world = 0;  // ranks of the job as the launcher said; 0: unknown
  std::string host{};
  std::uint64_t pid = 0;
  std::uint64_t started_ns = 0;  // CLOCK_REALTIME of the host; with host and
                                 // pid it tells one start from another
  std::vector<std::string> devices{};     // names, "NVIDIA H200", by index
  std::uint32_t tree = 0;                 // index into the list of trees
  std::vector<RankRegion> regions{};      // by node of its tree
  std::vector<std::string> kinds{};       // "AllReduce" "SendRecv" …
  std::vector<Collective> collectives{};  // by start
  std::uint64_t lost_collectives = 0;     // seen and not kept
  // Why something of it is missing: a trace that was cut, events lost.
  std::vector<std::string> notes{};
};

struct Ranks {
  std::vector<RankTree> trees{};      // each once
  std::vector<RankRecord> records{};  // by rank, host, pid, start
};

}  // namespace rangefinder
