// The solution that estimates are read from, and the data for their errors.

#include <algorithm>
#include <cmath>
#include <utility>

#include <eigen3/Eigen/Cholesky>

#include "base/median.h"
#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

constexpr double kLeastNoise = 1e-3;  // part of a sample's count

// A sample's weight in its own estimate: w a (A'WA)^-1 a'.
double LeverageOf(const Design& design, std::size_t i, const Matrix& inverse,
                  const Vector& toward_total) {
  const double weight = design.weight_of(i);
  double leverage = 0;
  for (const std::uint32_t a : design.Entries(i)) {
    const auto one = static_cast<Index>(design.column[a]);
    double sum =
        toward_total[one] + weight * inverse(one, one) * design.value[a];
    for (std::uint32_t b = design.begin[i]; b < a; ++b)
      sum += 2 * weight * design.value[b] *
             inverse(one, static_cast<Index>(design.column[b]));
    leverage += design.value[a] * sum;
  }
  return std::clamp(leverage, 0.0, 1.0);
}

DesignColumns ByColumn(const Design& design) {
  DesignColumns columns;
  columns.begin.assign(design.columns + 1, 0);
  for (const std::uint32_t column : design.column) ++columns.begin[column + 1];
  for (std::size_t c = 0; c < design.columns; ++c)
    columns.begin[c + 1] += columns.begin[c];
  columns.row.resize(design.column.size());
  columns.value.resize(design.column.size());
  std::vector<std::uint32_t> next(columns.begin.begin(),
                                  columns.begin.end() - 1);
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (const std::uint32_t k : design.Entries(i)) {
      const std::uint32_t at = next[design.column[k]]++;
      columns.row[at] = static_cast<std::uint32_t>(i);
      columns.value[at] = design.value[k];
    }
  }
  return columns;
}

// Counts of a launch by cell, from a metric's columns and deviations.
Vector CountsOf(const FitState& state, Index metric) {
  const auto groups = static_cast<Index>(state.groups.size());
  const auto columns = static_cast<Index>(state.launch_columns());
  const Index outside = state.x.rows() - columns;
  Vector counts(groups + outside);
  counts.tail(outside) = state.x.col(metric).tail(outside);
  for (Index g = 0; g < groups; ++g) {
    const auto group = static_cast<std::uint32_t>(g);
    counts[g] = state.weight(group) *
                state.x(static_cast<Index>(state.column(group)), metric);
    if (state.effects.empty() || state.numbers.deviates[group] == kNone)
      continue;
    const Index deviation =
        state.numbers.deviation(state.numbers.deviates[group]);
    const Effects& effects = state.effects[static_cast<std::size_t>(metric)];
    counts[g] +=
        effects.scale[state.numbers.deviates[group]] * effects.value[deviation];
    counts[g] = std::max(counts[g], 0.0);
  }
  return counts;
}

// The scatter of counts about their prior, where the samples decide.
void MeasurePriorSpread(FitState& state) {
  state.prior_spread = Vector::Constant(state.x.cols(), 1);
  for (Index m = 0; m < state.x.cols(); ++m) {
    double squares = 0, weight = 0;
    for (Index c = 0; c < static_cast<Index>(state.launch_columns()); ++c) {
      const double mean = state.prior.mean(c, m);
      if (mean <= 0 || state.prior.weight[c] * state.inverse(c, c) > 0.1)
        continue;
      const double busy = state.equations.sums[c] *
                          state.pooled.duration_ns[static_cast<std::size_t>(c)];
      const double off = state.x(c, m) / mean - 1;
      squares += busy * off * off;
      weight += busy;
    }
    if (weight > 0)
      state.prior_spread[m] = std::max(std::sqrt(squares / weight), 0.3);
  }
}

}  // namespace

void MakeBlocks(FitState& state, std::size_t most) {
  constexpr std::size_t kLeastSamples = 8;  // of a block
  const Design& design = state.cells;
  std::size_t busy = 0;
  for (std::size_t i = 0; i < design.rows(); ++i)
    busy += state.is_busy(i) ? 1 : 0;
  std::size_t blocks = std::min(most, busy / kLeastSamples);
  blocks = std::max<std::size_t>(blocks - blocks % 2, 2);
  state.block.clear();
  std::size_t seen = 0;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    const std::size_t block =
        busy == 0 ? 0 : std::min(seen * blocks / busy, blocks - 1);
    state.block.push_back(static_cast<std::uint32_t>(block));
    seen += state.is_busy(i) ? 1 : 0;
  }
  state.blocks = static_cast<std::uint32_t>(blocks);
}

KeptSolution SolveKept(const NormalEquations& equations,
                       const ColumnPrior& prior) {
  KeptSolution kept;
  InverseSolution free = SolveWithInverse(equations, prior);
  const Vector follow = free.inverse * equations.sums;
  const double whole = equations.sums.dot(follow);
  kept.toward_total = Vector::Zero(follow.size());
  if (whole > 0) {
    kept.toward_total = follow / whole;
    free.inverse.noalias() -= follow * kept.toward_total.transpose();
    free.x += kept.toward_total * (equations.counts.transpose() -
                                   equations.sums.transpose() * free.x);
  }
  kept.x.resize(free.x.rows(), free.x.cols());
  for (Index m = 0; m < free.x.cols(); ++m) {
    NonNegative solution = HoldAtZero(free.x.col(m), free.inverse);
    kept.x.col(m) = solution.x;
    kept.zero.push_back(std::move(solution.zero));
  }
  kept.inverse = std::move(free.inverse);
  return kept;
}

void SolveFully(FitState& state) {
  KeptSolution kept = SolveKept(state.equations, state.prior);
  state.x = std::move(kept.x);
  state.inverse = std::move(kept.inverse);
  state.toward_total = std::move(kept.toward_total);
  state.zero = std::move(kept.zero);
  state.by_cell = ByColumn(state.cells);
  state.cell_sums = Vector::Zero(static_cast<Index>(state.cells.columns));
  for (std::size_t k = 0; k < state.cells.column.size(); ++k)
    state.cell_sums[static_cast<Index>(state.cells.column[k])] +=
        state.cells.value[k];
  state.effects.clear();
  state.counts.resize(static_cast<Index>(state.cells.columns), state.x.cols());
  for (Index m = 0; m < state.x.cols(); ++m)
    state.counts.col(m) = CountsOf(state, m);
  state.fitted = Predicted(state.design, state.x);
  state.residual = state.own - state.fitted;
  const std::size_t rows = state.design.rows();
  state.leverage.resize(static_cast<Index>(rows));
  for (std::size_t i = 0; i < rows; ++i)
    state.leverage[static_cast<Index>(i)] =
        LeverageOf(state.design, i, state.inverse, state.toward_total);
  AddScores(state);
  MeasurePriorSpread(state);
  state.inflation = Vector::Ones(state.x.cols());
  state.misfit = Vector::Zero(state.x.cols());
}

double UsualNoise(const FitState& state, Index metric) {
  std::vector<double> squares(state.blocks, 0), samples(state.blocks, 0);
  double taken = 0;
  if (!state.effects.empty())
    taken = state.effects[static_cast<std::size_t>(metric)].decided;
  double all = 0;
  for (std::size_t i = 0; i < state.design.rows(); ++i) {
    if (!state.is_busy(i)) continue;
    const double left = state.residual(static_cast<Index>(i), metric);
    squares[state.block[i]] += state.design.weight_of(i) * left * left;
    samples[state.block[i]] += 1;
    taken += state.leverage[static_cast<Index>(i)];
    all += 1;
  }
  for (std::uint32_t b = 0; b < state.blocks; ++b)
    squares[b] /= std::max(samples[b], 1.0);
  const double noise =
      UpperMedian(std::move(squares)) / std::max(1 - taken / all, 0.1);
  const double least = kLeastNoise * kLeastNoise *
                       state.own.col(metric).squaredNorm() / std::max(all, 1.0);
  return std::max(noise, least) > 0 ? std::max(noise, least) : 1;
}

double WeightedSquare(const FitState& state, Index metric) {
  double sum = 0;
  for (std::size_t i = 0; i < state.design.rows(); ++i) {
    const double left = state.residual(static_cast<Index>(i), metric);
    sum += state.design.weight_of(i) * (left * left);
  }
  return sum;
}

Vector WeightedSquares(const FitState& state) {
  Vector squares(state.residual.cols());
  for (Index m = 0; m < squares.size(); ++m)
    squares[m] = WeightedSquare(state, m);
  return squares;
}

Matrix ScoresOf(const FitState& state, Index metric) {
  Matrix scores =
      Matrix::Zero(state.x.rows(), static_cast<Index>(state.blocks));
  const Design& design = state.design;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    const double left =
        design.weight_of(i) * state.residual(static_cast<Index>(i), metric);
    for (const std::uint32_t k : design.Entries(i))
      scores(static_cast<Index>(design.column[k]),
             static_cast<Index>(state.block[i])) += design.value[k] * left;
  }
  return scores;
}

void AddScores(FitState& state) {
  const Index metrics = state.x.cols();
  double free = 0;
  for (Index i = 0; i < state.leverage.size(); ++i)
    free += 1 - state.leverage[i];
  state.noise = WeightedSquares(state) / std::max(free, 1.0);
  state.scores.clear();
  for (Index m = 0; m < metrics; ++m)
    state.scores.push_back(ScoresOf(state, m));
  state.block_residual =
      Matrix::Zero(static_cast<Index>(state.blocks), metrics);
  for (std::size_t i = 0; i < state.design.rows(); ++i)
    state.block_residual.row(static_cast<Index>(state.block[i])) +=
        state.residual.row(static_cast<Index>(i));
}

void SolveAgain(FitState& state, Index metric, const Vector& right,
                const Vector& moved) {
  const Vector free =
      state.inverse * (right + state.prior.weight.cwiseProduct(
                                   state.prior.mean.col(metric))) +
      state.toward_total * (state.equations.counts[metric] - moved.sum());
  NonNegative solution = HoldAtZero(free, state.inverse);
  state.x.col(metric) = solution.x;
  state.zero[static_cast<std::size_t>(metric)] = std::move(solution.zero);
  state.counts.col(metric) = CountsOf(state, metric);
  state.fitted.col(metric) = Predicted(state.design, solution.x) + moved;
  state.residual.col(metric) = state.own.col(metric) - state.fitted.col(metric);
}

}  // namespace rangefinder
