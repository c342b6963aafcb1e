// Pools: launches that share one count.
//
// Regions of a model launch the same kernels with the same configuration, and
// such groups count nearly alike wherever they are launched. A pool is the
// groups of one kernel and shape whose launches last alike. It has one count,
// which all its launches determine, and each group may deviate from it
// (effects.cc). A fit has one column per pool, up to a limit; the pools beyond
// the limit share a column by time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/groups.h"
#include "estimate/normal_equations.h"

namespace rangefinder {

struct Pools {
  std::vector<std::uint32_t> pool{};    // by group
  std::vector<std::uint32_t> family{};  // by pool: its kernel and shape
  std::vector<double> busy_ns{};        // by pool, as all below
  std::vector<double> launches{};
  std::size_t families = 0;
  std::size_t size() const { return family.size(); }
};

Pools FindPools(std::span<const FitGroup> groups);

// The columns of a fit: one for each of the `most` busiest pools. The others
// share the last column, in proportion to their launches' mean durations.
struct PoolColumns {
  LaunchColumns columns{};
  std::vector<double> duration_ns{};  // of a launch, by column
  // By pool: whether it is in the shared column.
  std::vector<bool> by_time{};
};
PoolColumns ColumnsOfPools(const Grouping& grouping, const Pools& pools,
                           std::size_t most);

// One column per group.
LaunchColumns ColumnsOfGroups(const Grouping& grouping);

// Joins columns that the samples can hardly tell apart (less than a fiftieth of
// the prior's information): kernels that only ever run side by side. They then
// share a column by time. Returns the number of columns removed.
std::size_t JoinColumns(const NormalEquations& equations,
                        const ColumnPrior& prior, PoolColumns& columns);

}  // namespace rangefinder
