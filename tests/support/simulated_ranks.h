// A simulated job of many ranks, with planted delays: groups of eight ranks,
// each group on a host, share every layer's work (tensor parallel: an AllReduce
// after attention and after the MLP), and the groups do the same work (data
// parallel: an AllReduce in each step).
//
// The noise is that of real machines: durations of kernels vary, and GPUs
// differ; launches come when the CPU is ready; the transfers of one
// communicator vary together and end within a few microseconds; each host's
// clock has an offset and a drift.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "profile/rank_record.h"

namespace rangefinder::testing {

enum class Plant : std::uint8_t {
  kNothing,
  kCompute,  // kernels of mlp take `factor` times as long
  kWork,     // some kernels of mlp are launched twice
  kClock,    // all kernels take `factor` times as long
  kLaunch,   // its CPU is busy for `stall_ns` in one mlp a step
  kNetwork,  // in its group of eight, transfers of mlp take `slow` as long
};

struct SimulatedJob {
  std::size_t ranks = 64;  // multiple of eight
  std::size_t steps = 20;
  std::size_t layers = 4;
  std::uint64_t seed = 1;
  Plant plant = Plant::kNothing;
  std::size_t late = 13;  // the late rank
  double factor = 1.12;
  double slow = 1.6;
  double stall_ns = 2e6;
  // Collectives before the first step, in none of the program's regions; rank 0
  // comes `startup_ns` later to each.
  std::size_t startup = 0;
  double startup_ns = 50e6;
  bool startup_has_range = false;  // NCCL's own around each
  // Standard deviations of the logarithm of a kernel's duration: between
  // launches, and between GPUs.
  double kernel_noise = 0.03;
  double gpu_noise = 0.007;
  double clock_offset_ns = 3e6;  // standard deviation over hosts
  double clock_drift = 5e-7;     // standard deviation over hosts
};

class RankSimulation {
 public:
  explicit RankSimulation(const SimulatedJob& job)
      : job_(job), random_(job.seed) {
    MakeTree();
    const std::size_t hosts = job_.ranks / kGroup;
    for (std::size_t h = 0; h < hosts; ++h) {
      offset_.push_back(Normal(job_.clock_offset_ns));
      drift_.push_back(Normal(job_.clock_drift));
    }
    for (std::size_t r = 0; r < job_.ranks; ++r) {
      State& state = states_.emplace_back();
      state.speed = std::exp(Normal(job_.gpu_noise));
      state.clock_hz = 1.7e9 * std::exp(Normal(0.001));
      if (job_.plant == Plant::kClock && r == job_.late) {
        state.speed *= job_.factor;
        state.clock_hz /= job_.factor;
      }
      RankRecord& record = out_.records.emplace_back();
      record.rank = static_cast<std::int32_t>(r);
      record.world = static_cast<std::int32_t>(job_.ranks);
      record.host = fmt::format("node{:04}", r / kGroup);
      record.pid = 1000 + r % kGroup;
      record.kinds = {"AllReduce"};
      record.regions.resize(out_.trees[0].nodes.size());
      for (RankRegion& region : record.regions)
        region.sm_clock_hz = state.clock_hz;
    }
  }

  Ranks Run() {
    for (std::size_t s = 0; s < job_.startup; ++s) StartUp();
    for (std::size_t s = 0; s < job_.steps; ++s) Step();
    for (RankRecord& record : out_.records) {
      // The sums so far are exclusive.
      for (std::size_t i = record.regions.size(); i-- > 1;) {
        RankRegion& up = record.regions[out_.trees[0].nodes[i].parent];
        const RankRegion& own = record.regions[i];
        up.kernels += own.kernels;
        up.compute_ns += own.compute_ns;
        up.exposed_ns += own.exposed_ns;
        up.idle_ns += own.idle_ns;
        up.latency_ns += own.latency_ns;
        up.wall_ns += own.wall_ns;
      }
      record.regions[0].instances = 1;
    }
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kGroup = 8;
  static constexpr double kLaunchNs = 5e3;
  static constexpr double kLatencyNs = 3e3;

  struct State {
    double speed = 1;
    double clock_hz = 0;
    double cpu = 1e9;  // true time, ns
    double gpu = 1e9;
    double came = 0, launched = 0;  // for the next collective
    std::size_t region_of_last = 0;
  };

  double Normal(double deviation) {
    return std::normal_distribution<double>(0, deviation)(random_);
  }

  std::size_t Node(std::size_t parent, std::string name) {
    out_.trees[0].nodes.push_back(
        {.name = std::move(name),
         .parent = static_cast<std::uint32_t>(parent)});
    return out_.trees[0].nodes.size() - 1;
  }

  void MakeTree() {
    out_.trees.emplace_back();
    step_ = Node(0, "step");
    grads_ = Node(step_, "grads");
    for (std::size_t l = 0; l < job_.layers; ++l) {
      const std::size_t layer = Node(step_, fmt::format("layer{}", l));
      layer_.push_back(layer);
      attn_.push_back(Node(layer, "attn"));
      mlp_.push_back(Node(layer, "mlp"));
    }
    optimizer_ = Node(step_, "optimizer");
    if (!job_.startup_has_range) return;
    startup_ = Node(0, "ncclAllReduce");
    out_.trees[0].nodes.back().domain = "NCCL";
  }

  RankRegion& Region(std::size_t rank, std::size_t node) {
    return out_.records[rank].regions[node];
  }

  // The CPU launches. Returns the time at which the GPU can begin.
  double Launch(std::size_t rank, std::size_t node) {
    State& state = states_[rank];
    const double ns = kLaunchNs * std::exp(Normal(0.3));
    state.cpu += ns;
    RankRegion& region = Region(rank, node);
    region.wall_ns += static_cast<std::uint64_t>(ns);
    ++region.kernels;
    state.launched = state.cpu;
    const double start = std::max(state.cpu + kLatencyNs, state.gpu + 1000);
    // Idle time between two regions belongs to the region around both.
    const std::size_t idle_in =
        state.region_of_last == node ? node : out_.trees[0].nodes[node].parent;
    Region(rank, idle_in).idle_ns +=
        static_cast<std::uint64_t>(start - state.gpu);
    region.latency_ns += static_cast<std::uint64_t>(start - state.cpu);
    state.region_of_last = node;
    return start;
  }

  void Compute(std::size_t rank, std::size_t node, std::size_t kernels,
               double each_ns, double factor) {
    State& state = states_[rank];
    for (std::size_t i = 0; i < kernels; ++i) {
      const double start = Launch(rank, node);
      const double ns =
          each_ns * factor * state.speed * std::exp(Normal(job_.kernel_noise));
      Region(rank, node).compute_ns += static_cast<std::uint64_t>(ns);
      state.gpu = start + ns;
    }
    ++Region(rank, node).instances;
  }

  std::uint64_t Stamp(std::size_t rank, double ns) const {
    const std::size_t host = rank / kGroup;
    return static_cast<std::uint64_t>(1.7e18) +
           static_cast<std::uint64_t>(ns + 1e9 + offset_[host] +
                                      drift_[host] * ns);
  }

  // Reduces over `count` ranks: `first`, `first + stride`, and so on.
  void AllReduce(std::size_t first, std::size_t count, std::size_t stride,
                 std::size_t node, std::uint32_t channel, double transfer_ns) {
    double latest = 0;
    const auto rank = [&](std::size_t i) { return first + i * stride; };
    for (std::size_t i = 0; i < count; ++i) {
      State& state = states_[rank(i)];
      state.came = Launch(rank(i), node);
      latest = std::max(latest, state.came);
    }
    const double end = latest + transfer_ns * std::exp(Normal(0.08));
    for (std::size_t i = 0; i < count; ++i) {
      State& state = states_[rank(i)];
      const double own = end + std::abs(Normal(1500));
      Region(rank(i), node).exposed_ns +=
          static_cast<std::uint64_t>(own - state.came);
      out_.records[rank(i)].collectives.push_back(
          {.region = static_cast<std::uint32_t>(node),
           .channel = channel,
           .launch_ns = Stamp(rank(i), state.launched),
           .start_ns = Stamp(rank(i), state.came),
           .end_ns = Stamp(rank(i), own)});
      state.gpu = own;
    }
  }

  void Layer(std::size_t l) {
    for (std::size_t r = 0; r < job_.ranks; ++r) {
      ++Region(r, layer_[l]).instances;
      Compute(r, attn_[l], 6, 30e3, 1);
    }
    for (std::size_t r = 0; r < job_.ranks; r += kGroup)
      AllReduce(r, kGroup, 1, attn_[l], 0, 40e3);
    for (std::size_t r = 0; r < job_.ranks; ++r) {
      const bool late = r == job_.late;
      if (late && job_.plant == Plant::kLaunch && l == 1) {
        states_[r].cpu += job_.stall_ns;
        Region(r, mlp_[l]).wall_ns += static_cast<std::uint64_t>(job_.stall_ns);
      }
      const bool slow = late && job_.plant == Plant::kCompute;
      const bool more = late && job_.plant == Plant::kWork;
      Compute(r, mlp_[l], more ? 5 : 4, 60e3, slow ? job_.factor : 1);
    }
    for (std::size_t r = 0; r < job_.ranks; r += kGroup) {
      const bool slow =
          job_.plant == Plant::kNetwork && job_.late / kGroup == r / kGroup;
      AllReduce(r, kGroup, 1, mlp_[l], 0, slow ? 40e3 * job_.slow : 40e3);
    }
  }

  void StartUp() {
    for (std::size_t r = 0; r < job_.ranks; ++r)
      ++Region(r, startup_).instances;
    states_[0].cpu += job_.startup_ns;
    for (std::size_t r = 0; r < job_.ranks; r += kGroup)
      AllReduce(r, kGroup, 1, startup_, 0, 40e3);
  }

  void Step() {
    for (std::size_t r = 0; r < job_.ranks; ++r) ++Region(r, step_).instances;
    for (std::size_t l = 0; l < job_.layers; ++l) Layer(l);
    for (std::size_t r = 0; r < job_.ranks; ++r) Compute(r, grads_, 3, 50e3, 1);
    for (std::size_t r = 0; r < kGroup; ++r)
      AllReduce(r, job_.ranks / kGroup, kGroup, grads_, 1, 250e3);
    for (std::size_t r = 0; r < job_.ranks; ++r) {
      Compute(r, optimizer_, 4, 20e3, 1);
      // The CPU waits for the GPU at the end of a step.
      State& state = states_[r];
      const double until = std::max(state.cpu, state.gpu) + 10e3;
      Region(r, step_).wall_ns += static_cast<std::uint64_t>(until - state.cpu);
      state.cpu = until;
    }
  }

  SimulatedJob job_;
  std::mt19937_64 random_;
  Ranks out_{};
  std::vector<State> states_;
  std::vector<double> offset_, drift_;  // by host
  std::size_t step_ = 0, grads_ = 0, optimizer_ = 0, startup_ = 0;
  std::vector<std::size_t> layer_, attn_, mlp_;
};

inline Ranks Simulated(const SimulatedJob& job) {
  return RankSimulation(job).Run();
}

}  // namespace rangefinder::testing
