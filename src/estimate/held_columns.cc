// Columns that are held at 0 follow no change of the samples; the others make
// up for them. For a query that asks about a held column, FreedOf tells how far
// and with what error its estimate would be below 0, because a bound alone
// gives no error.

#include <algorithm>

#include <eigen3/Eigen/Cholesky>

#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

struct Forces {
  Matrix across{};  // columns x held: how columns follow a force
  Matrix needed{};  // held x held: the forces that move held columns by one
};

Forces ForcesOf(const FitState& state, const HeldColumns& held) {
  Forces forces;
  forces.across = state.inverse(Eigen::all, held.column);
  Matrix part = forces.across(held.column, Eigen::all);
  part.diagonal() *= 1 + 1e-11;
  forces.needed = part.llt().solve(Matrix::Identity(part.rows(), part.cols()));
  return forces;
}

// The places of the query's columns among the held ones.
std::vector<Index> Own(const HeldColumns& held, const ColumnQuery& query) {
  std::vector<Index> own;
  for (const ColumnPart& part : query.parts) {
    const auto at =
        std::ranges::lower_bound(held.column, static_cast<Index>(part.column));
    if (at != held.column.end() && *at == static_cast<Index>(part.column))
      own.push_back(at - held.column.begin());
  }
  return own;
}

// Held columns follow nothing, except the released ones.
void SetZero(const HeldColumns& held, const std::vector<Index>& free, Index q,
             Matrix& columns) {
  const Vector kept = columns(held.column, q)(free);
  for (const Index column : held.column) columns(column, q) = 0;
  for (std::size_t k = 0; k < free.size(); ++k)
    columns(held.column[static_cast<std::size_t>(free[k])], q) =
        kept[static_cast<Index>(k)];
}

}  // namespace

Matrix HeldReach(const FitState& state, const Matrix& columns, Index metric) {
  const HeldColumns& held = state.zero[static_cast<std::size_t>(metric)];
  if (held.column.empty()) return columns;
  const Forces forces = ForcesOf(state, held);
  Matrix result = columns;
  result.noalias() -=
      forces.across * (forces.needed * columns(held.column, Eigen::all));
  for (Index q = 0; q < result.cols(); ++q) SetZero(held, {}, q, result);
  return result;
}

FreedReach FreedOf(const FitState& state, const Matrix& columns,
                   std::span<const ColumnQuery> queries, Index metric) {
  const HeldColumns& held = state.zero[static_cast<std::size_t>(metric)];
  FreedReach reach{.columns = columns, .off = Vector::Zero(columns.cols())};
  if (held.column.empty()) return reach;
  const Forces forces = ForcesOf(state, held);
  Matrix needed = forces.needed * columns(held.column, Eigen::all);
  std::vector<std::vector<Index>> free;
  for (std::size_t at = 0; at < queries.size(); ++at) {
    const auto q = static_cast<Index>(at);
    const std::vector<Index>& own = free.emplace_back(Own(held, queries[at]));
    if (own.empty()) continue;
    // The forces on the other held columns when the query's own are released.
    const auto part = Matrix(forces.needed(own, own)).llt();
    const Vector let_go = needed(own, q);
    reach.off[q] = -let_go.dot(part.solve(Vector(held.force(own))));
    needed.col(q) -= forces.needed(Eigen::all, own) * part.solve(let_go);
  }
  reach.columns.noalias() -= forces.across * needed;
  for (std::size_t q = 0; q < queries.size(); ++q)
    SetZero(held, free[q], static_cast<Index>(q), reach.columns);
  return reach;
}

}  // namespace rangefinder
