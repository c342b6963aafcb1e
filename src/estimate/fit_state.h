// A fit of one device's samples, and the data from which the errors of its
// estimates are computed.
//
// There are three kinds of indices. Columns are the unknowns of the least
// squares: one per pool of groups, then one or two for counts outside launches.
// Cells are finer: one per group, then the same columns of the outside. Effects
// are fitted besides the columns, by metric: deviations of groups from their
// pools, and how work lies in launches' windows.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "estimate/design.h"
#include "estimate/estimate.h"
#include "estimate/fit_quality.h"
#include "estimate/groups.h"
#include "estimate/matrix.h"
#include "estimate/normal_equations.h"
#include "estimate/pools.h"
#include "estimate/window_terms.h"
#include "estimate/windows.h"

namespace rangefinder {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Where a launch lies in the used samples.
struct LaunchPlace {
  double start_ns = 0;  // from the samples' origin
  double end_ns = 0;
  std::uint32_t first_sample = 0;
  std::uint32_t samples = 0;
};

// A design by columns: entries [begin[c], begin[c + 1]) are column c's.
struct DesignColumns {
  std::vector<std::uint32_t> begin{};
  std::vector<std::uint32_t> row{};
  std::vector<double> value{};
  // The places of a column's entries in `row` and `value`.
  auto Entries(std::size_t column) const {
    return std::views::iota(begin[column], begin[column + 1]);
  }
};

// Numbers of the effects: two edges of all launches' windows, two of each
// kernel's windows (less busy kernels share some), edges of kernels beside
// certain others, the terms of the rate of long kernels, rates of kernels while
// certain others run, prologues of kernels, and a deviation of each group that
// has one.
struct EffectNumbers {
  std::vector<std::uint32_t> moved{};   // by column: place of its kernel
  std::vector<std::uint32_t> shaped{};  // the same, among columns with a rate
  // By column: place of its kernel's prologue.
  std::vector<std::uint32_t> prologue_of{};
  std::vector<std::uint32_t> deviates{};  // by group: place of its deviation
  std::vector<std::uint32_t> group{};     // by place of a deviation
  std::uint32_t moves = 0;
  std::uint32_t shapes = 0;
  std::uint32_t neighbours = 0;
  std::uint32_t concurrent = 0;  // pairs of kernels
  std::uint32_t prologues = 0;   // kernels
  struct PairTerm {
    std::uint32_t group = 0;
    Index effect = 0;
  };
  std::vector<PairTerm> of_pairs{};  // by WindowTerms::of_pair

  static constexpr Index kStart = 0;
  static constexpr Index kEnd = 1;
  Index start(std::uint32_t kernel) const { return 2 + 2 * Index{kernel}; }
  Index end(std::uint32_t kernel) const { return start(kernel) + 1; }
  Index neighbour(std::uint32_t place) const {
    return start(moves) + Index{place};
  }
  Index rate(std::uint32_t kernel, std::uint32_t j) const {
    return neighbour(neighbours) + Index{kernel} * kShapeTerms + Index{j};
  }
  Index concurrent_rate(std::uint32_t place) const {
    return rate(shapes, 0) + Index{place};
  }
  Index prologue(std::uint32_t place) const {
    return concurrent_rate(concurrent) + Index{place};
  }
  Index windows() const { return prologue(prologues); }
  Index deviation(std::uint32_t place) const {
    return windows() + Index{place};
  }
  Index deviations() const { return static_cast<Index>(group.size()); }
  Index size() const { return windows() + deviations(); }
};

// The effects on one metric.
struct Effects {
  // Edges and moves in ns, prologues in counts per warp; rates and deviations
  // are relative.
  Vector value{};
  Matrix covariance{};  // uncertainty of `value`
  Matrix product{};     // columns x windows' effects: A'W slopes
  Vector sums{};        // by windows' effect: slopes, over all samples
  Vector scale{};       // by deviation: the count that it is relative to
  std::vector<double> width{};    // by family: deviation of groups, relative
  std::vector<double> scatter{};  // by family: scatter over chance's
  // Number of effects that the samples determine.
  double decided = 0;
  double degrees = 2;  // number of effects that determine the edges
};

// Work that goes with the launches of a group and is not part of their counts.
struct GroupExtra {
  LaunchSize size{};   // of all of them
  double idle_ns = 0;  // idle time before its launches
};

struct FitState {
  std::vector<EstimatedMetric> metrics{};
  SampleWindows samples{};
  std::vector<std::uint32_t> block{};  // by sample; ascending
  std::uint32_t blocks = 0;
  std::vector<FitGroup> groups{};
  Pools pools{};
  std::vector<std::uint32_t> pool_groups{};  // by pool: number of groups
  std::vector<std::vector<std::uint32_t>> pools_of_column{};
  PoolColumns pooled{};
  std::vector<std::uint32_t> group_of_launch{};
  std::vector<LaunchPlace> places{};  // by launch
  WindowEdges edges{};
  bool background = false;

  Design cells{};   // samples x cells
  Design design{};  // samples x columns
  DesignColumns by_cell{};
  Vector cell_sums{};  // by cell: number of launches in samples
  WindowTerms terms{};
  Design cuts{};       // derivatives of the cells by the windows' terms
  RowMatrix own{};     // samples x metrics, without the tracer's work
  RowMatrix fitted{};  // `own` as the estimates predict it
  RowMatrix residual{};
  Vector leverage{};  // by sample: its weight in its own estimate
  Vector noise{};     // by metric: mean square of the residuals, weighted

  NormalEquations equations{};
  std::vector<double> launches{};  // by column, in its own unit
  // By column; the same number for like launches.
  std::vector<std::uint32_t> kernel{};
  std::vector<GroupExtra> extra{};  // by group
  ColumnPrior prior{};
  // By metric: scatter of counts about the prior, relative.
  Vector prior_spread{};
  Matrix inverse{};  // includes the constraint of the totals
  // Change of the estimates per count more in all samples.
  Vector toward_total{};
  Matrix x{};  // columns x metrics, none below 0
  // Cells x metrics: count of a launch, with its deviation.
  Matrix counts{};
  // The counts before the samples' last weights; empty but in the fit of the
  // metrics of code.
  Matrix earlier{};
  std::vector<HeldColumns> zero{};  // by metric
  std::vector<Matrix> scores{};     // by metric: columns x blocks
  Matrix block_residual{};          // blocks x metrics

  EffectNumbers numbers{};
  std::vector<Effects> effects{};    // by metric
  std::vector<bool> deviates{};      // by family: its groups deviate
  std::vector<double> scatter{};     // by family, at that decision
  std::vector<FitPool> described{};  // by pool, for callers
  Matrix deviation_product{};  // columns x deviations: A'W of their groups
  Matrix deviation_squares{};  // products of deviations with each other
  // By metric: correction of errors by the halves; >= 1.
  Vector inflation{};
  Vector misfit{};  // by metric: changes by other sample weights, over errors

  FitQuality quality{};

  // Whether launches run in a sample.
  bool is_busy(std::size_t sample) const {
    return cells.is_busy(sample, groups.size());
  }
  // The columns before those of the outside.
  std::size_t launch_columns() const { return pooled.columns.count; }
  std::uint32_t column(std::uint32_t group) const {
    return pooled.columns.column[group];
  }
  double weight(std::uint32_t group) const {
    return pooled.columns.weight[group];
  }
  // Calls visit(sample, part of the launch's window in the sample).
  template <typename Visit>
  void ForEachPart(const LaunchPlace& place, Visit visit) const {
    const Window at = Moved(place.start_ns, place.end_ns, edges);
    for (std::uint32_t i = place.first_sample;
         i < place.first_sample + place.samples; ++i) {
      const double overlap = std::min(samples.end_ns[i], at.end_ns) -
                             std::max(samples.start_ns[i], at.start_ns);
      visit(i, std::max(overlap, 0.0) / (at.end_ns - at.start_ns));
    }
  }
};

}  // namespace rangefinder
