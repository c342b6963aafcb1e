// Which launches share one count.
//
// Regions of a model launch the same kernels with the same configuration, and
// such groups count nearly alike wherever they are launched. A pool is the
// groups of one kernel and shape whose launches last alike: it has one count,
// which all its launches tell about, and each group may deviate from it
// (effects.cc). So a fit has as many columns as there are pools, and no more
// than a limit: pools beyond it share a column by time.

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
  std::vector<double> busy_ns{};        // by pool, as all that follow
  std::vector<double> launches{};
  std::size_t families = 0;
  std::size_t size() const { return family.size(); }
};

Pools FindPools(std::span<const FitGroup> groups);

// The columns of a fit: one for each of the `most` pools that are busy longest;
// the others share one more, the last, by their launches' mean durations.
struct PoolColumns {
  LaunchColumns columns{};
  std::vector<double> duration_ns{};  // of a launch, by column
  std::vector<bool> by_time{};        // by pool: it is in the shared column
  std::size_t pools_by_time = 0;
};
PoolColumns ColumnsOfPools(const Grouping& grouping, const Pools& pools,
                           std::size_t most);

// One column a group.
LaunchColumns ColumnsOfGroups(const Grouping& grouping);

// Joins columns between which the samples say less than a fiftieth of what the
// prior does: kernels that only ever run side by side, which then share a
// column by time. Returns how many fewer there are.
std::size_t JoinColumns(const NormalEquations& equations,
                        const ColumnPrior& prior, PoolColumns& columns);

}  // namespace rangefinder
