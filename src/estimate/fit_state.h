// A fit of one device's samples, and what the errors of its estimates are made
// of.
//
// Indices are of three kinds. Columns are those of the least squares: a pool of
// groups each, then one or two of what is no launch. Cells are finer: a group
// each, then the same of what is no launch. Effects are what is fitted beside
// the columns, by metric: how groups deviate from their pools, and how work
// lies in launches' windows.

#pragma once

#include <cstddef>
#include <cstdint>
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
  float covered = 0;  // part of its time
};

// A design by columns: entries [begin[c], begin[c + 1]) are column c's.
struct DesignColumns {
  std::vector<std::uint32_t> begin{};
  std::vector<std::uint32_t> row{};
  std::vector<double> value{};
};

// Which effects there are: two edges of all launches' windows, two of each
// kernel's (the less busy ones share some), the terms of its rate for
// those that last long, and a deviation of each group that has one.
struct EffectNumbers {
  std::vector<std::uint32_t> moved{};     // by column: place of its kernel
  std::vector<std::uint32_t> shaped{};    // the same, among those with a rate
  std::vector<std::uint32_t> deviates{};  // by group: place of its deviation
  std::vector<std::uint32_t> group{};     // by place of a deviation
  std::uint32_t moves = 0;
  std::uint32_t shapes = 0;

  static constexpr Index kStart = 0;
  static constexpr Index kEnd = 1;
  Index start(std::uint32_t kernel) const { return 2 + 2 * Index{kernel}; }
  Index end(std::uint32_t kernel) const { return start(kernel) + 1; }
  Index rate(std::uint32_t kernel, std::uint32_t j) const {
    return start(moves) + Index{kernel} * kShapeTerms + Index{j};
  }
  Index windows() const { return rate(shapes, 0); }
  Index deviation(std::uint32_t place) const {
    return windows() + Index{place};
  }
  Index deviations() const { return static_cast<Index>(group.size()); }
  Index size() const { return windows() + deviations(); }
};

// The effects on one metric.
struct Effects {
  Vector value{};       // edges and moves in ns, rates and deviations relative
  Matrix covariance{};  // what is not known of them
  Matrix product{};     // columns x windows' effects: A'W slopes
  Vector sums{};        // by windows' effect: slopes, over all samples
  Vector scale{};       // by deviation: the count that it is relative to
  std::vector<double> width{};    // by family: how far groups deviate, relative
  std::vector<double> scatter{};  // by family: of its groups, by chance's
  double decided = 0;             // how many effects the samples decide
  double move_ns = 0;             // how far kernels' edges scatter
  double degrees = 2;             // effects that the edges are known from
};

// What goes with all launches of a group and is none of their counts.
struct GroupExtra {
  double kernels = 0;  // launches that are no copies or sets
  double warps = 0;    // of these
  double idle_ns = 0;  // before its launches, in which nothing ran
};

struct FitState {
  std::vector<EstimatedMetric> metrics{};
  SampleWindows samples{};
  std::vector<std::uint32_t> block{};  // by sample; ascending
  std::uint32_t blocks = 0;
  std::vector<FitGroup> groups{};
  Pools pools{};
  std::vector<std::uint32_t> pool_groups{};  // by pool, how many it has
  std::vector<std::vector<std::uint32_t>> pools_of_column{};
  PoolColumns pooled{};
  std::vector<std::uint32_t> group_of_launch{};
  std::vector<LaunchPlace> places{};  // by launch
  WindowEdges edges{};
  bool background = false;

  Design cells{};   // samples x cells
  Design design{};  // samples x columns
  DesignColumns by_cell{};
  Vector cell_sums{};  // by cell: launches that samples saw
  WindowTerms terms{};
  Design cuts{};       // how the cells change with the windows' terms
  RowMatrix own{};     // samples x metrics, without the tracer's instructions
  RowMatrix fitted{};  // the same, as the estimates have it
  RowMatrix residual{};
  Vector leverage{};  // by sample: how far it decides about its own estimate
  Vector noise{};     // by metric: mean square of the residuals, weighted

  NormalEquations equations{};
  std::vector<double> launches{};       // by column, in its own unit
  std::vector<std::uint32_t> kernel{};  // by column; one for launches alike
  std::vector<GroupExtra> extra{};      // by group
  ColumnPrior prior{};
  Vector prior_spread{};  // by metric, of counts about the prior, relative
  Matrix inverse{};       // with the constraint of the totals in it
  Vector toward_total{};  // how estimates follow one count more in all samples
  Matrix x{};             // columns x metrics, none below 0
  Matrix counts{};        // cells x metrics: of a launch, with deviations
  std::vector<HeldColumns> zero{};  // by metric
  std::vector<Matrix> scores{};     // by metric: columns x blocks
  Matrix block_residual{};          // blocks x metrics

  EffectNumbers numbers{};
  std::vector<Effects> effects{};    // by metric
  std::vector<bool> deviates{};      // by family: its groups do not count alike
  std::vector<double> scatter{};     // by family, when that was decided
  std::vector<FitPool> described{};  // by pool, for callers
  Matrix deviation_product{};  // columns x deviations: A'W of their groups
  Matrix deviation_squares{};  // deviations squared, likewise
  Vector inflation{};          // by metric: what the halves ask for; 1 or more
  Vector misfit{};  // by metric: of errors, what weights of samples change

  FitQuality quality{};

  // Of the outside, which are the last.
  std::size_t launch_columns() const { return pooled.columns.count; }
  std::uint32_t column(std::uint32_t group) const {
    return pooled.columns.column[group];
  }
  double weight(std::uint32_t group) const {
    return pooled.columns.weight[group];
  }
};

}  // namespace rangefinder
