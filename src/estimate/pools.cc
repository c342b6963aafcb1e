#include "estimate/pools.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace rangefinder {
namespace {

constexpr double kAlike = 1.06;  // between neighbouring durations
// Between the shortest and the longest duration.
constexpr double kMostApart = 1.2;
constexpr double kNearlyParallel = 0.9;  // cosine of columns that are checked
constexpr double kTooLittle = 0.02;      // information over the prior's

double MeanDuration(const FitGroup& group) {
  return group.busy_ns / static_cast<double>(group.launches);
}

std::uint32_t Root(std::vector<std::uint32_t>& parent, std::uint32_t at) {
  while (parent[at] != at) at = parent[at] = parent[parent[at]];
  return at;
}

// By column: the root of the columns that belong together with it.
std::vector<std::uint32_t> AlikeColumns(const NormalEquations& equations,
                                        const ColumnPrior& prior,
                                        std::size_t count) {
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0U);
  const Matrix& product = equations.products;
  const Vector& sums = equations.sums;
  for (Index b = 0; b < static_cast<Index>(count); ++b) {
    if (sums[b] <= 0) continue;
    for (Index a = b + 1; a < static_cast<Index>(count); ++a) {
      if (product(a, b) <= 0 || sums[a] <= 0) continue;
      if (product(a, b) * product(a, b) <
          kNearlyParallel * kNearlyParallel * product(a, a) * product(b, b))
        continue;
      const double apart = product(a, a) / (sums[a] * sums[a]) +
                           product(b, b) / (sums[b] * sums[b]) -
                           2 * product(a, b) / (sums[a] * sums[b]);
      const double held = prior.weight[a] / (sums[a] * sums[a]) +
                          prior.weight[b] / (sums[b] * sums[b]);
      if (apart < kTooLittle * held)
        parent[Root(parent, static_cast<std::uint32_t>(a))] =
            Root(parent, static_cast<std::uint32_t>(b));
    }
  }
  for (std::uint32_t c = 0; c < count; ++c) parent[c] = Root(parent, c);
  return parent;
}

}  // namespace

Pools FindPools(std::span<const FitGroup> groups) {
  using Alike = std::array<std::uint32_t, 3>;
  std::map<Alike, std::uint32_t> families;
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const auto [at, is_new] = families.try_emplace(
        {groups[g].kernel, groups[g].shape, groups[g].mode},
        static_cast<std::uint32_t>(members.size()));
    if (is_new) members.emplace_back();
    members[at->second].push_back(g);
  }
  Pools pools{.pool = std::vector<std::uint32_t>(groups.size()),
              .families = members.size()};
  for (std::uint32_t f = 0; f < members.size(); ++f) {
    std::ranges::stable_sort(members[f], {}, [&](std::uint32_t g) {
      return MeanDuration(groups[g]);
    });
    double first = 0, last = 0;
    for (const std::uint32_t g : members[f]) {
      const double duration = MeanDuration(groups[g]);
      if (first == 0 || duration > kAlike * last ||
          duration > kMostApart * first) {
        pools.family.push_back(f);
        pools.busy_ns.push_back(0);
        pools.launches.push_back(0);
        first = duration;
      }
      last = duration;
      pools.pool[g] = static_cast<std::uint32_t>(pools.size() - 1);
      pools.busy_ns.back() += groups[g].busy_ns;
      pools.launches.back() += static_cast<double>(groups[g].launches);
    }
  }
  return pools;
}

PoolColumns ColumnsOfPools(const Grouping& grouping, const Pools& pools,
                           std::size_t most) {
  std::vector<std::uint32_t> order(pools.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t p) { return pools.busy_ns[p]; });
  PoolColumns result;
  LaunchColumns& columns = result.columns;
  columns.group = grouping.group;
  columns.count = std::min(pools.size(), most + 1);
  double rest_ns = 0, rest = 0;
  for (std::size_t at = most; at < order.size(); ++at) {
    rest_ns += pools.busy_ns[order[at]];
    rest += pools.launches[order[at]];
  }
  std::vector<std::uint32_t> column_of_pool(pools.size());
  result.by_time.assign(pools.size(), false);
  for (std::size_t at = 0; at < order.size(); ++at) {
    column_of_pool[order[at]] = static_cast<std::uint32_t>(std::min(at, most));
    result.by_time[order[at]] = at >= most;
    if (at < most)
      result.duration_ns.push_back(pools.busy_ns[order[at]] /
                                   pools.launches[order[at]]);
  }
  if (pools.size() > most) result.duration_ns.push_back(rest_ns / rest);
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const std::uint32_t column = column_of_pool[pools.pool[g]];
    columns.column.push_back(column);
    columns.weight.push_back(
        column < most ? 1 : MeanDuration(grouping.groups[g]) * rest / rest_ns);
  }
  return result;
}

LaunchColumns ColumnsOfGroups(const Grouping& grouping) {
  LaunchColumns columns;
  columns.group = grouping.group;
  columns.count = grouping.groups.size();
  columns.column.resize(columns.count);
  std::iota(columns.column.begin(), columns.column.end(), 0U);
  columns.weight.assign(columns.count, 1);
  return columns;
}

std::size_t JoinColumns(const NormalEquations& equations,
                        const ColumnPrior& prior, PoolColumns& columns) {
  const std::size_t before = columns.columns.count;
  const std::vector<std::uint32_t> root =
      AlikeColumns(equations, prior, before);
  // By root: the new column.
  std::map<std::uint32_t, std::uint32_t> place;
  for (const std::uint32_t r : root)
    place.try_emplace(r, static_cast<std::uint32_t>(place.size()));
  if (place.size() == before) return 0;
  std::vector<double> time(place.size(), 0), seen(place.size(), 0);
  for (std::size_t c = 0; c < before; ++c) {
    const std::uint32_t to = place.at(root[c]);
    const double sum = std::max(equations.sums[static_cast<Index>(c)], 1e-300);
    time[to] += sum * columns.duration_ns[c];
    seen[to] += sum;
  }
  // A launch weighs by its duration over the mean duration of the column.
  for (std::size_t g = 0; g < columns.columns.column.size(); ++g) {
    std::uint32_t& column = columns.columns.column[g];
    const std::uint32_t to = place.at(root[column]);
    columns.columns.weight[g] *=
        columns.duration_ns[column] * seen[to] / time[to];
    column = to;
  }
  columns.duration_ns.resize(place.size());
  for (std::size_t c = 0; c < place.size(); ++c)
    columns.duration_ns[c] = time[c] / seen[c];
  columns.columns.count = place.size();
  return before - place.size();
}

}  // namespace rangefinder
