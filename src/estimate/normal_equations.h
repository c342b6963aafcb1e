// Least squares by the normal equations: A'A, which all metrics share, and A'y.
//
// A launch with little information in the samples is held to the count that its
// time would have at the run's mean rate: `prior`, with a weight that is small
// beside any real information. The counts of all columns add up to the sampled
// total.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/matrix.h"

namespace rangefinder {

struct NormalEquations {
  // W: the rows' weights.
  Matrix products{};  // A'WA; the lower triangle
  Matrix right{};     // A'Wy: columns x metrics
  Vector sums{};      // A'1
  Vector counts{};    // 1'y: by metric
  Vector squares{};   // y'Wy
  std::size_t samples = 0;
  std::uint64_t operations = 0;

  NormalEquations& operator+=(const NormalEquations& other);
};

// Of the rows whose half is `half`: 0 or 1, which alternate by blocks; 2: of
// all rows.
NormalEquations Accumulate(const Design& design, const RowMatrix& counts,
                           std::span<const std::uint32_t> block, int half);

// The prior of a column, and its weight.
struct ColumnPrior {
  Vector weight{};  // added to the diagonal of A'A
  Matrix mean{};    // columns x metrics
};

// The mean rate by metric, in counts per nanosecond of a launch: the least
// squares of one column.
Vector RatesOf(const NormalEquations& equations,
               std::span<const double> duration_ns);

// Weights and means of columns by the duration of their launches, at `rates`.
// The outside, the last columns, has no prior. `noise_ns` is a sample's
// residual, as time at these rates.
ColumnPrior PriorOf(const NormalEquations& equations,
                    std::span<const double> duration_ns, double noise_ns,
                    const Vector& rates);

// The root mean square of the residuals over the metrics' rates: the time in
// which as much is counted. The first quartile over the metrics, because half
// of a wide set may count next to nothing in a program and be all noise.
double NoiseOf(const Vector& squares, std::size_t samples, const Vector& rates);

// A'y with the prior.
Matrix RightWithPrior(const NormalEquations& equations,
                      const ColumnPrior& prior);

// (A'A + weights)^-1 right.
Matrix SolveFor(const NormalEquations& equations, const ColumnPrior& prior,
                const Matrix& right);

// The estimates without constraints: they may be below 0.
Matrix Solve(const NormalEquations& equations, const ColumnPrior& prior);

// The solution, with both triangles of the inverse of A'A + weights.
struct InverseSolution {
  Matrix x{};
  Matrix inverse{};
};
InverseSolution SolveWithInverse(const NormalEquations& equations,
                                 const ColumnPrior& prior);

// The sum over samples of squared residuals at `x`, by metric.
Vector SquaresLeft(const NormalEquations& equations, const Matrix& x);

// Columns that are held at 0 because they would be below it, ascending, with
// the force on each: the addition to A'y that holds it.
struct HeldColumns {
  std::vector<Index> column{};
  Vector force{};
};

// The least-squares estimates under the constraint that none is below 0. `x`
// and `inverse` are SolveWithInverse's with the totals' constraint in them.
//
// Block principal pivoting: L. F. Portugal, J. J. Judice, L. N. Vicente, A
// comparison of block pivoting and interior-point algorithms for linear least
// squares problems with nonnegative variables, Math. Comp. 63 (1994); here on
// the multipliers, which are few. It terminates because it falls back to single
// pivots (K. G. Murty, 1974).
struct NonNegative {
  Vector x{};
  HeldColumns zero{};
};
NonNegative HoldAtZero(const Vector& x, const Matrix& inverse);

}  // namespace rangefinder
