// A fit of one device's samples, and what the errors of its estimates are made
// of.

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
#include "estimate/window_terms.h"
#include "estimate/windows.h"

namespace rangefinder {

// Where a launch lies in the used samples.
struct LaunchPlace {
  double start_ns = 0;  // from the samples' origin
  double end_ns = 0;
  std::uint32_t first_sample = 0;
  std::uint32_t samples = 0;
  float covered = 0;  // part of its time
};

// The design by columns: entries [begin[c], begin[c + 1]) are column c's.
struct DesignColumns {
  std::vector<std::uint32_t> begin{};
  std::vector<std::uint32_t> row{};
  std::vector<double> value{};
};

// What of windows is fitted, by metric: for all launches how much later work
// begins and ends, for the kernels that are busy longest how much later all of
// it is, and for those of them that last long how its rate goes.
struct WindowParameters {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<std::uint32_t> moved{};   // by column: place of its kernel
  std::vector<std::uint32_t> shaped{};  // the same, among those with a rate
  std::uint32_t moved_kernels = 0;
  std::uint32_t shaped_kernels = 0;

  static constexpr Index kStart = 0;
  static constexpr Index kEnd = 1;
  Index move(std::uint32_t kernel) const { return 2 + Index{kernel}; }
  Index rate(std::uint32_t kernel, std::uint32_t j) const {
    return move(moved_kernels) + Index{kernel} * kShapeTerms + Index{j};
  }
  Index size() const { return rate(shaped_kernels, 0); }
};

// What goes with all launches of a column and is none of their counts.
struct ColumnExtra {
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
  LaunchColumns columns{};
  std::vector<LaunchPlace> places{};  // by launch
  WindowEdges edges{};
  bool background = false;

  Design design{};
  DesignColumns by_column{};
  WindowTerms terms{};
  Design cuts{};       // how the design changes with the windows' terms
  RowMatrix own{};     // samples x metrics, without the tracer's instructions
  RowMatrix fitted{};  // the same, as the estimates have it
  RowMatrix residual{};
  Vector leverage{};  // by sample: how far it decides about its own estimate
  Vector noise{};     // by metric: mean square of the residuals, weighted

  NormalEquations equations{};
  std::vector<double> duration_ns{};    // of a launch, by column
  std::vector<double> launches{};       // by column, in its own unit
  std::vector<std::uint32_t> kernel{};  // by column; one for launches alike
  std::vector<std::uint32_t> region{};  // by column
  std::vector<ColumnExtra> extra{};     // by column
  ColumnPrior prior{};
  Vector prior_spread{};  // by metric, of counts about the prior, relative
  Matrix inverse{};       // with the constraint of the totals in it
  Vector toward_total{};  // how estimates follow one count more in all samples
  Matrix x{};             // columns x metrics, none below 0
  std::vector<HeldColumns> zero{};  // by metric
  std::vector<Matrix> scores{};     // by metric: columns x blocks
  Matrix block_residual{};          // blocks x metrics
  // How work lies in its windows, taken into account in what is fitted and
  // left, and what is not known of it; by metric, of `parameters`.
  WindowParameters parameters{};
  std::vector<Vector> window_value{};
  std::vector<Matrix> window_covariance{};
  Vector window_error_ns{};  // by metric: of a kernel that is not moved
  Vector window_degrees{};   // by metric: kernels that the moves are known from
  Vector inflation{};        // by metric: what the halves ask for; 1 or more
  Vector misfit{};  // by metric: of errors, what weights of samples change

  FitQuality quality{};

  // Of the outside, which are the last.
  std::size_t launch_columns() const { return columns.count; }
};

// Blocks of equally many samples that launches lie in, an even number of them.
void MakeBlocks(FitState& state, std::size_t most);

// Solves for all columns, and fills what errors are made of. The design, the
// equations and the prior are there.
void SolveFully(FitState& state);

// One solution with the totals kept and nothing below 0.
struct KeptSolution {
  Matrix x{};
  Matrix inverse{};
  Vector toward_total{};
  std::vector<HeldColumns> zero{};
};
KeptSolution SolveKept(const NormalEquations& equations,
                       const ColumnPrior& prior);

// What follows A'y where some columns of a metric are held at 0: `columns` is
// the inverse times anything.
Matrix HeldReach(const FitState& state, const Matrix& columns, Index metric);

// What a query is of the columns.
struct ColumnPart {
  std::uint32_t column = 0;
  double weight = 0;  // launches in the column's unit
  double share = 0;   // of all that the column stands for
};
struct ColumnQuery {
  std::vector<ColumnPart> parts{};
  double unsure = 0;  // of its time, in columns that others share with it
  std::vector<double> unsure_launches{};  // by part, a standard deviation
};
ColumnQuery ColumnsOf(const FitState& state, const RegionQuery& query);

// What HeldReach says, of queries, in each of which its own columns are free:
// how uncertain is what is held at 0 says what it would be if it were not.
struct FreedReach {
  Matrix columns{};  // columns x queries
  Vector off{};      // by query: how far its estimate would be from where it is
};
FreedReach FreedOf(const FitState& state, const Matrix& columns,
                   std::span<const ColumnQuery> queries, Index metric);

// By query and metric. Absences of the design alone are in it.
std::vector<std::vector<CounterEstimate>> EstimateColumns(
    const FitState& state, std::span<const ColumnQuery> queries);

// Which parameters there are; before the cuts are made.
void ChooseWindowParameters(FitState& state);

// Finds how kernels' work lies in their windows, and solves with it.
void FitWindows(FitState& state);

// A metric's estimates from A'y, which may be moved; fills what is left, too.
void SolveAgain(FitState& state, Index metric, const Vector& right,
                const Vector& moved);

// After the last SolveAgain: what errors are made of.
void AddScores(FitState& state);

std::vector<RegionEstimate> EstimateRegions(
    const FitState& state, std::span<const RegionQuery> queries);
std::vector<CounterEstimate> EstimateOutside(const FitState& state);
std::vector<RegionBlock> EstimateOverTime(
    const FitState& state, std::span<const RegionQuery> instances,
    std::size_t blocks);

// Fits both halves, compares them, and judges the whole.
void CompareHalves(FitState& state);
void Judge(FitState& state);

// By how much the solution of a half of the samples (its equations, and 0 or 1)
// changes where samples are weighted less unequally. `counts` are those that
// the equations are made of.
Matrix WeightedLess(const FitState& state, const NormalEquations& half,
                    const RowMatrix& counts, int which);

// Student's t that 95 % lie within, both sides.
double StudentQuantile(double degrees_of_freedom);

}  // namespace rangefinder
