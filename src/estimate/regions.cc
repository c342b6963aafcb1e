// From launches and groups to columns, and what of them the samples saw.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

// How many launches of each group a query has; by group, ascending.
std::vector<std::pair<std::uint32_t, double>> GroupsOf(
    const FitState& state, const RegionQuery& query) {
  std::vector<double> launches(state.groups.size(), 0);
  for (const std::uint32_t l : query.launches) {
    const std::uint32_t group = state.columns.group[l];
    if (group != CounterFit::kNoGroup) launches[group] += 1;
  }
  for (const GroupShare& share : query.groups)
    launches[share.group] += share.launches;
  std::vector<std::pair<std::uint32_t, double>> groups;
  for (std::uint32_t group = 0; group < launches.size(); ++group) {
    if (launches[group] > 0) groups.emplace_back(group, launches[group]);
  }
  return groups;
}

double WeightOf(const FitState& state, std::uint32_t group) {
  return state.columns.weight.empty() ? 1 : state.columns.weight[group];
}

// How unevenly a query takes the groups of one column: a standard deviation of
// its part of a group, by the groups' time.
double UnevenPart(const FitState& state, std::uint32_t of,
                  const std::map<std::uint32_t, double>& part_of_group) {
  std::vector<std::uint32_t> all = state.groups[of].merged_with;
  if (all.empty()) return 0;
  all.push_back(of);
  double busy = 0, mean = 0, square = 0;
  for (const std::uint32_t group : all) {
    const auto at = part_of_group.find(group);
    const double taken = at == part_of_group.end() ? 0 : at->second;
    busy += state.groups[group].busy_ns;
    mean += state.groups[group].busy_ns * taken;
    square += state.groups[group].busy_ns * taken * taken;
  }
  const double spread =
      std::sqrt(std::max(square / busy - mean * mean / (busy * busy), 0.0));
  return spread < 1e-6 ? 0 : spread;
}

// What is in columns that have groups of which the query has fewer, or none.
void AddUnsure(const FitState& state, ColumnQuery& query,
               const std::map<std::uint32_t, double>& part_of_group) {
  std::map<std::uint32_t, double> spread_of_column;
  for (const auto& [group, part] : part_of_group) {
    const std::uint32_t column = state.columns.column[group];
    if (!spread_of_column.contains(column))
      spread_of_column[column] = UnevenPart(state, group, part_of_group);
  }
  double time = 0, unsure_time = 0;
  for (const ColumnPart& part : query.parts) {
    const double spread = spread_of_column[part.column];
    const double part_time = part.weight * state.duration_ns[part.column];
    query.unsure_launches.push_back(spread * state.launches[part.column]);
    time += part_time;
    unsure_time += spread > 0 ? part_time : 0;
  }
  query.unsure = time > 0 ? unsure_time / time : 0;
}

// Samples that the query's launches lie in, marked by its number.
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
    const std::uint32_t column = state.columns.column[share.group];
    for (std::uint32_t k = state.by_column.begin[column];
         k < state.by_column.begin[column + 1]; ++k)
      touch(state.by_column.row[k]);
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
    const std::uint32_t column = state.columns.column[share.group];
    if (state.launches[column] > 0)
      covered +=
          busy *
          std::min(state.equations.sums[column] / state.launches[column], 1.0);
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

// Groups that share columns with the query's, or that its samples mix up with.
std::vector<std::uint32_t> ConfusedWith(const FitState& state,
                                        const RegionQuery& query,
                                        const ColumnQuery& columns) {
  Vector weights = Vector::Zero(state.x.rows());
  for (const ColumnPart& part : columns.parts)
    weights[static_cast<Index>(part.column)] += part.weight;
  // What the estimate is expected to be made of.
  const Vector made = state.equations.products.selfadjointView<Eigen::Lower>() *
                      (state.inverse * weights);
  std::map<std::uint32_t, bool> own;
  for (const auto& [group, launches] : GroupsOf(state, query))
    own[group] = true;
  std::vector<std::pair<double, std::uint32_t>> others;
  for (std::uint32_t group = 0; group < state.groups.size(); ++group) {
    if (own.contains(group)) continue;
    const std::uint32_t column = state.columns.column[group];
    const double time =
        std::abs(made[static_cast<Index>(column)]) * state.duration_ns[column];
    others.emplace_back(-time, group);
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

ColumnQuery ColumnsOf(const FitState& state, const RegionQuery& query) {
  std::map<std::uint32_t, ColumnPart> parts;
  std::map<std::uint32_t, double> part_of_group;
  for (const auto& [group, launches] : GroupsOf(state, query)) {
    const std::uint32_t column = state.columns.column[group];
    ColumnPart& part = parts[column];
    part.column = column;
    part.weight += launches * WeightOf(state, group);
    part_of_group[group] =
        launches / static_cast<double>(state.groups[group].launches);
  }
  ColumnQuery columns;
  for (auto& [column, part] : parts) columns.parts.push_back(part);
  for (ColumnPart& part : columns.parts)
    part.share = std::min(part.weight / state.launches[part.column], 1.0);
  AddUnsure(state, columns, part_of_group);
  return columns;
}

std::vector<RegionEstimate> EstimateRegions(
    const FitState& state, std::span<const RegionQuery> queries) {
  std::vector<RegionEstimate> regions;
  std::vector<std::uint32_t> marks(state.samples.size(), 0);
  std::vector<ColumnQuery> asked;
  std::vector<std::size_t> asked_by;
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
      asked.push_back(ColumnsOf(state, queries[q]));
      asked_by.push_back(q);
    }
  }
  auto estimates = EstimateColumns(state, asked);
  for (std::size_t a = 0; a < asked.size(); ++a) {
    RegionEstimate& region = regions[asked_by[a]];
    region.metrics = std::move(estimates[a]);
    if (!region.metrics.empty() &&
        region.metrics[0].absence == EstimateAbsence::kNotSeparable)
      region.confused_with =
          ConfusedWith(state, queries[asked_by[a]], asked[a]);
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
    outside.parts.push_back(
        {static_cast<std::uint32_t>(c), state.equations.sums[c], 1});
    outside.unsure_launches.push_back(0);
  }
  return EstimateColumns(state, {&outside, 1}).front();
}

}  // namespace rangefinder
