// How a region's counts went over the run: in each block of its instances its
// own factor, and one for everything else that ran then.

#include <algorithm>
#include <cmath>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

constexpr std::size_t kClusters = 10;  // of samples, in a block
constexpr std::size_t kLeastSamples = 6;

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

// What the samples of a block have of the region, by the estimates.
struct BlockPart {
  std::size_t from = 0;  // samples
  RowMatrix own{};       // samples of the block x metrics
  Vector total{};        // by metric, of all its launches
  std::uint64_t launches = 0;
};

BlockPart PartOf(const FitState& state, std::span<const Instance> instances) {
  BlockPart part;
  part.total = Vector::Zero(state.x.cols());
  std::size_t from = state.samples.size(), to = 0;
  for (const Instance& instance : instances) {
    for (const std::uint32_t l : instance.query->launches) {
      const LaunchPlace& place = state.places[l];
      if (place.samples == 0) continue;
      from = std::min<std::size_t>(from, place.first_sample);
      to = std::max<std::size_t>(to, place.first_sample + place.samples);
    }
  }
  part.from = std::min(from, to);
  part.own =
      RowMatrix::Zero(static_cast<Index>(to - part.from), state.x.cols());
  for (const Instance& instance : instances) {
    for (const std::uint32_t l : instance.query->launches) {
      ++part.launches;
      const std::uint32_t group = state.columns.group[l];
      if (group == CounterFit::kNoGroup) continue;
      const double weight =
          state.columns.weight.empty() ? 1 : state.columns.weight[group];
      const Vector count =
          weight * state.x.row(static_cast<Index>(state.columns.column[group]));
      part.total += count;
      const LaunchPlace& place = state.places[l];
      const Window at = Moved(place.start_ns, place.end_ns, state.edges);
      for (std::uint32_t i = place.first_sample;
           i < place.first_sample + place.samples; ++i) {
        const double overlap = std::min(state.samples.end_ns[i], at.end_ns) -
                               std::max(state.samples.start_ns[i], at.start_ns);
        part.own.row(static_cast<Index>(i - part.from)) +=
            std::max(overlap, 0.0) / (at.end_ns - at.start_ns) *
            count.transpose();
      }
    }
  }
  return part;
}

struct Factor {
  double value = 1;
  double error = 0;
  double degrees = 0;
  bool known = false;
};

// Least squares of the residuals on the region and on all else.
Factor FactorOf(const FitState& state, const BlockPart& part, Index m) {
  Factor factor;
  const Index rows = part.own.rows();
  const auto from = static_cast<Index>(part.from);
  const Vector own = part.own.col(m);
  const Vector other = state.fitted.col(m).segment(from, rows) - own;
  const Vector left = state.residual.col(m).segment(from, rows);
  const double aa = own.squaredNorm(), bb = other.squaredNorm();
  const double ab = own.dot(other);
  const bool alone = bb <= 1e-12 * aa;
  // What of the region's column is not the others'.
  const Vector free = alone ? own : own - ab / bb * other;
  const double information = free.squaredNorm();
  if (aa <= 0 || information <= 1e-6 * aa) return factor;
  const double step = free.dot(left) / information;
  const double other_step = alone ? 0 : (other.dot(left) - step * ab) / bb;
  const Vector rest = left - step * own - other_step * other;
  double square = 0;
  const Index clusters =
      std::min<Index>(static_cast<Index>(kClusters), rows / 2);
  for (Index c = 0; c < clusters; ++c) {
    const Index begin = c * rows / clusters;
    const Index length = (c + 1) * rows / clusters - begin;
    const double sum =
        free.segment(begin, length).dot(rest.segment(begin, length));
    square += sum * sum;
  }
  const double correction =
      static_cast<double>(clusters) /
      std::max<double>(static_cast<double>(clusters) - 2, 1);
  factor.value = std::max(1 + step, 0.0);
  factor.error = std::sqrt(square * correction) / information;
  factor.degrees = std::max<double>(static_cast<double>(clusters) - 2, 1);
  factor.known = true;
  return factor;
}

CounterEstimate PerInstance(const Factor& factor, double total,
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
                    std::span<const CounterEstimate> whole) {
  RegionBlock block;
  block.instances = instances.size();
  double end = instances.front().end_ns;
  for (const Instance& instance : instances)
    end = std::max(end, instance.end_ns);
  block.start_ns = state.samples.origin_ns +
                   static_cast<std::int64_t>(instances.front().start_ns);
  block.end_ns = state.samples.origin_ns + static_cast<std::int64_t>(end);
  const BlockPart part = PartOf(state, instances);
  block.launches = part.launches;
  for (Index m = 0; m < static_cast<Index>(whole.size()); ++m) {
    const CounterEstimate& all = whole[static_cast<std::size_t>(m)];
    CounterEstimate& estimate = block.per_instance.emplace_back();
    if (!all.total) {
      estimate = all;
      continue;
    }
    Factor factor;
    if (part.own.rows() >= static_cast<Index>(kLeastSamples))
      factor = FactorOf(state, part, m);
    if (factor.known) {
      estimate = PerInstance(factor, part.total[m], block.instances, all);
    } else if (part.total[m] <= 0) {
      estimate =
          PerInstance({.value = 0, .degrees = 1}, 0, block.instances, all);
      estimate.high = all.high;
    } else {
      estimate.absence = EstimateAbsence::kNoSample;
      estimate.why = "too few samples were taken in this part of the run";
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
  const std::size_t count = std::clamp<std::size_t>(blocks, 1, order.size());
  std::vector<RegionBlock> result;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t from = b * order.size() / count;
    const std::size_t to = (b + 1) * order.size() / count;
    result.push_back(
        BlockOf(state, std::span(order).subspan(from, to - from), all.metrics));
  }
  return result;
}

}  // namespace rangefinder
