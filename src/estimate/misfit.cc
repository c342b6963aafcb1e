// How far the estimates depend on how samples are weighted.
//
// Least squares take the noise of a sample to be in proportion to what ran in
// it. If launches explain samples as the model says, any other weights give the
// same estimates but for chance; if they do not, as where what a kernel counts
// depends on what ran before it, each way of weighting has errors of its own
// (J. A. Hausman, Specification tests in econometrics, Econometrica 46 (1978)).
// So the estimates are compared with those that take noise to grow half as
// fast. By how much both halves of the run agree that the two differ is no
// chance, and belongs to the errors.

#include <algorithm>
#include <cmath>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

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
  Design design = state.design;
  for (double& weight : design.weight) weight = std::sqrt(weight);
  const NormalEquations other = Accumulate(design, counts, state.block, which);
  return Kept(other, state.prior, half) - Kept(half, state.prior, half);
}

}  // namespace rangefinder
