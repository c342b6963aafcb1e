// How far the estimates depend on how samples are weighted.
//
// Least squares take all samples to be equally certain. If launches explain
// samples as the model says, any other weights give the same estimates but for
// chance; if they do not, as where what a kernel counts depends on what ran
// before it, each way of weighting has errors of its own (J. A. Hausman,
// Specification tests in econometrics, Econometrica 46 (1978)). So the
// estimates are compared with those that take noise to be in proportion to what
// ran in a sample. By how much both halves of the run agree that the two differ
// is no chance, and belongs to the errors.

#include <algorithm>
#include <cmath>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

// As much of an idle sample's noise as if it were busy for that part of it.
constexpr double kIdle = 0.03;

// One by the noise of a sample, by sample.
Vector Weights(const Design& design) {
  Vector weights(static_cast<Index>(design.rows()));
  const auto last = static_cast<std::uint32_t>(design.columns - 1);
  for (std::size_t i = 0; i < design.rows(); ++i) {
    double busy = 1;
    for (std::uint32_t k = design.begin[i]; k < design.begin[i + 1]; ++k) {
      if (design.column[k] == last) busy = std::max(1 - design.value[k], 0.0);
    }
    weights[static_cast<Index>(i)] = 1 / (kIdle + busy);
  }
  return weights;
}

// A half's solution with the total of its samples kept, as it comes out.
Matrix Kept(const NormalEquations& equations, const ColumnPrior& prior,
            const NormalEquations& totals) {
  Matrix right(equations.right.rows(), equations.right.cols() + 1);
  right.leftCols(equations.right.cols()) =
      equations.right + prior.weight.asDiagonal() * prior.mean;
  right.rightCols(1) = totals.sums;
  const Matrix solved = SolveFor(equations, prior, right);
  Matrix x = solved.leftCols(equations.right.cols());
  const Vector follow = solved.rightCols(1);
  const double whole = totals.sums.dot(follow);
  if (whole > 0)
    x += follow * (totals.counts.transpose() - totals.sums.transpose() * x) /
         whole;
  return x;
}

}  // namespace

Matrix WeightedLess(const FitState& state, const NormalEquations& half,
                    const RowMatrix& counts, int which) {
  const Vector weights = Weights(state.design);
  Design design = state.design;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (std::uint32_t k = design.begin[i]; k < design.begin[i + 1]; ++k)
      design.value[k] *= weights[static_cast<Index>(i)];
  }
  const NormalEquations weighted =
      Accumulate(design, weights.asDiagonal() * counts, state.block, which);
  return Kept(weighted, state.prior, half) - Kept(half, state.prior, half);
}

}  // namespace rangefinder
