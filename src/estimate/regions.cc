// From launches and groups to columns, and the part of them in samples.

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

// The launches of a query by group, ascending.
std::vector<CellPart> CellsOf(const FitState& state, const RegionQuery& query) {
  std::unordered_map<std::uint32_t, double> by_group;
  for (const std::uint32_t l : query.launches) {
    const std::uint32_t group = state.group_of_launch[l];
    if (group != CounterFit::kNoGroup) by_group[group] += 1;
  }
  for (const GroupShare& share : query.groups) {
    if (share.launches > 0) by_group[share.group] += share.launches;
  }
  std::vector<CellPart> cells;
  for (const auto& [group, launches] : by_group) {
    const auto all = static_cast<double>(state.groups[group].launches);
    cells.push_back({group, launches, std::min(launches / all, 1.0)});
  }
  std::ranges::sort(cells, {}, &CellPart::cell);
  return cells;
}

// How unevenly a query takes part in the pools that share a column: by column,
// the standard deviation of its part of each pool, weighted by the pools' time.
std::map<std::uint32_t, double> UnevenParts(const FitState& state,
                                            const ColumnQuery& query) {
  std::map<std::uint32_t, double> launches_of_pool;
  for (const CellPart& part : query.cells)
    launches_of_pool[state.pools.pool[part.cell]] += part.launches;
  struct Sums {
    double busy = 0, mean = 0, square = 0;
  };
  std::map<std::uint32_t, Sums> sums;
  for (const ColumnPart& part : query.parts) {
    if (state.pools_of_column[part.column].size() < 2) continue;
    for (const std::uint32_t pool : state.pools_of_column[part.column]) {
      if (state.pooled.by_time[pool]) continue;
      const auto at = launches_of_pool.find(pool);
      const double taken = at == launches_of_pool.end()
                               ? 0
                               : at->second / state.pools.launches[pool];
      Sums& sum = sums[part.column];
      sum.busy += state.pools.busy_ns[pool];
      sum.mean += state.pools.busy_ns[pool] * taken;
      sum.square += state.pools.busy_ns[pool] * taken * taken;
    }
  }
  std::map<std::uint32_t, double> uneven;
  for (const auto& [column, sum] : sums) {
    const double mean = sum.mean / sum.busy;
    const double spread =
        std::sqrt(std::max(sum.square / sum.busy - mean * mean, 0.0));
    if (spread > 1e-6) uneven[column] = spread;
  }
  return uneven;
}

// Adds the uncertainty from columns that the query shares with other pools.
void AddUnsure(const FitState& state, ColumnQuery& query) {
  const std::map<std::uint32_t, double> uneven = UnevenParts(state, query);
  double time = 0, unsure_time = 0;
  for (const ColumnPart& part : query.parts) {
    const auto at = uneven.find(part.column);
    const double spread = at == uneven.end() ? 0 : at->second;
    const double part_time =
        part.weight * state.pooled.duration_ns[part.column];
    query.unsure_launches.push_back(spread * state.launches[part.column]);
    time += part_time;
    unsure_time += spread > 0 ? part_time : 0;
  }
  query.unsure = time > 0 ? unsure_time / time : 0;
}

// Number of samples that the query's launches lie in; marks them with its
// number.
std::uint64_t CountSamples(const FitState& state, const RegionQuery& query,
                           std::uint32_t mark,
                           std::vector<std::uint32_t>& marks) {
  std::uint64_t samples = 0;
  const auto touch = [&](std::uint32_t i) {
    samples += marks[i] == mark ? 0 : 1;
    marks[i] = mark;
  };
  for (const std::uint32_t l : query.launches) {
    const LaunchPlace& place = state.places[l];
    for (std::uint32_t i = 0; i < place.samples; ++i)
      touch(place.first_sample + i);
  }
  for (const GroupShare& share : query.groups) {
    if (state.x.size() == 0) break;  // nothing was fitted
    for (const std::uint32_t k : state.by_cell.Entries(share.group))
      touch(state.by_cell.row[k]);
  }
  return samples;
}

std::uint64_t LaunchesOf(const RegionQuery& query) {
  double launches = static_cast<double>(query.launches.size());
  for (const GroupShare& share : query.groups) launches += share.launches;
  return static_cast<std::uint64_t>(std::llround(launches));
}

CounterEstimate NoFit() {
  return {.absence = EstimateAbsence::kNoFit,
          .why = "there are too few samples for an estimate"};
}

}  // namespace

ColumnQuery ColumnsOf(const FitState& state, std::vector<CellPart> groups) {
  ColumnQuery query{.cells = std::move(groups)};
  std::map<std::uint32_t, double> weights;
  for (const CellPart& part : query.cells)
    weights[state.column(part.cell)] += part.launches * state.weight(part.cell);
  for (const auto& [column, weight] : weights)
    query.parts.push_back({column, weight});
  AddUnsure(state, query);
  return query;
}

std::vector<RegionEstimate> EstimateRegions(
    const FitState& state, std::span<const RegionQuery> queries) {
  std::vector<RegionEstimate> regions;
  std::vector<std::uint32_t> marks(state.samples.size(), 0);
  std::vector<ColumnQuery> asked;
  std::vector<std::size_t> asked_by;
  const std::size_t metrics = state.metrics.size();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    RegionEstimate& region = regions.emplace_back(RegionEstimate{
        .launches = LaunchesOf(queries[q]),
        .samples = CountSamples(state, queries[q],
                                static_cast<std::uint32_t>(q + 1), marks)});
    if (region.launches == 0) {
      region.metrics.assign(metrics, {.absence = EstimateAbsence::kNoLaunch,
                                      .why = "nothing was launched"});
    } else if (state.x.size() == 0) {
      region.metrics.assign(metrics, NoFit());
    } else if (region.samples == 0) {
      region.metrics.assign(metrics,
                            {.absence = EstimateAbsence::kNoSample,
                             .why = "no sample was taken while it ran"});
    } else {
      asked.push_back(ColumnsOf(state, CellsOf(state, queries[q])));
      asked_by.push_back(q);
    }
  }
  auto estimates = EstimateColumns(state, asked);
  for (std::size_t a = 0; a < asked.size(); ++a)
    regions[asked_by[a]].metrics = std::move(estimates[a]);
  return regions;
}

std::vector<CounterEstimate> EstimateOutside(const FitState& state) {
  if (state.x.size() == 0)
    return std::vector<CounterEstimate>(state.metrics.size(), NoFit());
  ColumnQuery outside;
  for (auto c = static_cast<Index>(state.launch_columns()); c < state.x.rows();
       ++c) {
    const auto cell = static_cast<std::uint32_t>(state.groups.size() +
                                                 static_cast<std::size_t>(c) -
                                                 state.launch_columns());
    const double sum = state.equations.sums[c];
    outside.parts.push_back({static_cast<std::uint32_t>(c), sum});
    outside.cells.push_back({cell, sum, 1});
    outside.unsure_launches.push_back(0);
  }
  return EstimateColumns(state, {&outside, 1}).front();
}

}  // namespace rangefinder
