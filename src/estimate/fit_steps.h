// The steps of a fit, in their order, and of asking it: what each fills of the
// state, and what estimates are made of.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/fit_state.h"
#include "estimate/matrix.h"

namespace rangefinder {

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

// What a query is of columns and of cells.
struct ColumnPart {
  std::uint32_t column = 0;
  double weight = 0;  // launches in the column's unit
};
struct CellPart {
  std::uint32_t cell = 0;
  double launches = 0;
  double share = 0;  // of all that the cell stands for
};
struct ColumnQuery {
  std::vector<ColumnPart> parts{};
  std::vector<CellPart> cells{};
  double unsure = 0;  // of its time, in columns that other pools share with it
  std::vector<double> unsure_launches{};  // by part, a standard deviation
};
// Of launches by group, ascending.
ColumnQuery ColumnsOf(const FitState& state, std::vector<CellPart> groups);

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

// The mean square of a metric's residuals, weighted, without what the columns
// and the effects so far have taken out of them: the median of blocks of time,
// as what runs for a short time may be explained badly.
double UsualNoise(const FitState& state, Index metric);

// A sample begins or ends while a launch runs.
struct SampleBorder {
  std::uint32_t sample = 0;
  std::uint32_t group = 0;  // of the launch
  double rate = 0;          // of the launch, by ns, if it is even
  double part = 0;          // of the launch that lies before the border
};
std::vector<SampleBorder> BordersOf(const FitState& state,
                                    const LaunchWindows& windows);

// Weighs samples by the noise that they have, which is found from the
// residuals. Those that are explained worse than usual say less than usual, as
// the squares of their residuals are larger (J. W. Tukey's and F. R. Hampel's
// redescending weights).
void WeighSamples(FitState& state, std::span<const SampleBorder> borders);

// Which effects there are; before the cuts are made.
void ChooseEffects(FitState& state);

// Finds the effects, and solves with them.
void FitEffects(FitState& state);

// A metric's estimates from A'y less what the effects make of it; fills what is
// left, too. `moved`: by sample, what windows' effects put there.
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

std::vector<InstanceCounts> CountInstances(
    const FitState& state, std::span<const RegionQuery> instances);

// Fits both halves, compares them, and judges the whole.
void CompareHalves(FitState& state);
void Judge(FitState& state);

}  // namespace rangefinder
