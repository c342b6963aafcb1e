// The GPU's counters of every region, estimated from samples of one baseline
// run (docs/counters.md). The estimates become cells of a rollup, next to
// measured cells.

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/notes.h"
#include "estimate/estimate.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"
#include "sampling/counts_over_time.h"
#include "sampling/sampled_launches.h"

namespace rangefinder {

// A device that was sampled, or for which sampling was requested.
struct SampledDevice {
  const CounterSamples* samples = nullptr;
  std::vector<std::string> metrics{};
  SampledLaunches launches{};
  std::unique_ptr<CounterFit> fit{};  // null: there are no samples
  // Counts while no work of the run ran, by metric.
  std::vector<CounterEstimate> outside{};
};

// A kernel of a region whose count is shared with other regions: these regions
// launch the kernel with the same configuration, and the kernel lasts as long.
struct SharedCount {
  StringId kernel{};
  // Regions that launch it, including this one; ascending.
  std::vector<RegionId> regions{};
  double ns = 0;          // of the region's launches of it
  double scatter = 0;     // FitPool::scatter
  bool deviates = false;  // each region has a count of its own
};

class CounterEstimates {
 public:
  // Fits all devices. Borrows both. Without samples there are no estimates.
  CounterEstimates(const Profile& profile, const RegionTree& tree);

  // Empty: no samples were requested.
  const std::vector<SampledDevice>& devices() const { return devices_; }
  // The metrics of all devices, each once, in order of appearance.
  const std::vector<std::string>& metrics() const { return metrics_; }

  // The course of the counters over the run, for regions that run long.
  const std::vector<CountsOverTime>& over_time() const { return over_time_; }

  // Counts of the copies and sets of a region and its inner regions, over all
  // processes and devices, by metrics(); empty: it has none. The region's own
  // estimates are of its kernels alone, without copies.
  std::span<const CounterEstimate> CopiesOf(RegionId region) const {
    return copies_[Index(region)];
  }

  // Counts of copies and sets, by RegionId and metrics(). Empty for regions
  // without copies and sets. `and_kernels`: of kernels as well, as in an exact
  // count.
  std::vector<std::vector<CounterEstimate>> EstimateCopies(
      bool and_kernels) const;

  // Shared counts of the kernels of the region and its inner regions, on the
  // first device; the kernels that run longest first.
  std::vector<SharedCount> SharedCountsOf(RegionId region) const;

  // Sets every cell of `rollup` without a measured value to its estimate, or to
  // the reason of its absence, and the metrics derived from estimates likewise.
  // If a cell has a measured value, the estimate goes to RegionRollup::beside.
  // Cells point to texts of this object.
  void Fill(Rollup& rollup, std::span<const DerivedMetric> derived);

  // Notes fits that are not good, and why.
  void NoteQuality(Notes& notes) const;

 private:
  // A number of launches of one group in one process.
  struct Share {
    std::uint32_t device = 0;  // into devices_
    std::uint32_t group = 0;
    ProcessId process{};      // of the first run
    bool first_run = true;    // false: the first run has the same launches
    StringId kernel{};        // empty: copies or sets
    std::int32_t index = -1;  // of the device, in the process's numbering
    std::uint64_t launches = 0;
    double ns = 0;
  };
  // Counts of the launches of a row, over all devices.
  struct RowCounts {
    std::uint64_t launches = 0;
    std::uint64_t samples = 0;
    double ns = 0;
    bool unsampled = false;  // some ran on a device without samples
    std::vector<CounterEstimate> metrics{};  // by metrics_
  };
  friend class ScopeFilling;

  void AddDevice(const CounterSamples& samples, const LaunchRegions& regions);
  void FindShares(const LaunchRegions& regions);
  std::vector<RowCounts> Estimate(
      const std::vector<std::vector<Share>>& rows) const;
  void Add(const SampledDevice& device, const RegionEstimate& estimate,
           RowCounts& row) const;
  Word Keep(const std::string& text);

  const Profile& profile_;
  const RegionTree& tree_;
  std::vector<SampledDevice> devices_;
  std::vector<std::string> metrics_;
  std::vector<std::vector<Share>> own_;               // by RegionId
  std::vector<std::vector<CounterEstimate>> copies_;  // by RegionId
  std::set<std::string> texts_;                       // of reasons
  std::vector<CountsOverTime> over_time_;
};

}  // namespace rangefinder
