// The times of one rank of a job, region by region, small enough to store for
// ten thousand ranks.
//
// A rank is one process of a job, with any number of devices. Times are in
// nanoseconds; times of a region include its inner regions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rangefinder {

// The regions of a rank. Ranks with the same regions share one tree; pipeline
// stages of a job have different ones.
struct RankTree {
  struct Node {
    std::string domain{};  // "": the default one
    std::string name{};
    std::uint32_t parent = 0;  // index of an earlier node; 0 for [0]
  };
  // [0] is the whole run, without a name. Each region is followed by its inner
  // regions, siblings by domain and name, so that equal trees are equal lists.
  std::vector<Node> nodes{Node{}};
};

// One region of one rank.
struct RankRegion {
  std::uint64_t instances = 0;
  std::uint64_t kernels = 0;  // launches, including communication
  std::uint64_t wall_ns = 0;  // summed over instances: from open to close
  // The GPU work inside, over all streams and devices of the rank. "Compute" is
  // every kernel that is no communication. The first four do not overlap.
  std::uint64_t compute_ns = 0;     // compute, and no communication
  std::uint64_t overlapped_ns = 0;  // compute and communication at once
  std::uint64_t exposed_ns = 0;     // communication alone
  std::uint64_t copy_ns = 0;        // copies and sets alone
  // From an instance's first activity to its last, while the rank has no GPU
  // work of any region: in a captured graph, kernels of several regions take
  // turns.
  std::uint64_t idle_ns = 0;
  // From the launch call to the start on the GPU, summed over kernels.
  std::uint64_t latency_ns = 0;
  // Elapsed SM cycles of its kernels over their time, in Hz; nothing without
  // counters.
  std::optional<double> sm_clock_hz{};
};

// One kernel of NCCL, NVSHMEM or RCCL in one rank.
struct Collective {
  std::uint32_t region = 0;     // node of the rank's tree
  std::uint32_t kind = 0;       // index into RankRecord::kinds
  std::uint32_t channel = 0;    // number of its stream and communicator
  std::uint64_t launch_ns = 0;  // of the launch call; 0: not known
  std::uint64_t start_ns = 0;   // on the clock of the rank's host
  std::uint64_t end_ns = 0;
};

struct RankRecord {
  std::int32_t rank = -1;  // -1: unknown
  std::int32_t world = 0;  // ranks of the job, by the launcher; 0: unknown
  std::string host{};
  std::uint64_t pid = 0;
  // CLOCK_REALTIME of the host; distinguishes two starts with the same host and
  // pid.
  std::uint64_t started_ns = 0;
  std::vector<std::string> devices{};  // names, "NVIDIA H200", by index
  std::uint32_t tree = 0;              // index into the list of trees
  std::vector<RankRegion> regions{};   // by node of its tree
  // "AllReduce" "SendRecv" …; if NCCL reports them, followed by the
  // communicator and the message size: "AllReduce 6bcf2a01 4194304".
  std::vector<std::string> kinds{};
  std::vector<Collective> collectives{};  // by start
  std::uint64_t lost_collectives = 0;     // seen and not kept
  // Why data of the rank is missing: a trace that was cut, lost events.
  std::vector<std::string> notes{};
};

struct Ranks {
  std::vector<RankTree> trees{};      // each once
  std::vector<RankRecord> records{};  // by rank, host, pid, start
};

}  // namespace rangefinder
