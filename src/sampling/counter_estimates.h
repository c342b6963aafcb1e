// What the GPU's counters amount to over every region, estimated from samples
// of one undisturbed run: docs/counters.md. The estimates become cells of a
// rollup, beside those of what was measured.

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

// One device that was sampled, or was to be.
struct SampledDevice {
  const CounterSamples* samples = nullptr;
  std::vector<std::string> metrics{};
  SampledLaunches launches{};
  std::unique_ptr<CounterFit> fit{};  // null: there are no samples
  // What was counted while nothing of the run's ran, by metrics.
  std::vector<CounterEstimate> outside{};
};

// A kernel of a region whose count other regions share, as they launch it with
// the same configuration and it lasts as long there.
struct SharedCount {
  StringId kernel{};
  std::vector<RegionId> regions{};  // that launch it, this one too; ascending
  double ns = 0;                    // of the region's launches of it
  double scatter = 0;               // FitPool::scatter
  bool deviates = false;            // each region has a count of its own
};

class CounterEstimates {
 public:
  // Fits all devices. Both are borrowed; no samples make no estimates.
  CounterEstimates(const Profile& profile, const RegionTree& tree);

  // Whether samples were asked for.
  bool there() const { return !devices_.empty(); }
  const std::vector<SampledDevice>& devices() const { return devices_; }
  // Of all devices, each once, in order of appearance.
  const std::vector<std::string>& metrics() const { return metrics_; }

  // How the counters of regions that run long went over the run.
  const std::vector<CountsOverTime>& over_time() const { return over_time_; }

  // What the copies and sets of a region and its inner regions counted, over
  // all processes and devices, by metrics(); empty where it has none. No kernel
  // pays for them: the region's own estimates are those of its kernels.
  std::span<const CounterEstimate> CopiesOf(RegionId region) const {
    return copies_[Index(region)];
  }

  // Of the region's own kernels and those of its inner regions, on the first
  // device; those that run longest first.
  std::vector<SharedCount> SharedCountsOf(RegionId region) const;

  // Gives every cell of `rollup` that nothing was measured for its estimate, or
  // the reason why there is none, and the metrics derived from estimates
  // theirs. Where a cell has a measured value, the estimate is put beside it
  // (RegionRollup::beside). Cells name texts of this object.
  void Fill(Rollup& rollup, std::span<const DerivedMetric> derived);

  // Fits that are not good, and why.
  void NoteQuality(Notes& notes) const;

 private:
  // Launches of one group in one process.
  struct Share {
    std::uint32_t device = 0;  // into devices_
    std::uint32_t group = 0;
    ProcessId process{};      // of the first run
    bool first_run = true;    // else its launches were counted there
    StringId kernel{};        // empty: copies or sets
    std::int32_t index = -1;  // of the device, as the process counts
    std::uint64_t launches = 0;
    double ns = 0;
  };
  // Of the launches of some row, over all devices.
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
  void EstimateCopies();
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
  std::vector<std::vector<CounterEstimate>> copies_;  // likewise
  std::set<std::string> texts_;                       // of reasons
  std::vector<CountsOverTime> over_time_;
};

}  // namespace rangefinder
