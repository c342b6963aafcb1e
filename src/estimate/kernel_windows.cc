// How kernels' work lies in their windows.
//
// The design spreads a launch's count evenly over its time. Where a kernel does
// more of its work early or late, a sample that begins or ends within a launch
// has too much or too little, as if the launch were moved. How far each kernel
// is moved is fitted beside the counts, by metric: moves are small and alike,
// so they are held to none by what they scatter (a random effect: C. R.
// Henderson, Best linear unbiased estimation and prediction under a selection
// model, Biometrics 31 (1975)). What is not known of them is a systematic error
// of the estimates.

#include <algorithm>
#include <cmath>
#include <map>

#include <eigen3/Eigen/Cholesky>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostKernels = 32;
constexpr double kLeastShare = 0.005;  // of a metric's count
constexpr int kRounds = 2;

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

// What the residuals say of the kernels' moves.
struct MoveEquations {
  Matrix information{};  // kernels x kernels, less what counts make up for
  Vector scores{};       // counts^2 / ns
  Matrix product{};      // A' slopes
  // By kernel: a move by itself, its error and the noise that goes with it.
  Vector step{};
  Vector error{};
  Vector noise{};
  std::vector<Index> known{};  // kernels about which anything is said
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

// `move` is in the residuals already.
MoveEquations EquationsOf(const FitState& state, const RowMatrix& slopes,
                          Index metric, const Vector& move) {
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
  MoveEquations equations;
  equations.product = product;
  const Matrix explained =
      HeldReach(state, state.inverse * equations.product, metric);
  equations.information =
      slopes.transpose() * slopes - equations.product.transpose() * explained;
  equations.scores =
      scores.colwise().sum().transpose() + equations.information * move;
  equations.step = equations.error = equations.noise = Vector::Zero(kernels);
  for (Index k = 0; k < kernels; ++k) {
    const double information = equations.information(k, k);
    if (information <= 1e-6 * slopes.col(k).squaredNorm() ||
        scores.col(k).norm() <= 0)
      continue;
    equations.known.push_back(k);
    equations.step[k] = equations.scores[k] / information;
    equations.error[k] = scores.col(k).norm() / information;
    equations.noise[k] = equations.error[k] * equations.error[k] * information;
  }
  return equations;
}

// The scatter of moves beyond their errors: R. C. Paule, J. Mandel, Consensus
// values and weighting factors, J. Res. NBS 87 (1982).
double Scatter(const MoveEquations& equations, double most) {
  const auto excess = [&](double square) {
    double sum = 0;
    for (const Index k : equations.known)
      sum += equations.step[k] * equations.step[k] /
                 (equations.error[k] * equations.error[k] + square) -
             1;
    return sum;
  };
  if (equations.known.empty() || excess(1e-6) <= 0) return 0;
  double low = 0, high = most * most;
  if (excess(high) > 0) return most;
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return std::sqrt(high);
}

// Moves and what is not known of them, with their scatter as prior.
void Shrunk(const MoveEquations& equations, double scatter, Vector& move,
            Matrix& covariance) {
  const Index kernels = equations.step.size();
  move.setZero(kernels);
  covariance = Matrix::Identity(kernels, kernels) * scatter * scatter;
  const auto size = static_cast<Index>(equations.known.size());
  if (scatter <= 0 || size == 0) return;
  Matrix precision(size, size);
  Vector score(size);
  for (Index a = 0; a < size; ++a) {
    const Index one = equations.known[static_cast<std::size_t>(a)];
    score[a] = equations.scores[one] / equations.noise[one];
    for (Index b = 0; b < size; ++b) {
      const Index other = equations.known[static_cast<std::size_t>(b)];
      precision(a, b) =
          equations.information(one, other) /
          std::sqrt(equations.noise[one] * equations.noise[other]);
    }
  }
  precision.diagonal().array() += 1 / (scatter * scatter);
  const Matrix inverse = precision.llt().solve(Matrix::Identity(size, size));
  const Vector moves = inverse * score;
  for (Index a = 0; a < size; ++a) {
    const Index one = equations.known[static_cast<std::size_t>(a)];
    move[one] = moves[a];
    for (Index b = 0; b < size; ++b)
      covariance(one, equations.known[static_cast<std::size_t>(b)]) =
          inverse(a, b);
  }
}

// The metric's kernels that count enough to be moved, by their columns.
std::vector<std::vector<std::uint32_t>> Moved(
    const FitState& state, std::span<const std::vector<std::uint32_t>> kernels,
    Index metric) {
  const double all = state.equations.counts[metric];
  std::vector<std::vector<std::uint32_t>> moved;
  for (const std::vector<std::uint32_t>& columns : kernels) {
    double count = 0;
    for (const std::uint32_t c : columns)
      count += state.equations.sums[static_cast<Index>(c)] *
               state.x(static_cast<Index>(c), metric);
    moved.push_back(count > kLeastShare * all ? columns
                                              : std::vector<std::uint32_t>{});
  }
  return moved;
}

double MeanDuration(const FitState& state) {
  double time = 0, launches = 0;
  for (const FitGroup& group : state.groups) {
    time += group.busy_ns;
    launches += static_cast<double>(group.launches);
  }
  return time / launches;
}

}  // namespace

void FitWindows(FitState& state) {
  const auto kernels = LongestKernels(state);
  const auto metrics = static_cast<std::size_t>(state.x.cols());
  state.moved_kernel.assign(state.launch_columns(), FitState::kNotMoved);
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    for (const std::uint32_t c : kernels[k]) state.moved_kernel[c] = k;
  }
  state.window_error_ns = Vector::Zero(state.x.cols());
  state.window_degrees = Vector::Constant(state.x.cols(), 2);
  state.kernel_move.assign(metrics,
                           Vector::Zero(static_cast<Index>(kernels.size())));
  state.move_covariance.resize(metrics);
  const double most = MeanDuration(state) / 4;
  for (Index m = 0; m < state.x.cols(); ++m) {
    Vector& move = state.kernel_move[static_cast<std::size_t>(m)];
    for (int round = 0; round < kRounds; ++round) {
      const RowMatrix slopes = SlopesOf(state, Moved(state, kernels, m), m);
      const MoveEquations equations = EquationsOf(state, slopes, m, move);
      const double scatter = Scatter(equations, most);
      state.window_error_ns[m] = scatter;
      state.window_degrees[m] =
          std::max(static_cast<double>(equations.known.size()), 2.0);
      Shrunk(equations, scatter, move,
             state.move_covariance[static_cast<std::size_t>(m)]);
      SolveAgain(state, m,
                 state.equations.right.col(m) - equations.product * move,
                 slopes * move);
    }
  }
  AddScores(state);
  if (state.window_error_ns.size() > 0)
    state.quality.window_error_ns = state.window_error_ns.maxCoeff();
}

}  // namespace rangefinder
