// How far off the middle of its window a kernel's work lies.
//
// The design spreads a launch's count evenly over its time. Where a kernel does
// more of its work early or late, a sample that begins or ends within a launch
// has too much or too little, by what moving the launch would do. Each kernel's
// move is one Gauss-Newton step from the residuals; how much the moves of all
// kernels scatter beyond their own errors is what the estimates are not told,
// and what their systematic errors are made of.

#include <algorithm>
#include <cmath>
#include <map>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostKernels = 32;

// Columns of the kernels that are busy longest, in the samples.
std::vector<std::vector<std::uint32_t>> LongestKernels(const FitState& state) {
  std::map<std::uint32_t, double> busy;
  std::map<std::uint32_t, std::vector<std::uint32_t>> columns;
  for (std::uint32_t c = 0; c < state.launch_columns(); ++c) {
    busy[state.kernel[c]] +=
        state.equations.sums[static_cast<Index>(c)] * state.duration_ns[c];
    columns[state.kernel[c]].push_back(c);
  }
  std::vector<std::uint32_t> order;
  for (const auto& [kernel, time] : busy) order.push_back(kernel);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return busy[a] > busy[b];
  });
  if (order.size() > kMostKernels) order.resize(kMostKernels);
  std::vector<std::vector<std::uint32_t>> longest;
  for (const std::uint32_t kernel : order) longest.push_back(columns[kernel]);
  return longest;
}

// One kernel's move: the step, its error, in nanoseconds.
struct Move {
  double step = 0;
  double error = 0;
  double information = 0;  // counts^2 per ns^2
};

// Samples x kernels: how what is predicted changes as a kernel is later.
RowMatrix SlopesOf(const FitState& state,
                   std::span<const std::vector<std::uint32_t>> kernels,
                   Index metric) {
  const auto count = static_cast<Index>(kernels.size());
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> kernel_of(state.launch_columns(), kNone);
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    for (const std::uint32_t c : kernels[k]) kernel_of[c] = k;
  }
  RowMatrix slopes =
      RowMatrix::Zero(static_cast<Index>(state.moves.rows()), count);
  for (std::size_t i = 0; i < state.moves.rows(); ++i) {
    for (std::uint32_t k = state.moves.begin[i]; k < state.moves.begin[i + 1];
         ++k) {
      const std::uint32_t column = state.moves.column[k];
      if (kernel_of[column] == kNone) continue;
      slopes(static_cast<Index>(i), static_cast<Index>(kernel_of[column])) +=
          state.moves.value[k] * state.x(static_cast<Index>(column), metric);
    }
  }
  return slopes;
}

std::vector<Move> MovesOf(const FitState& state, const RowMatrix& slopes,
                          Index metric) {
  const Index kernels = slopes.cols();
  RowMatrix product =
      RowMatrix::Zero(static_cast<Index>(state.design.columns), kernels);
  Matrix scores = Matrix::Zero(static_cast<Index>(state.blocks), kernels);
  for (std::size_t i = 0; i < state.design.rows(); ++i) {
    const auto row = static_cast<Index>(i);
    for (std::uint32_t k = state.design.begin[i]; k < state.design.begin[i + 1];
         ++k)
      product.row(static_cast<Index>(state.design.column[k])) +=
          state.design.value[k] * slopes.row(row);
    scores.row(static_cast<Index>(state.block[i])) +=
        state.residual(row, metric) * slopes.row(row);
  }
  const Matrix explained = state.inverse * product;
  std::vector<Move> moves;
  for (Index k = 0; k < kernels; ++k) {
    Move move;
    move.information =
        slopes.col(k).squaredNorm() - product.col(k).dot(explained.col(k));
    if (move.information <= 1e-6 * slopes.col(k).squaredNorm()) continue;
    move.step = scores.col(k).sum() / move.information;
    move.error = scores.col(k).norm() / move.information;
    moves.push_back(move);
  }
  return moves;
}

// The scatter of moves beyond their errors: R. C. Paule, J. Mandel, Consensus
// values and weighting factors, J. Res. NBS 87 (1982).
double Scatter(std::span<const Move> moves, double most) {
  const auto excess = [&](double square) {
    double sum = 0;
    for (const Move& move : moves)
      sum += move.step * move.step / (move.error * move.error + square);
    return sum - static_cast<double>(moves.size());
  };
  if (moves.empty() || excess(1e-6) <= 0) return 0;
  double low = 0, high = most * most;
  if (excess(high) > 0) return most;
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return std::sqrt(high);
}

}  // namespace

void MeasureWindowErrors(FitState& state) {
  const auto kernels = LongestKernels(state);
  for (Index m = 0; m < state.x.cols(); ++m) {
    const RowMatrix slopes = SlopesOf(state, kernels, m);
    state.window_error_ns[m] =
        Scatter(MovesOf(state, slopes, m), state.samples.interval_ns / 4);
  }
  if (state.window_error_ns.size() > 0)
    state.quality.window_error_ns = state.window_error_ns.maxCoeff();
}

}  // namespace rangefinder
