// From launches and groups to columns, and the part of them in samples.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

// Number of launches of each group in a query; by group, ascending.
class LaunchCounts {
 public:
  explicit LaunchCounts(const FitState& state)
      : state_(state), launches_(state.groups.size(), 0) {}

  std::vector<CellPart> Of(const RegionQuery& query) {
    std::vector<std::uint32_t> seen;
    const auto add = [&](std::uint32_t group, double launches) {
      if (launches <= 0) return;
      if (launches_[group] == 0) seen.push_back(group);
      launches_[group] += launches;
    };
    for (const std::uint32_t l : query.launches) {
      const std::uint32_t group = state_.group_of_launch[l];
      if (group != CounterFit::kNoGroup) add(group, 1);
    }
    for (const GroupShare& share : query.groups)
      add(share.group, share.launches);
    std::ranges::sort(seen);
    std::vector<CellPart> cells;
    for (const std::uint32_t group : seen) {
      const double launches = std::exchange(launches_[group], 0);
      const auto all = static_cast<double>(state_.groups[group].launches);
      cells.push_back({group, launches, std::min(launches / all, 1.0)});
    }
    return cells;
  }

 private:
  const FitState& state_;
  std::vector<double> launches_;  // by group; 0 between queries
};

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
    for (std::uint32_t k = state.by_cell.begin[share.group];
         k < state.by_cell.begin[share.group + 1]; ++k)
      touch(state.by_cell.row[k]);
  }
  return samples;
}

RegionEstimate Touched(const FitState& state, const RegionQuery& query,
                       std::uint32_t mark, std::vector<std::uint32_t>& marks) {
  RegionEstimate region;
  double launches = static_cast<double>(query.launches.size());
  double time = 0, covered = 0;
  for (const std::uint32_t l : query.launches) {
    const LaunchPlace& place = state.places[l];
    time += place.end_ns - place.start_ns;
    covered +=
        (place.end_ns - place.start_ns) * static_cast<double>(place.covered);
  }
  for (const GroupShare& share : query.groups) {
    const FitGroup& group = state.groups[share.group];
    launches += share.launches;
    const double busy =
        group.busy_ns * share.launches / static_cast<double>(group.launches);
    time += busy;
    if (state.x.size() == 0) continue;
    covered += busy * std::min(state.cell_sums[share.group] /
                                   static_cast<double>(group.launches),
                               1.0);
  }
  region.launches = static_cast<std::uint64_t>(std::llround(launches));
  region.sampled_share = time > 0 ? std::min(covered / time, 1.0) : 0;
  region.samples = CountSamples(state, query, mark, marks);
  return region;
}

void SetAbsent(RegionEstimate& region, std::size_t metrics,
               EstimateAbsence absence, const char* why) {
  CounterEstimate estimate;
  estimate.absence = absence;
  estimate.why = why;
  region.metrics.assign(metrics, estimate);
}

// Groups that share columns with the query, or whose counts mix with it in its
// samples: of each pool the busiest group.
std::vector<std::uint32_t> ConfusedWith(const FitState& state,
                                        const ColumnQuery& query) {
  Vector weights = Vector::Zero(state.x.rows());
  for (const ColumnPart& part : query.parts)
    weights[static_cast<Index>(part.column)] += part.weight;
  // The expected composition of the estimate, by column.
  const Vector made = state.equations.products.selfadjointView<Eigen::Lower>() *
                          (state.inverse * weights) +
                      state.toward_total.dot(weights) * state.equations.sums;
  std::vector<bool> own(state.pools.size(), false);
  for (const CellPart& part : query.cells)
    own[state.pools.pool[part.cell]] = true;
  std::vector<std::pair<double, std::uint32_t>> others;
  std::vector<bool> is_there = own;
  std::vector<std::uint32_t> order(state.groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t g) {
    return state.groups[g].busy_ns;
  });
  for (const std::uint32_t group : order) {
    const std::uint32_t pool = state.pools.pool[group];
    if (is_there[pool]) continue;
    is_there[pool] = true;
    const std::uint32_t column = state.column(group);
    others.emplace_back(-std::abs(made[static_cast<Index>(column)]) *
                            state.pooled.duration_ns[column],
                        group);
  }
  std::ranges::sort(others);
  std::vector<std::uint32_t> confused;
  for (const auto& [time, group] : others) {
    if (confused.size() == 5 || -time < 0.1 * -others.front().first) break;
    if (time < 0) confused.push_back(group);
  }
  return confused;
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
  LaunchCounts counts(state);
  const std::size_t metrics = state.metrics.size();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    regions.push_back(
        Touched(state, queries[q], static_cast<std::uint32_t>(q + 1), marks));
    RegionEstimate& region = regions.back();
    if (region.launches == 0) {
      SetAbsent(region, metrics, EstimateAbsence::kNoLaunch,
                "nothing was launched");
    } else if (state.x.size() == 0) {
      SetAbsent(region, metrics, EstimateAbsence::kNoFit,
                "there are too few samples for an estimate");
    } else if (region.samples == 0) {
      SetAbsent(region, metrics, EstimateAbsence::kNoSample,
                "no sample was taken while it ran");
    } else {
      asked.push_back(ColumnsOf(state, counts.Of(queries[q])));
      asked_by.push_back(q);
    }
  }
  auto estimates = EstimateColumns(state, asked);
  for (std::size_t a = 0; a < asked.size(); ++a) {
    RegionEstimate& region = regions[asked_by[a]];
    region.metrics = std::move(estimates[a]);
    if (!region.metrics.empty() &&
        region.metrics[0].absence == EstimateAbsence::kNotSeparable)
      region.confused_with = ConfusedWith(state, asked[a]);
  }
  return regions;
}

std::vector<CounterEstimate> EstimateOutside(const FitState& state) {
  CounterEstimate none;
  none.absence = EstimateAbsence::kNoFit;
  none.why = "there are too few samples for an estimate";
  if (state.x.size() == 0)
    return std::vector<CounterEstimate>(state.metrics.size(), none);
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
