// Two runs side by side: what was measured under replay, and what the same
// regions and kernels took in the undisturbed run (Profile::traced). Where the
// profiler measured some launches of a kernel alone, what they stand for.
//
// Launches are alike that have the same region, kernel, grid and block: a
// class. Nothing of the undisturbed run is part of any sum of measurements.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/by_scope.h"
#include "rollup/region_rollups.h"
#include "rollup/rollup.h"

namespace rangefinder {

struct LaunchSum {
  std::uint64_t count = 0;
  double ns = 0;
  double mean() const {
    return count > 0 ? ns / static_cast<double>(count) : 0;
  }
};

// How many launches of the undisturbed run were measured; and the share of its
// time that launches like those take.
struct Coverage {
  std::uint64_t measured = 0;
  std::uint64_t launches = 0;
  double covered_ns = 0;
  double ns = 0;
  bool complete() const { return measured >= launches; }
  double time_share() const { return ns > 0 ? covered_ns / ns : 0; }
};

// A kernel in both runs; `measured` is under replay.
struct TracedKernel {
  StringId key{};   // the same in both runs
  StringId name{};  // demangled, as the profiler writes it where it saw it
  std::int32_t device = -1;
  LaunchSum traced{};
  LaunchSum measured{};
};

// One region in one scope.
struct TracedRegion {
  LaunchSum inclusive{};
  LaunchSum exclusive{};
  Coverage coverage{};                  // with inner regions
  std::vector<TracedKernel> kernels{};  // without; most traced time first
  // With, where inner regions have any.
  std::vector<TracedKernel> kernels_with_inner{};

  const std::vector<TracedKernel>& all_kernels() const {
    return kernels_with_inner.empty() ? kernels : kernels_with_inner;
  }
};

// An additive metric over all launches, from those that were measured.
struct ScaledMetric {
  std::size_t column = 0;  // of Rollup::columns
  double value = 0;
  // One standard error, from the spread inside the classes; nothing where no
  // class that was measured in part has two samples.
  std::optional<double> error{};
  // Classes measured in part by a single launch, so without a spread.
  std::uint64_t single = 0;
};

class TracedRun {
 public:
  TracedRun(const Profile& profile, const RegionTree& tree,
            const Rollup& rollup);

  // False: there are not two runs to compare.
  bool there() const { return !scopes_.empty(); }
  // The root stands for the whole scope.
  const TracedRegion& Of(const ScopeRollup& scope, RegionId region) const;
  // What the undisturbed run has of a kernel's row, one of
  // RegionRollup::all_kernels; null where it has nothing.
  const TracedKernel* Find(const ScopeRollup& scope, RegionId region,
                           const KernelRow& row) const;
  // What a measured launch took in the undisturbed run: the launch of its class
  // that had the same place among those of its process. Nothing where the runs
  // made different numbers of them, and a place says nothing.
  std::optional<double> UndisturbedNs(MeasurementId id) const;
  // Of `columns` the additive ones.
  std::vector<ScaledMetric> Scaled(const ScopeRollup& scope, RegionId region,
                                   std::span<const std::size_t> columns) const;
  // How many times as long kernels took under replay, over those in both runs.
  struct Ratio {
    double median = 0, low = 0, high = 0;
    std::size_t kernels = 0;
  };
  std::optional<Ratio> ratio() const;
  // Where the runs disagree: launches that only the measured run made, times
  // that differ for all kernels alike.
  void NoteDifferences(Notes& notes) const;

 private:
  using Class = std::tuple<StringId, Dim3, Dim3, std::int32_t>;
  struct Launches {
    StringId name{};  // as in TracedKernel
    LaunchSum traced{};
    LaunchSum measured{};
    std::vector<MeasurementId> measurements{};
  };
  using Classes = std::map<Class, Launches>;
  struct ScopeRun {
    OfRegions<TracedRegion> regions{};
    OfRegions<Classes> classes{};  // without those of inner regions
  };

  void MatchLaunches();
  StringId KeyOf(const Measurement& m) const;
  StringId NameOf(const Measurement& traced) const;
  Class ClassOf(const Measurement& m) const;
  ScopeRun Sum(const Scope& scope, const ByScope<std::uint32_t>& traced,
               const ByScope<MeasurementId>& measured) const;
  std::size_t PlaceOf(const ScopeRollup& scope) const;
  using KernelId = std::pair<StringId, std::int32_t>;  // key and device
  using Kernels = std::map<KernelId, TracedKernel>;
  static Kernels KernelsOf(const Classes& classes);
  static void AddKernels(Kernels& sums, const Kernels& more);
  std::vector<TracedKernel> Sorted(const Kernels& kernels) const;

  const Profile& profile_;
  const RegionTree& tree_;
  const Rollup& rollup_;
  bool mangled_ = true;  // names are compared mangled
  std::unordered_map<StringId, StringId> measured_names_;  // mangled, demangled
  std::vector<ScopeRun> scopes_{};                         // by Rollup::scopes
  std::unordered_map<MeasurementId, double> undisturbed_ns_{};
};

}  // namespace rangefinder
