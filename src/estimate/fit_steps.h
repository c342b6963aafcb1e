// The steps of a fit and of a query, in their order, with the members of
// FitState that each of them sets.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/fit_state.h"
#include "estimate/matrix.h"

namespace rangefinder {

// The least standard error of a total, relative. In tests/gpu/programs/
// alternating.cu on an H100, estimates were 0.02 to 0.05 % off although neither
// blocks of time nor halves showed an error (docs/measured.md).
constexpr double kModelError = 0.0003;

// Blocks of equally many busy samples; their number is even.
void MakeBlocks(FitState& state, std::size_t most);

// Solves for all columns and sets the members that errors are computed from.
// Needs the design, the equations and the prior.
void SolveFully(FitState& state);

// A solution that keeps the totals and has no count below 0.
struct KeptSolution {
  Matrix x{};
  Matrix inverse{};
  Vector toward_total{};
  std::vector<HeldColumns> zero{};
};
KeptSolution SolveKept(const NormalEquations& equations,
                       const ColumnPrior& prior);

// How the solution follows A'y where some columns of a metric are held at 0.
// `columns` is the inverse times any matrix.
Matrix HeldReach(const FitState& state, const Matrix& columns, Index metric);

// The columns and cells of a query.
struct ColumnPart {
  std::uint32_t column = 0;
  double weight = 0;  // launches in the column's unit
};
struct CellPart {
  std::uint32_t cell = 0;
  double launches = 0;
  double share = 0;  // of the cell's launches
};
struct ColumnQuery {
  std::vector<ColumnPart> parts{};
  std::vector<CellPart> cells{};
  double unsure = 0;  // share of its time in columns with other pools
  std::vector<double> unsure_launches{};  // by part, a standard deviation
};
// `groups`: launches by group, ascending.
ColumnQuery ColumnsOf(const FitState& state, std::vector<CellPart> groups);

// HeldReach for queries whose own columns are released: the uncertainty of a
// column held at 0 is the one that it would have if released.
struct FreedReach {
  Matrix columns{};  // columns x queries
  Vector off{};      // by query: change of its estimate by the release
};
FreedReach FreedOf(const FitState& state, const Matrix& columns,
                   std::span<const ColumnQuery> queries, Index metric);

// By query and metric. Includes the absences that follow from the design.
std::vector<std::vector<CounterEstimate>> EstimateColumns(
    const FitState& state, std::span<const ColumnQuery> queries);

// The weighted mean square of a metric's residuals, without the degrees of
// freedom of the columns and effects. The median of blocks of time, because
// short phases may be explained badly.
double UsualNoise(const FitState& state, Index metric);

// A border of a sample within a launch.
struct SampleBorder {
  std::uint32_t sample = 0;
  std::uint32_t group = 0;  // of the launch
  double rate = 0;          // of the launch, per ns, if it is constant
  double part = 0;          // part of the launch before the border
  bool at_end = false;      // between the fitted end and the recorded one
};

// How samples are weighed. Launches of a group count the same code, but not the
// same traffic, and samples without a border within a launch count code nearly
// exactly.
struct Weighing {
  bool of_code = false;  // all metrics are of code
  // Of code: factor on the variance that is found for samples without such a
  // border. Less than 1 while the counts are wrong, whose residuals hide how
  // exact these samples are.
  double quiet = 1;
};

// For metrics of code, a launch begins where it is recorded, since its first
// instructions run at once, and may run until its recorded end.
std::vector<SampleBorder> BordersOf(const FitState& state,
                                    const LaunchWindows& windows, bool of_code);

// Weighs samples by their noise, which is found from the residuals. Samples
// that are explained worse than usual get less weight, by the squares of their
// residuals (redescending weights of J. W. Tukey and F. R. Hampel).
void WeighSamples(FitState& state, std::span<const SampleBorder> borders,
                  const Weighing& weighing);

// Chooses the effects; called before the cuts are made.
void ChooseEffects(FitState& state, const LaunchWindows& windows);

// Finds the effects, and solves the counts with them. Families that deviate
// keep deviating.
void FitEffects(FitState& state);

// Sets a metric's estimates from A'y less the part of the effects, and the
// residuals. `moved`: by sample, the counts that windows' effects add.
void SolveAgain(FitState& state, Index metric, const Vector& right,
                const Vector& moved);

// The weighted squares of a metric's residuals, and of all metrics'.
double WeightedSquare(const FitState& state, Index metric);
Vector WeightedSquares(const FitState& state);

// By column and block: a metric's residuals, each times the sample's weight and
// its part of the column, summed over the block's samples.
Matrix ScoresOf(const FitState& state, Index metric);

// Sets the members that errors are computed from; after the last SolveAgain.
void AddScores(FitState& state);

std::vector<RegionEstimate> EstimateRegions(
    const FitState& state, std::span<const RegionQuery> queries);
std::vector<CounterEstimate> EstimateOutside(const FitState& state);
std::vector<RegionBlock> EstimateOverTime(
    const FitState& state, std::span<const RegionQuery> instances,
    std::size_t blocks);

std::vector<InstanceCounts> CountInstances(
    const FitState& state, std::span<const RegionQuery> instances);

// Fits both halves, compares them, and judges the whole fit.
void CompareHalves(FitState& state);
void Judge(FitState& state);

}  // namespace rangefinder
