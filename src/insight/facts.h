// The facts of regions from which causes are derived: wall time by parts, GPU
// work, calls, launch configurations, and metrics with their errors.
// docs/causes.md lists the names.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "insight/causes.h"
#include "insight/kernel_kinds.h"
#include "insight/run_view.h"
#include "insight/times.h"

namespace rangefinder {

struct LateRank;  // ranks/rank_findings.h

// How well the launches of a region fill a device, weighted by their durations.
struct LaunchSums {
  double ns = 0;             // of launches whose configuration is known
  double small_grid_ns = 0;  // time in which SMs idle because of too few blocks
  double tail_ns = 0;        // the part that the last wave leaves idle
  double occupancy_ns = 0;   // times the occupancy that resources allow
  StringId kernel{};         // of the longest launch, demangled
  std::uint64_t blocks = 0;  // of the longest launch
  std::uint64_t threads = 0;   // of its blocks
  std::string_view limiter{};  // limits its occupancy: "registers" ...
  double longest_ns = 0;
  double multiprocessors = 0;

  void Add(const LaunchSums& more);
};

// The facts of all regions in a scope. The run must outlive it.
class FactsOfRegions {
 public:
  FactsOfRegions(const RunView& run, const ScopeRollup& scope);

  // One region, with its inner regions.
  class One {
   public:
    One(const FactsOfRegions& all, RegionId id);

    std::optional<CauseFact> Number(std::string_view name) const;
    std::string Text(std::string_view name) const;
    CauseFacts AsFacts() const;
    // The region whose GPU work runs most while this one waits.
    std::optional<RegionId> Awaited() const;
    const std::optional<RegionTimes>& times() const { return times_; }

   private:
    class Named;

    std::vector<Frame> AwaitedPath() const;
    double Instances() const;
    double Processes() const;
    // Whether it is known which kernels the region launched itself: with
    // regions.graphs=capture its row has those of other regions.
    bool HasOwnLaunches() const;
    std::optional<double> Launches() const;
    double CopyingNs() const;
    std::optional<Growth> GrowthOfInstances() const;
    const std::vector<KernelRow>& Kernels() const;
    std::optional<double> LongestKernelShare() const;
    // The launches of the baseline run, if there is one, else of the measured
    // run.
    LaunchSum SumOf(KernelKind kind) const;
    double CollectiveNs() const;
    std::optional<CauseFact> OfMetric(std::string_view name) const;

    const FactsOfRegions& all_;
    RegionId id_;
    std::optional<RegionTimes> times_;
    std::uint64_t wall_ns_ = 0;  // of all closed instances
    WallTime steady_{};
    double steady_ns_ = 0;  // sum of `steady_`
    RegionRow row_{};
  };

 private:
  // A device's number of SMs and its compute capability; 0: unknown.
  struct Chip {
    double multiprocessors = 0;
    int major = 0, minor = 0;
  };

  LaunchSums SumOf(const Measurement& m, double ns) const;
  void AddExcess(RegionId id);
  void FindRanks();

  const RunView& run_;
  const ScopeRollup& scope_;
  const KernelKinds kinds_;
  std::map<std::int32_t, Chip> chips_{};  // by the device's index
  std::vector<LaunchSums> launches_{};    // by RegionId, inner regions included
  const std::vector<double> overlaps_ns_;  // see KernelOverlaps
  // By RegionId: the time of warm-up beyond the time of as many steady
  // instances, for the region, or for its inner regions if it has no warm-up
  // itself.
  std::vector<WallTime> excess_{};
  bool has_only_sums_ = false;  // so wall times are no facts
  // Of the whole run: the least time of copies and sets beside no kernel.
  double copies_alone_ns_ = 0;
  // For the ranks of a job: the time that collectives waited for their last
  // rank, summed over ranks, and the late rank.
  std::map<RegionId, double> waiting_ns_{};
  std::map<RegionId, const LateRank*> late_{};  // borrowed from the run
};

}  // namespace rangefinder
