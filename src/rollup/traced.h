// The baseline run (Profile::traced) next to the run measured under replay: the
// times of regions and kernels in both. If the profiler measured only some
// launches of a kernel, additive metrics are scaled to all launches.
//
// Launches of one region, kernel, grid and block are a class. No value of the
// baseline run is part of a sum of measurements.

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
#include "rollup/rollup.h"

namespace rangefinder {

struct LaunchSum {
  std::uint64_t count = 0;
  double ns = 0;
  double mean() const {
    return count > 0 ? ns / static_cast<double>(count) : 0;
  }
  void operator+=(const LaunchSum& more) {
    count += more.count;
    ns += more.ns;
  }
};

// The launches of the baseline run, and the number of measured ones; their
// time, and the time of launches with a measured class.
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
  StringId key{};   // equal in both runs
  StringId name{};  // demangled; in the profiler's spelling, if it has one
  std::int32_t device = -1;
  LaunchSum traced{};
  LaunchSum measured{};
};

// One region in one scope.
struct TracedRegion {
  LaunchSum inclusive{};
  LaunchSum exclusive{};
  Coverage coverage{};                  // with inner regions
  std::vector<TracedKernel> kernels{};  // own; most traced time first
  // With the kernels of inner regions, if these have any.
  std::vector<TracedKernel> kernels_with_inner{};

  const std::vector<TracedKernel>& all_kernels() const {
    return kernels_with_inner.empty() ? kernels : kernels_with_inner;
  }
};

// An additive metric over all launches, scaled from the measured launches.
struct ScaledMetric {
  std::size_t column = 0;  // of Rollup::columns
  double value = 0;
  // One standard error, from the spread inside the classes; nothing if no
  // partly measured class has two samples.
  std::optional<double> error{};
  // Partly measured classes with one measured launch, which gives no spread.
  std::uint64_t single = 0;
};

class TracedRun {
 public:
  TracedRun(const Profile& profile, const RegionTree& tree,
            const Rollup& rollup);

  // Whether there are two runs.
  bool there() const { return !scopes_.empty(); }
  // The times of a region; for the root, those of the whole scope.
  const TracedRegion& Of(const ScopeRollup& scope, RegionId region) const;
  // The kernel of `row`, one of RegionRollup::all_kernels, in the baseline run;
  // null if it did not run there.
  const TracedKernel* Find(const ScopeRollup& scope, RegionId region,
                           const KernelRow& row) const;
  // The baseline run's time of the launch at the same place in its class and
  // process. Nothing if the two runs made different numbers of launches.
  std::optional<double> UndisturbedNs(MeasurementId id) const;
  // The additive metrics among `columns`.
  std::vector<ScaledMetric> Scaled(const ScopeRollup& scope, RegionId region,
                                   std::span<const std::size_t> columns) const;
  // The time of kernels under replay over their time in the baseline run.
  struct Ratio {
    double median = 0, low = 0, high = 0;
    std::size_t kernels = 0;
  };
  std::optional<Ratio> ratio() const;
  // Notes differences of the runs: launches that only the measured run made,
  // times that differ for all kernels alike.
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
  bool mangled_ = true;  // kernels are compared by mangled names
  std::unordered_map<StringId, StringId> measured_names_;  // mangled, demangled
  std::vector<ScopeRun> scopes_{};                         // by Rollup::scopes
  std::unordered_map<MeasurementId, double> undisturbed_ns_{};
};

}  // namespace rangefinder
