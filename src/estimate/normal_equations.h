// Least squares by the normal equations: A'A, which all metrics share, and A'y.
//
// A launch that the samples say little about is held to what its time would
// have at the run's mean rate: `prior` with a weight that is small beside any
// real information. The counts of all columns add up to what was sampled.

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

// Of the rows of which `half` is 0 or 1, in turns of a block; 2: of all.
NormalEquations Accumulate(const Design& design, const RowMatrix& counts,
                           std::span<const std::uint32_t> block, int half);

// What a column is held to, and how strongly.
struct ColumnPrior {
  Vector weight{};  // added to the diagonal of A'A
  Matrix mean{};    // columns x metrics
};

// The mean rate by metric, in counts per nanosecond of a launch: the least
// squares of one column.
Vector RatesOf(const NormalEquations& equations,
               std::span<const double> duration_ns);

// Weights and means of columns by how long a launch in them lasts, at `rates`;
// those of the outside, which come last, are held to nothing. `noise_ns` is
// what a sample's residual is, as time at these rates.
ColumnPrior PriorOf(const NormalEquations& equations,
                    std::span<const double> duration_ns, double noise_ns,
                    const Vector& rates);

// The root of the mean square that is left, over the metrics' rates: the time
// in which as much is counted. Of the metric at the first quarter: half of a
// wide set may count next to nothing in a program, and be all noise.
double NoiseOf(const Vector& squares, std::size_t samples, const Vector& rates);

// (A'A + weights)^-1 right.
Matrix SolveFor(const NormalEquations& equations, const ColumnPrior& prior,
                const Matrix& right);

// The estimates, as they come out: they may be below 0.
Matrix Solve(const NormalEquations& equations, const ColumnPrior& prior);

// The same with the inverse of A'A + weights, both triangles.
struct InverseSolution {
  Matrix x{};
  Matrix inverse{};
};
InverseSolution SolveWithInverse(const NormalEquations& equations,
                                 const ColumnPrior& prior);

// The sum over samples of squares that `x` leaves, by metric.
Vector SquaresLeft(const NormalEquations& equations, const Matrix& x);

// Columns that would be below 0 and are held at it, ascending, and how
// strongly: what holding them adds to A'y.
struct HeldColumns {
  std::vector<Index> column{};
  Vector force{};
};

// Estimates with the least sum of squares of all that are not below 0. `x` and
// `inverse` are SolveWithInverse's with the totals' constraint in them.
//
// Block principal pivoting: L. F. Portugal, J. J. Judice, L. N. Vicente, A
// comparison of block pivoting and interior-point algorithms for linear least
// squares problems with nonnegative variables, Math. Comp. 63 (1994); here on
// the multipliers, of which there are few. It ends, as it falls back on single
// pivots (K. G. Murty, 1974).
struct NonNegative {
  Vector x{};
  HeldColumns zero{};
};
NonNegative HoldAtZero(const Vector& x, const Matrix& inverse);

}  // namespace rangefinder
