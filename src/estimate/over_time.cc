// The course of a region's counts over the run: in each block of its instances,
// the region and each other region that ran then have a factor of their own.

#include <algorithm>
#include <cmath>
#include <map>

#include <eigen3/Eigen/Cholesky>

#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

constexpr std::size_t kClusters = 10;  // clusters of samples in a block
constexpr std::size_t kLeastSamplesOfPart = 6;
constexpr std::size_t kMostOthers = 20;
constexpr double kFactorSpread = 0.3;  // prior scatter of a factor

struct Instance {
  const RegionQuery* query = nullptr;
  double start_ns = 0;
  double end_ns = 0;
};

std::vector<Instance> InOrder(const FitState& state,
                              std::span<const RegionQuery> queries) {
  std::vector<Instance> instances;
  for (const RegionQuery& query : queries) {
    if (query.launches.empty()) continue;
    Instance instance{&query, 1e300, -1e300};
    for (const std::uint32_t l : query.launches) {
      instance.start_ns = std::min(instance.start_ns, state.places[l].start_ns);
      instance.end_ns = std::max(instance.end_ns, state.places[l].end_ns);
    }
    instances.push_back(instance);
  }
  std::ranges::stable_sort(instances, {}, &Instance::start_ns);
  return instances;
}

// By cell: the index of its region's factor. The regions that run longest have
// one each, the rest share one, and the outside has one.
std::vector<Index> OthersOf(const FitState& state) {
  std::map<std::uint32_t, double> busy;
  for (const FitGroup& group : state.groups)
    busy[group.region] += group.busy_ns;
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [region, time] : busy) order.emplace_back(-time, region);
  std::ranges::sort(order);
  std::map<std::uint32_t, Index> place;
  for (std::size_t k = 0; k < order.size(); ++k)
    place[order[k].second] = static_cast<Index>(std::min(k, kMostOthers));
  std::vector<Index> others;
  for (const FitGroup& group : state.groups)
    others.push_back(place[group.region]);
  others.resize(state.cells.columns, static_cast<Index>(kMostOthers) + 1);
  return others;
}

// The region's part of the samples of a block, by the estimates.
struct BlockPart {
  std::size_t from = 0;  // samples
  RowMatrix own{};       // samples of the block x metrics
  Vector total{};        // by metric, of all its launches
  // The same by the factor that these launches have as part of the others.
  std::map<Index, RowMatrix> by_other{};
};

// Samples that the instances' launches lie in.
std::pair<std::size_t, std::size_t> SamplesOf(
    const FitState& state, std::span<const Instance> instances) {
  std::size_t from = state.samples.size(), to = 0;
  for (const Instance& instance : instances) {
    for (const std::uint32_t l : instance.query->launches) {
      const LaunchPlace& place = state.places[l];
      if (place.samples == 0) continue;
      from = std::min<std::size_t>(from, place.first_sample);
      to = std::max<std::size_t>(to, place.first_sample + place.samples);
    }
  }
  return {std::min(from, to), to};
}

BlockPart PartOf(const FitState& state, std::span<const Instance> instances,
                 std::span<const Index> others) {
  BlockPart part;
  part.total = Vector::Zero(state.x.cols());
  const auto [from, to] = SamplesOf(state, instances);
  part.from = from;
  part.own = RowMatrix::Zero(static_cast<Index>(to - from), state.x.cols());
  const RowMatrix none = part.own;
  for (const Instance& instance : instances) {
    for (const std::uint32_t l : instance.query->launches) {
      const std::uint32_t group = state.group_of_launch[l];
      if (group == CounterFit::kNoGroup) continue;
      const Vector count = state.counts.row(static_cast<Index>(group));
      part.total += count;
      RowMatrix& own =
          part.by_other.try_emplace(others[group], none).first->second;
      state.ForEachPart(state.places[l], [&](std::uint32_t i, double share) {
        own.row(static_cast<Index>(i - part.from)) += share * count.transpose();
      });
    }
  }
  for (const auto& [other, own] : part.by_other) part.own += own;
  return part;
}

struct BlockFactor {
  double value = 1;
  double error = 0;
  double degrees = 0;
  bool known = false;
};

// Samples of a block x (the region, all others): counts by the estimates.
RowMatrix PartsOf(const FitState& state, const BlockPart& part,
                  std::span<const Index> others, Index m) {
  RowMatrix parts =
      RowMatrix::Zero(part.own.rows(), static_cast<Index>(kMostOthers) + 3);
  for (Index i = 0; i < parts.rows(); ++i) {
    const std::size_t row = part.from + static_cast<std::size_t>(i);
    for (const std::uint32_t k : state.cells.Entries(row)) {
      const std::uint32_t cell = state.cells.column[k];
      parts(i, others[cell] + 1) +=
          state.cells.value[k] * state.counts(static_cast<Index>(cell), m);
    }
  }
  // The region's own counts are subtracted from the factors of its launches.
  parts.col(0) = part.own.col(m);
  for (const auto& [other, own] : part.by_other)
    parts.col(other + 1) -= own.col(m);
  return parts;
}

// Least squares of the residuals on all parts; the prior holds the factors to
// 1.
BlockFactor BlockFactorOf(const FitState& state, const BlockPart& part,
                          std::span<const Index> others, Index m) {
  BlockFactor factor;
  const RowMatrix parts = PartsOf(state, part, others, m);
  const Index rows = parts.rows();
  const Vector left =
      state.residual.col(m).segment(static_cast<Index>(part.from), rows);
  const double own = parts.col(0).squaredNorm();
  if (own <= 0) return factor;
  Matrix square = parts.transpose() * parts;
  square.diagonal().array() += state.residual.col(m).squaredNorm() /
                                   static_cast<double>(state.residual.rows()) /
                                   (kFactorSpread * kFactorSpread) +
                               own * 1e-12;
  const auto solver = square.ldlt();
  const Vector step = solver.solve(parts.transpose() * left);
  const Vector weights = parts * solver.solve(Vector::Unit(parts.cols(), 0));
  const Vector rest = left - parts * step;
  double sum = 0;
  const Index clusters =
      std::min<Index>(static_cast<Index>(kClusters), rows / 2);
  for (Index c = 0; c < clusters; ++c) {
    const Index begin = c * rows / clusters;
    const Index length = (c + 1) * rows / clusters - begin;
    const double one =
        weights.segment(begin, length).dot(rest.segment(begin, length));
    sum += one * one;
  }
  // The part of the factor that the samples determine, and the part of the
  // prior.
  const double known = weights.dot(parts.col(0));
  const double held = (1 - known) * kFactorSpread;
  factor.degrees = std::max<double>(static_cast<double>(clusters) - 2, 1);
  factor.value = std::max(1 + step[0], 0.0);
  factor.error = std::sqrt(
      sum * static_cast<double>(clusters) / factor.degrees + held * held);
  factor.known = known > 0.5;
  return factor;
}

CounterEstimate PerInstance(const BlockFactor& factor, double total,
                            std::uint64_t instances,
                            const CounterEstimate& whole) {
  constexpr double kNormal = 1.959964;
  CounterEstimate estimate;
  const double each = total / static_cast<double>(instances);
  estimate.total = factor.value * each;
  estimate.statistical = factor.error * each;
  if (*whole.total > 0)
    estimate.systematic = whole.systematic / *whole.total * *estimate.total;
  estimate.degrees_of_freedom = factor.degrees;
  estimate.error = std::hypot(estimate.statistical, estimate.systematic);
  const double reach =
      std::hypot(StudentQuantile(factor.degrees) * estimate.statistical,
                 kNormal * estimate.systematic);
  estimate.low = std::max(*estimate.total - reach, 0.0);
  estimate.high = *estimate.total + reach;
  return estimate;
}

RegionBlock BlockOf(const FitState& state, std::span<const Instance> instances,
                    std::span<const Index> others,
                    std::span<const CounterEstimate> whole) {
  RegionBlock block;
  block.instances = instances.size();
  double end = instances.front().end_ns;
  for (const Instance& instance : instances)
    end = std::max(end, instance.end_ns);
  block.start_ns = state.samples.origin_ns +
                   static_cast<std::int64_t>(instances.front().start_ns);
  block.end_ns = state.samples.origin_ns + static_cast<std::int64_t>(end);
  for (const Instance& instance : instances)
    block.launches += instance.query->launches.size();
  block.per_instance.assign(whole.begin(), whole.end());
  if (state.x.size() == 0) return block;
  const BlockPart part = PartOf(state, instances, others);
  for (Index m = 0; m < static_cast<Index>(whole.size()); ++m) {
    const CounterEstimate& all = whole[static_cast<std::size_t>(m)];
    CounterEstimate& estimate = block.per_instance[static_cast<std::size_t>(m)];
    if (!all.total) continue;
    BlockFactor factor;
    if (part.own.rows() >= static_cast<Index>(kLeastSamplesOfPart))
      factor = BlockFactorOf(state, part, others, m);
    if (factor.known) {
      estimate = PerInstance(factor, part.total[m], block.instances, all);
    } else if (part.total[m] <= 0) {
      estimate =
          PerInstance({.value = 0, .degrees = 1}, 0, block.instances, all);
      estimate.high = all.high;
    } else {
      estimate = {.absence = EstimateAbsence::kNoSample,
                  .why = "too few samples were taken in this part of the run"};
    }
  }
  return block;
}

}  // namespace

std::vector<RegionBlock> EstimateOverTime(
    const FitState& state, std::span<const RegionQuery> instances,
    std::size_t blocks) {
  const std::vector<Instance> order = InOrder(state, instances);
  if (order.empty()) return {};
  RegionQuery whole;
  for (const Instance& instance : order)
    whole.launches.insert(whole.launches.end(),
                          instance.query->launches.begin(),
                          instance.query->launches.end());
  const RegionEstimate all = EstimateRegions(state, {&whole, 1}).front();
  std::vector<Index> others;
  if (state.x.size() > 0) others = OthersOf(state);
  const std::size_t count = std::clamp<std::size_t>(blocks, 1, order.size());
  std::vector<RegionBlock> result;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t from = b * order.size() / count;
    const std::size_t to = (b + 1) * order.size() / count;
    result.push_back(BlockOf(state, std::span(order).subspan(from, to - from),
                             others, all.metrics));
  }
  return result;
}

}  // namespace rangefinder
