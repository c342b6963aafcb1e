#include "estimate/normal_equations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <eigen3/Eigen/Cholesky>

namespace rangefinder {
namespace {

// Scatter of a launch's count about the prior.
constexpr double kPriorSpread = 1.5;
constexpr Index kBlock = 128;
constexpr int kTries = 3;

// Cholesky's factor of A'A + weights, after a scaling to ones on the diagonal.
struct Factor {
  Vector scale{};
  Eigen::LLT<Matrix> factor{};
};

Factor FactorOf(const NormalEquations& equations, const ColumnPrior& prior) {
  Factor result;
  Matrix scaled = equations.products;
  scaled.diagonal() += prior.weight;
  result.scale = scaled.diagonal().cwiseSqrt().cwiseInverse();
  const Vector& scale = result.scale;
  for (Index column = 0; column < scaled.cols(); ++column) {
    for (Index row = column; row < scaled.rows(); ++row)
      scaled(row, column) *= scale[row] * scale[column];
  }
  // Keeps columns that are equal but for rounding solvable.
  scaled.diagonal().array() += 1e-11;
  result.factor.compute(scaled);
  return result;
}

Matrix SolvedBy(const Factor& factor, const Matrix& right) {
  return factor.scale.asDiagonal() *
         factor.factor.solve(factor.scale.asDiagonal() * right);
}

// The inverse of L L' by blocks of columns: two thirds of a cube, where solving
// for the unit matrix takes two.
Matrix InverseOf(const Factor& factor) {
  const Matrix& lower = factor.factor.matrixLLT();
  const Index size = lower.rows();
  Matrix inner = Matrix::Zero(size, size);
  for (Index at = 0; at < size; at += kBlock) {
    const Index width = std::min(kBlock, size - at);
    auto part = inner.block(at, at, size - at, width);
    part.topRows(width).setIdentity();
    lower.block(at, at, size - at, size - at)
        .triangularView<Eigen::Lower>()
        .solveInPlace(part);
  }
  Matrix inverse = Matrix::Zero(size, size);
  for (Index at = 0; at < size; at += kBlock) {
    const Index width = std::min(kBlock, size - at);
    const Index all = at + width;
    inverse.topLeftCorner(all, all).selfadjointView<Eigen::Lower>().rankUpdate(
        inner.block(at, 0, width, all).transpose());
  }
  for (Index column = 0; column < size; ++column) {
    for (Index row = column; row < size; ++row) {
      inverse(row, column) *= factor.scale[row] * factor.scale[column];
      inverse(column, row) = inverse(row, column);
    }
  }
  return inverse;
}

// Columns that violate a sign: free columns below 0, and held columns whose
// force pulls the wrong way.
std::vector<Index> Broken(const Vector& x, const Vector& force,
                          const std::vector<bool>& held, const Vector& spread,
                          double scale) {
  std::vector<Index> broken;
  for (Index i = 0; i < x.size(); ++i) {
    const bool wrong = held[static_cast<std::size_t>(i)]
                           ? force[i] * spread[i] < -1e-9 * scale
                           : x[i] < -1e-9 * scale * spread[i];
    if (wrong) broken.push_back(i);
  }
  return broken;
}

// x with the columns of `zero` held at 0, and the forces that hold them.
void Hold(const Vector& start, const Matrix& inverse,
          std::span<const Index> zero, Vector& x, Vector& force) {
  x = start;
  force.setZero();
  if (zero.empty()) return;
  const auto size = static_cast<Index>(zero.size());
  Matrix part(size, size);
  Vector at(size);
  for (Index b = 0; b < size; ++b) {
    const Index column = zero[static_cast<std::size_t>(b)];
    at[b] = start[column];
    for (Index a = b; a < size; ++a)
      part(a, b) = inverse(zero[static_cast<std::size_t>(a)], column);
  }
  part.diagonal() *= 1 + 1e-11;
  const Vector forces = part.selfadjointView<Eigen::Lower>().llt().solve(-at);
  for (Index b = 0; b < size; ++b) {
    const Index column = zero[static_cast<std::size_t>(b)];
    x += forces[b] * inverse.col(column);
    force[column] = forces[b];
  }
  for (const Index column : zero) x[column] = 0;
}

}  // namespace

NormalEquations& NormalEquations::operator+=(const NormalEquations& other) {
  products += other.products;
  right += other.right;
  sums += other.sums;
  counts += other.counts;
  squares += other.squares;
  samples += other.samples;
  operations += other.operations;
  return *this;
}

NormalEquations Accumulate(const Design& design, const RowMatrix& counts,
                           std::span<const std::uint32_t> block, int half) {
  const auto size = static_cast<Index>(design.columns);
  NormalEquations sum;
  sum.products = Matrix::Zero(size, size);
  sum.sums = Vector::Zero(size);
  sum.counts = Vector::Zero(counts.cols());
  sum.squares = Vector::Zero(counts.cols());
  RowMatrix right = RowMatrix::Zero(size, counts.cols());
  for (std::size_t i = 0; i < design.rows(); ++i) {
    if (half < 2 && static_cast<int>(block[i] % 2) != half) continue;
    const auto y = counts.row(static_cast<Index>(i));
    const double weight = design.weight_of(i);
    for (const std::uint32_t a : design.Entries(i)) {
      const auto one = static_cast<Index>(design.column[a]);
      right.row(one) += weight * design.value[a] * y;
      sum.sums[one] += design.value[a];
      for (std::uint32_t b = design.begin[i]; b <= a; ++b) {
        const auto other = static_cast<Index>(design.column[b]);
        sum.products(std::max(one, other), std::min(one, other)) +=
            weight * design.value[a] * design.value[b];
      }
      sum.operations += a - design.begin[i] + 1;
    }
    sum.counts += y.transpose();
    sum.squares += weight * y.transpose().cwiseAbs2();
    ++sum.samples;
  }
  sum.right = right;
  return sum;
}

Vector RatesOf(const NormalEquations& equations,
               std::span<const double> duration_ns) {
  Vector duration = Vector::Zero(equations.products.rows());
  for (std::size_t c = 0; c < duration_ns.size(); ++c)
    duration[static_cast<Index>(c)] = duration_ns[c];
  const Vector product =
      equations.products.selfadjointView<Eigen::Lower>() * duration;
  const double squares = duration.dot(product);
  if (squares <= 0) return Vector::Zero(equations.right.cols());
  return (equations.right.transpose() * duration / squares).cwiseMax(0.0);
}

ColumnPrior PriorOf(const NormalEquations& equations,
                    std::span<const double> duration_ns, double noise_ns,
                    const Vector& rates) {
  ColumnPrior prior;
  const Index size = equations.products.rows();
  prior.weight.resize(size);
  prior.mean = Matrix::Zero(size, equations.right.cols());
  for (Index c = 0; c < size; ++c) {
    const double own = equations.products(c, c);
    prior.weight[c] = own > 0 ? own * 1e-9 : 1;
    if (c >= static_cast<Index>(duration_ns.size())) continue;
    const double duration = duration_ns[static_cast<std::size_t>(c)];
    if (duration <= 0) continue;
    const double share = noise_ns / (kPriorSpread * duration);
    prior.weight[c] += share * share;
    prior.mean.row(c) = duration * rates.transpose();
  }
  return prior;
}

double NoiseOf(const Vector& squares, std::size_t samples,
               const Vector& rates) {
  std::vector<double> noise;
  for (Index m = 0; m < squares.size(); ++m) {
    if (rates[m] <= 0) continue;
    const double square =
        squares[m] / std::max<double>(static_cast<double>(samples), 1);
    noise.push_back(std::sqrt(square) / rates[m]);
  }
  if (noise.empty()) return 0;
  const auto at = noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 4);
  std::ranges::nth_element(noise, at);
  return *at;
}

Matrix SolveFor(const NormalEquations& equations, const ColumnPrior& prior,
                const Matrix& right) {
  return SolvedBy(FactorOf(equations, prior), right);
}

Matrix RightWithPrior(const NormalEquations& equations,
                      const ColumnPrior& prior) {
  return equations.right + prior.weight.asDiagonal() * prior.mean;
}

Matrix Solve(const NormalEquations& equations, const ColumnPrior& prior) {
  return SolveFor(equations, prior, RightWithPrior(equations, prior));
}

InverseSolution SolveWithInverse(const NormalEquations& equations,
                                 const ColumnPrior& prior) {
  const Factor factor = FactorOf(equations, prior);
  return {SolvedBy(factor, RightWithPrior(equations, prior)),
          InverseOf(factor)};
}

Vector SquaresLeft(const NormalEquations& equations, const Matrix& x) {
  const Matrix product = equations.products.selfadjointView<Eigen::Lower>() * x;
  Vector left = equations.squares;
  for (Index m = 0; m < x.cols(); ++m)
    left[m] += x.col(m).dot(product.col(m) - 2 * equations.right.col(m));
  return left.cwiseMax(0.0);
}

NonNegative HoldAtZero(const Vector& x, const Matrix& inverse) {
  NonNegative result;
  const Vector spread = inverse.diagonal().cwiseMax(0.0).cwiseSqrt();
  double scale = 0;
  for (Index i = 0; i < x.size(); ++i) {
    if (spread[i] > 0) scale = std::max(scale, std::abs(x[i]) / spread[i]);
  }
  std::vector<bool> held(static_cast<std::size_t>(x.size()), false);
  Vector force = Vector::Zero(x.size());
  result.x = x;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int tries = kTries;
  const Index most = 20 * x.size() + 100;
  for (Index round = 0; round < most; ++round) {
    std::vector<Index> broken = Broken(result.x, force, held, spread, scale);
    if (broken.empty()) break;
    if (broken.size() < fewest) {
      fewest = broken.size();
      tries = kTries;
    } else if (tries > 0) {
      --tries;
    } else {
      broken = {broken.back()};
    }
    for (const Index i : broken) {
      const auto at = static_cast<std::size_t>(i);
      held[at] = !held[at];
    }
    result.zero.column.clear();
    for (Index i = 0; i < x.size(); ++i) {
      if (held[static_cast<std::size_t>(i)]) result.zero.column.push_back(i);
    }
    Hold(x, inverse, result.zero.column, result.x, force);
  }
  result.x = result.x.cwiseMax(0.0);
  result.zero.force = force(result.zero.column);
  return result;
}

}  // namespace rangefinder
