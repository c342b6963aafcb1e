#include "insight/regression.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <eigen3/Eigen/Dense>

namespace rangefinder {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kLeastRows = 48;
constexpr std::size_t kMostBlocks = 48;
constexpr std::size_t kBlocksTogether = 4;
constexpr std::size_t kRowsOfBlock = 8;
constexpr std::size_t kLeastValues = 3;
// Part of a kind's scatter that the others do not explain.
constexpr double kLeastApart = 0.02;

// Student's t by Hill's expansion about the normal quantile: G. W. Hill,
// Algorithm 396, Communications of the ACM 13 (1970).
double StudentOf(double normal, double degrees) {
  const double z = normal, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * degrees) +
         (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees);
}

// Normal equations, as sums over blocks of rows.
struct Sums {
  MatrixXd square{};
  VectorXd right{};

  explicit Sums(Eigen::Index size)
      : square(MatrixXd::Zero(size, size)), right(VectorXd::Zero(size)) {}
  void Add(const VectorXd& x, double weight, double y) {
    square += weight * x * x.transpose();
    right += weight * y * x;
  }
  void Add(const Sums& more) {
    square += more.square;
    right += more.right;
  }
  Sums Without(const Sums& other) const {
    Sums rest = *this;
    rest.square -= other.square;
    rest.right -= other.right;
    return rest;
  }
  // Nothing if the columns cannot be separated.
  std::optional<VectorXd> Solve() const {
    const VectorXd scale = square.diagonal().cwiseSqrt();
    if (!(scale.minCoeff() > 0)) return std::nullopt;
    const MatrixXd alike = scale.cwiseInverse().asDiagonal() * square *
                           scale.cwiseInverse().asDiagonal();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> parts(alike);
    constexpr double kLeast = 1e-9;
    if (parts.info() != Eigen::Success || parts.eigenvalues()[0] < kLeast)
      return std::nullopt;
    const VectorXd right_alike = scale.cwiseInverse().asDiagonal() * right;
    VectorXd solved =
        parts.eigenvectors() * (parts.eigenvectors().transpose() * right_alike)
                                   .cwiseQuotient(parts.eigenvalues());
    return scale.cwiseInverse().asDiagonal() * solved;
  }
};

using Columns = std::vector<std::vector<double>>;  // rows x kinds

std::optional<CostFit> Fit(std::span<const UnitRow> rows,
                           const Columns& columns) {
  if (rows.size() < kLeastRows) return std::nullopt;
  const auto size = static_cast<Eigen::Index>(columns[0].size() + 1);
  // Units are relative to their mean, so that rounding errors stay small.
  VectorXd middle = VectorXd::Zero(size);
  double weights = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    weights += rows[i].instances;
    for (Eigen::Index k = 1; k < size; ++k)
      middle[k] +=
          rows[i].instances * columns[i][static_cast<std::size_t>(k - 1)];
  }
  middle /= weights;
  const std::size_t blocks = std::min(kMostBlocks, rows.size() / kRowsOfBlock);
  std::vector<Sums> parts(blocks, Sums(size));
  VectorXd x(size);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    x[0] = 1;
    for (Eigen::Index k = 1; k < size; ++k)
      x[k] = columns[i][static_cast<std::size_t>(k - 1)] - middle[k];
    parts[i * blocks / rows.size()].Add(x, rows[i].instances, rows[i].cost);
  }
  Sums all(size);
  for (const Sums& part : parts) all.Add(part);
  // Undoes the shift: the fixed part is the cost if all units are 0.
  const auto from_mean = [&](VectorXd solved) {
    solved[0] -= solved.tail(size - 1).dot(middle.tail(size - 1));
    return solved;
  };
  const auto whole = all.Solve();
  if (!whole) return std::nullopt;
  const VectorXd value = from_mean(*whole);
  // Blocks that are four times as long show whether blocks are independent.
  VectorXd error = VectorXd::Zero(size);
  for (const std::size_t together : {std::size_t{1}, kBlocksTogether}) {
    if (together > 1 && 2 * blocks < kMostBlocks) break;
    VectorXd squares = VectorXd::Zero(size);
    for (std::size_t from = 0; from < blocks; from += together) {
      Sums part(size);
      for (std::size_t i = from; i < std::min(from + together, blocks); ++i)
        part.Add(parts[i]);
      const auto without = all.Without(part).Solve();
      if (!without) return std::nullopt;
      squares += (from_mean(*without) - value).cwiseAbs2();
    }
    const auto count = static_cast<double>(blocks / together);
    error = error.cwiseMax((squares * ((count - 1) / count)).cwiseSqrt());
  }
  if (!value.allFinite() || !error.allFinite()) return std::nullopt;
  const double degrees =
      std::max(static_cast<double>(blocks) - static_cast<double>(size), 1.0);
  CostFit fit{.reach = StudentOf(1.959964, degrees),
              .sure = StudentOf(3.290527, degrees)};
  for (Eigen::Index k = 0; k < size; ++k)
    fit.coefficients.push_back({value[k], error[k]});
  return fit;
}

Columns ColumnsOf(std::span<const UnitRow> rows,
                  std::span<const Covariate> kinds) {
  Columns columns;
  for (const UnitRow& row : rows) {
    auto& one = columns.emplace_back();
    for (const Covariate kind : kinds) one.push_back(row.numbers[Index(kind)]);
  }
  return columns;
}

// The part of a kind's scatter that the kinds in `known` do not explain; 0 if
// it does not scatter.
double ApartOf(std::span<const UnitRow> rows, Covariate kind,
               std::span<const Covariate> known) {
  const auto size = static_cast<Eigen::Index>(known.size() + 2);
  VectorXd x(size), middle = VectorXd::Zero(size);
  const auto fill = [&](const UnitRow& row) {
    x[0] = 1;
    for (std::size_t k = 0; k < known.size(); ++k)
      x[static_cast<Eigen::Index>(k + 1)] = row.numbers[Index(known[k])];
    x[size - 1] = row.numbers[Index(kind)];
    x.tail(size - 1) -= middle.tail(size - 1);
  };
  VectorXd mean = VectorXd::Zero(size);
  for (const UnitRow& row : rows) {
    fill(row);
    mean += x / static_cast<double>(rows.size());
  }
  middle = mean;
  MatrixXd square = MatrixXd::Zero(size, size);
  for (const UnitRow& row : rows) {
    fill(row);
    square += x * x.transpose();
  }
  const double own = square(size - 1, size - 1);
  if (!(own > 0)) return 0;
  const MatrixXd others = square.topLeftCorner(size - 1, size - 1);
  const VectorXd with = square.topRightCorner(size - 1, 1);
  const double told =
      with.dot(others.completeOrthogonalDecomposition().solve(with));
  return std::max(own - told, 0.0) / own;
}

}  // namespace

std::optional<CostFit> FitCosts(std::span<const UnitRow> rows,
                                std::span<const Covariate> kinds) {
  return Fit(rows, ColumnsOf(rows, kinds));
}

std::vector<Covariate> SeparateKinds(std::span<const UnitRow> rows,
                                     std::span<const Covariate> kinds) {
  std::vector<Covariate> separate;
  for (const Covariate kind : kinds) {
    std::set<double> values;
    for (const UnitRow& row : rows) {
      values.insert(row.numbers[Index(kind)]);
      if (values.size() == kLeastValues) break;
    }
    if (values.size() == kLeastValues &&
        ApartOf(rows, kind, separate) > kLeastApart)
      separate.push_back(kind);
  }
  return separate;
}

bool Bends(std::span<const UnitRow> rows, Covariate kind) {
  if (rows.size() < kLeastRows) return false;
  double low = rows[0].numbers[Index(kind)], high = low, mean = 0;
  for (const UnitRow& row : rows) {
    low = std::min(low, row.numbers[Index(kind)]);
    high = std::max(high, row.numbers[Index(kind)]);
    mean += row.numbers[Index(kind)] / static_cast<double>(rows.size());
  }
  Columns columns;
  for (const UnitRow& row : rows) {
    const double from_mean = row.numbers[Index(kind)] - mean;
    columns.push_back({from_mean, from_mean * from_mean});
  }
  const auto fit = Fit(rows, columns);
  if (!fit) return false;
  const Coefficient& bend = fit->coefficients[2];
  const double half = (high - low) / 2;
  const double rise = std::abs(fit->coefficients[1].value) * 2 * half;
  return std::abs(bend.value) > fit->sure * bend.error &&
         std::abs(bend.value) * half * half > 0.05 * rise;
}

}  // namespace rangefinder
