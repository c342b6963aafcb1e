#include "estimate/normal_equations.h"

#include <random>

#include <eigen3/Eigen/LU>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// A'A of random rows, A'y of random counts; columns may be alike.
struct Problem {
  Matrix products;
  Vector right;
};

Problem RandomProblem(std::uint64_t seed, Index columns, double alike) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  Matrix rows(3 * columns, columns);
  Vector y(3 * columns);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double common = normal(random);
    for (Index c = 0; c < columns; ++c)
      rows(i, c) = alike * common + normal(random);
    y[i] = normal(random);
  }
  return {rows.transpose() * rows, rows.transpose() * y};
}

double Cost(const Problem& problem, const Vector& x) {
  return x.dot(problem.products * x) / 2 - problem.right.dot(x);
}

// The best of all sets of columns that may be above 0.
Vector BestOfAll(const Problem& problem) {
  const Index columns = problem.right.size();
  Vector best = Vector::Zero(columns);
  for (unsigned set = 1; set < 1U << columns; ++set) {
    std::vector<Index> in;
    for (Index c = 0; c < columns; ++c) {
      if (set >> c & 1U) in.push_back(c);
    }
    const Vector part = problem.products(in, in).inverse() * problem.right(in);
    if (part.minCoeff() < 0) continue;
    Vector x = Vector::Zero(columns);
    for (std::size_t k = 0; k < in.size(); ++k)
      x[in[k]] = part[static_cast<Index>(k)];
    if (Cost(problem, x) < Cost(problem, best)) best = x;
  }
  return best;
}

TEST(HoldAtZero, FindsTheLeastSquaresWithoutNegativeCounts) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Problem problem =
        RandomProblem(seed, 9, static_cast<double>(seed % 4) * 2);
    const Matrix inverse = problem.products.inverse();
    const NonNegative found = HoldAtZero(inverse * problem.right, inverse);
    const Vector best = BestOfAll(problem);
    EXPECT_LT((found.x - best).norm(), 1e-8 * (1 + best.norm())) << seed;
    held += static_cast<int>(found.zero.column.size());
  }
  EXPECT_GT(held, 100);  // it had something to do
}

TEST(HoldAtZero, KeepsCountsThatAreNotNegative) {
  const Vector x = Vector::LinSpaced(5, 0, 4);
  const NonNegative found = HoldAtZero(x, Matrix::Identity(5, 5));
  EXPECT_EQ(found.x, x);
  EXPECT_TRUE(found.zero.column.empty());
}

TEST(NormalEquations, TheInverseIsOneBeyondTheSizeOfABlock) {
  const Problem problem = RandomProblem(7, 300, 1);
  NormalEquations equations;
  equations.products = problem.products;
  equations.right = problem.right;
  equations.samples = 900;
  ColumnPrior prior{.weight = Vector::Constant(300, 0.5),
                    .mean = Matrix::Zero(300, 1)};
  const InverseSolution solution = SolveWithInverse(equations, prior);
  Matrix whole = problem.products;
  whole.diagonal() += prior.weight;
  EXPECT_LT((whole * solution.inverse - Matrix::Identity(300, 300)).norm(),
            1e-7);
  EXPECT_LT((whole * solution.x - problem.right).norm(),
            1e-7 * problem.right.norm());
  EXPECT_LT((Solve(equations, prior) - solution.x).norm(), 1e-12);
}

}  // namespace
}  // namespace rangefinder
