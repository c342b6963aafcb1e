// The numbers of a region in a scope: time, share, launches, each from the best
// available source, and absent if nothing was measured. Every document takes
// its rows from here, so all documents agree.
//
// The times of one table have one source if possible: a baseline run saw every
// launch, so if there is one, all rows use it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/by_scope.h"
#include "rollup/rollup.h"
#include "rollup/traced.h"

namespace rangefinder {

enum class TimeSource : std::uint8_t {
  kNone,
  kBaseline,  // kernels of the baseline run
  kKernels,   // kernels that were measured one by one, under replay
  kRange,     // measured as a whole: never added to other times
};
// "undisturbed", "kernels", "range"; empty for kNone.
std::string_view SourceName(TimeSource source);

// A part over its whole; nothing if the whole is 0, or if the share is not
// finite.
std::optional<double> ShareOf(double part, double whole);

struct RegionRow {
  TimeSource source = TimeSource::kNone;
  // GPU time with and without inner regions. For ranges measured as a whole:
  // the time of all measured instances, always with inner regions.
  std::optional<double> time_ns{};
  std::optional<double> own_ns{};
  // Share of the scope's time from the same source, 0 to 1; nothing for ranges.
  std::optional<double> share{};
  // Kernels that it launched: all of them if a trace saw them, else the
  // measured ones. 0: it is known that there were none.
  std::optional<std::uint64_t> launches{};
  std::optional<std::uint64_t> own_launches{};
  // The number of these kernels that have counters; nothing if none has, as
  // with a trace alone.
  std::optional<std::uint64_t> measured{};
  // The counters that the row shows: of its kernels, else of the first range
  // that was measured as a whole; null: there are none.
  const Amounts* counters = nullptr;
  const WholeRow* whole = nullptr;  // if set, the owner of `counters`
  // The number of instances measured as a whole, in the mode of the first; and
  // their time, whatever the source of the row.
  std::size_t wholes = 0;
  std::optional<double> whole_ns{};
  // Time of the measured kernels; nothing without kernels or durations.
  std::optional<double> measured_ns{};
  std::uint64_t unselected = 0;  // launches that regions.kernels leaves out
  // Why there are no counters, or no time; empty if there are both.
  std::string reason{};
};

// The rows of all scopes of a run.
class RegionRows {
 public:
  RegionRows(const Profile& profile, const RegionTree& tree,
             const Rollup& rollup, const TracedRun& traced);

  // For the root: the row of the whole scope; of ranges it has only their
  // number.
  RegionRow Of(const ScopeRollup& scope, RegionId id) const;
  // The sort key of siblings; 0 without a time.
  double TimeNs(const ScopeRollup& scope, RegionId id) const;
  // Launches in the region and its inner regions that regions.kernels leaves
  // out: measured launches if there are any, else launches of the baseline run.
  std::uint64_t Unselected(const ScopeRollup& scope, RegionId id) const;

  // Adds all regions, by RegionId, that may have content in the scope; regions
  // of a trace may have content in other scopes as well.
  void AddRegions(const ScopeRollup& scope,
                  std::set<std::size_t>& regions) const;

  // The executions of ranges measured as a whole in a region and inside it, and
  // the time of the outermost ranges together.
  struct Wholes {
    std::size_t count = 0;
    double outermost_ns = 0;
  };
  Wholes WholesIn(const ScopeRollup& scope, RegionId id) const;
  // Whether the baseline run is the only measurement.
  bool baseline_only() const { return baseline_only_; }
  // False: the GPU work of all processes is unknown.
  bool gpu_recorded() const { return gpu_recorded_; }

 private:
  struct Sums {
    std::uint64_t unselected = 0;
    std::uint64_t unselected_traced = 0;
    Wholes wholes{};
  };

  // By scope.
  struct UnselectedLaunches {
    ByScope<MeasurementId> measured;
    ByScope<std::uint32_t> traced;
  };

  OfRegions<Sums> SumsOf(const ScopeRollup& scope,
                         const UnselectedLaunches& unselected) const;
  const OfRegions<Sums>& SumsIn(const ScopeRollup& scope) const;
  void TakeTraced(const ScopeRollup& scope, RegionId id, RegionRow& row) const;
  // Whether all processes that ran the region recorded their GPU work.
  bool RecordsGpuOf(RegionId id) const;
  void TakeKernels(const ScopeRollup& scope, RegionId id, RegionRow& row) const;
  void TakeWhole(const RegionRollup& rolled, RegionRow& row) const;
  std::string ReasonOf(const ScopeRollup& scope, RegionId id,
                       const RegionRow& row) const;

  const Profile& profile_;
  const RegionTree& tree_;
  const Rollup& rollup_;
  const TracedRun& traced_;
  bool baseline_only_ = false;
  bool gpu_recorded_ = false;            // of any process
  std::vector<OfRegions<Sums>> sums_{};  // by Rollup::scopes
};

// The number of executions in the scope. `executions`: of a region or a member,
// in order. An execution on two devices counts once.
std::uint64_t ExecutionsIn(std::span<const Execution> executions,
                           const Scope& scope);

// "push_pop" "start_end", or "none" for (unattributed).
std::string_view RegionKindName(const Region& region);

// The time of the measured kernels; nothing if none has a time, unless it is
// known that there was no launch.
std::optional<double> MeasuredNs(const Amounts& amounts, const RegionRow& of);

}  // namespace rangefinder
