// The numbers of a region in a scope: time, share, launches, each from the best
// source that there is, and absent where nothing was measured. Every document
// takes its rows from here, so all documents say the same.
//
// The times of one table have one source wherever possible: a baseline run saw
// every launch, so where there is one, all rows are of that run.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
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
  kRange,     // ranges that were measured as a whole: part of no sum
};
// "undisturbed", "kernels", "range"; empty for kNone.
std::string_view SourceName(TimeSource source);

struct RegionRow {
  TimeSource source = TimeSource::kNone;
  // GPU time, inner regions included and left out. Of ranges measured as a
  // whole: of all instances that were, and never without inner regions.
  std::optional<double> time_ns{};
  std::optional<double> own_ns{};
  // Of the scope's time of the same source, 0 to 1; nothing for ranges.
  std::optional<double> share{};
  // Kernels that it launched: all of them where a trace saw them, else those
  // that were measured. A 0 is known to be one.
  std::optional<std::uint64_t> launches{};
  std::optional<std::uint64_t> own_launches{};
  // Of them, those that carry counters; nothing where none could (a trace
  // alone) or none does.
  std::optional<std::uint64_t> measured{};
  // The counters that the row shows: of its kernels, else of the first range
  // that was measured over it as a whole; null: there are none.
  const Amounts* counters = nullptr;
  const WholeRow* whole = nullptr;  // set: `counters` are its
  // Instances that were measured as a whole, in the mode of the first; and
  // their time, whichever source the row's own is of.
  std::size_t wholes = 0;
  std::optional<double> whole_ns{};
  // Of the kernels that were measured; nothing without them or a duration.
  std::optional<double> measured_ns{};
  std::uint64_t unselected = 0;  // launches that regions.kernels leaves out
  // Why there are no counters, or no time; empty where there are both.
  std::string reason{};
};

// The rows of all scopes of a run.
class RegionRows {
 public:
  RegionRows(const Profile& profile, const RegionTree& tree,
             const Rollup& rollup, const TracedRun& traced);

  // Of the root for the scope as a whole: of ranges it has their number alone.
  RegionRow Of(const ScopeRollup& scope, RegionId id) const;
  // By which siblings are sorted; 0 where there is none.
  double TimeNs(const ScopeRollup& scope, RegionId id) const;
  // Launches in it and in its inner regions that regions.kernels leaves out:
  // of the measured launches, else of the baseline run.
  std::uint64_t Unselected(const ScopeRollup& scope, RegionId id) const;

  // Adds the regions, by RegionId, that the scope may have something in; where
  // a trace saw regions, it may have seen it in others, too.
  void AddRegions(const ScopeRollup& scope,
                  std::set<std::size_t>& regions) const;

  // Ranges measured as a whole in a region and inside it, each execution; and
  // the time of the outermost of them together.
  struct Wholes {
    std::size_t count = 0;
    double outermost_ns = 0;
  };
  Wholes WholesIn(const ScopeRollup& scope, RegionId id) const;
  // Whether the baseline run is the only measurement.
  bool baseline_only() const { return baseline_only_; }

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
  const Sums& SumsAt(const ScopeRollup& scope, RegionId id) const;
  void TakeTraced(const ScopeRollup& scope, RegionId id, RegionRow& row) const;
  void TakeKernels(const ScopeRollup& scope, RegionId id, RegionRow& row) const;
  void TakeWhole(const RegionRollup& rolled, RegionRow& row) const;
  std::string ReasonOf(const ScopeRollup& scope, RegionId id,
                       const RegionRow& row) const;

  const Profile& profile_;
  const RegionTree& tree_;
  const Rollup& rollup_;
  const TracedRun& traced_;
  bool baseline_only_ = false;
  std::vector<OfRegions<Sums>> sums_{};  // by Rollup::scopes
};

// How often it ran in the scope, as far as its measurements tell.
std::uint64_t ExecutionsIn(const Region& region, const Scope& scope);

// "push_pop" "start_end", or "none" for (unattributed).
std::string_view RegionKindName(const Region& region);

// The time of the kernels that were measured; nothing where none has one,
// unless it is known that there was no launch.
std::optional<double> MeasuredNs(const Amounts& amounts, const RegionRow& of);

}  // namespace rangefinder
