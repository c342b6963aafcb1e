// The weight of each sample.
//
// A sample's count is as certain as the counts cut at its borders. A border
// within a launch that counts fast changes the sample's count much by a small
// error of time, or by a change of the launch's rate; a border between
// launches, or in a launch that counts little, changes nothing. So samples
// differ in their variance by a factor of thousands, and samples with quiet
// borders tell small kernels beside large ones apart. A sample's variance is
// modelled as a sum of parts, whose sizes are found from the residuals, by
// metric.
//
// A launch's code usually ends some time before the recorded end (1 us on an
// H200), and a border after its end is as quiet as one between launches. On
// some machines, a little code runs until later. So borders between the fitted
// and the recorded end have a part of their own.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

constexpr double kUnusual = 4;  // root mean squares
// Of an unusual residual: a single sample may have all launches of a kernel.
constexpr double kLeastTrust = 1e-6;
// Least variance over the mean variance.
constexpr double kMostUnequal = 1e-4, kMostUnequalOfCode = 1e-6;
constexpr int kSteps = 30;

// The parts of a sample's variance, for one metric.
enum Part : std::uint8_t {
  kBusy,  // proportional to the square of the busy time
  kTime,  // a border is off by some time
  kRate,  // the rate of a cut launch is not constant
  // Launches of a group count differently. Of code, instead: a border is within
  // a launch; then samples with such a border have no kBusy.
  kScatterOrCut,
  kEnd,  // of code: a launch ends some time after its fitted end
  kParts
};
using Parts = Eigen::Matrix<double, Eigen::Dynamic, kParts>;

Parts PartsOf(const FitState& state, std::span<const double> usual,
              std::span<const SampleBorder> borders, bool of_code,
              Index metric) {
  Parts parts = Parts::Zero(static_cast<Index>(state.design.rows()), kParts);
  for (std::size_t i = 0; i < state.design.rows(); ++i) {
    const auto row = static_cast<Index>(i);
    parts(row, kBusy) = 1 / usual[i];
    if (of_code) continue;
    for (const std::uint32_t k : state.cells.Entries(i)) {
      const std::uint32_t cell = state.cells.column[k];
      if (cell >= state.groups.size()) continue;
      const double count =
          state.cells.value[k] * state.counts(static_cast<Index>(cell), metric);
      parts(row, kScatterOrCut) += count * count;
    }
  }
  for (const SampleBorder& border : borders) {
    const double count = state.counts(static_cast<Index>(border.group), metric);
    const auto row = static_cast<Index>(border.sample);
    if (border.at_end) {
      parts(row, kEnd) += count * count * border.rate * border.rate;
      continue;
    }
    if (of_code) {
      parts(row, kBusy) = 0;
      parts(row, kScatterOrCut) = 1 / usual[border.sample];
    }
    parts(row, kTime) += count * count * border.rate * border.rate;
    parts(row, kRate) += count * count * border.part * (1 - border.part);
  }
  return parts;
}

// The most likely variance by sample, of normal noise. Unusual residuals count
// as the largest usual ones.
Vector VarianceOf(const Parts& parts, const Vector& squares,
                  const Vector& leverage, const Weighing& weighing) {
  const auto rows = static_cast<double>(parts.rows());
  Eigen::Matrix<double, kParts, 1> size;
  for (int k = 0; k < kParts; ++k) {
    const double sum = parts.col(k).sum();
    size[k] = sum > 0 ? squares.sum() / (sum * static_cast<double>(kParts)) : 0;
  }
  const double most_unequal =
      weighing.of_code ? kMostUnequalOfCode : kMostUnequal;
  Vector variance;
  for (int step = 0; step <= kSteps; ++step) {
    if (step == kSteps) {
      size[kBusy] *= weighing.quiet;
      size[kEnd] *= weighing.quiet;
    }
    variance = parts * size;
    const double least = most_unequal * variance.sum() / rows;
    variance = variance.cwiseMax(least > 0 ? least : 1);
    if (step == kSteps) break;
    const Vector precision = variance.cwiseInverse();
    const Vector seen = (squares.cwiseMin(kUnusual * kUnusual * variance) +
                         leverage.cwiseProduct(variance))
                            .cwiseProduct(precision.cwiseAbs2());
    for (int k = 0; k < kParts; ++k) {
      const double expected = parts.col(k).dot(precision);
      if (expected > 0) size[k] *= parts.col(k).dot(seen) / expected;
    }
  }
  return variance;
}

}  // namespace

std::vector<SampleBorder> BordersOf(const FitState& state,
                                    const LaunchWindows& windows,
                                    bool of_code) {
  WindowEdges edges = state.edges;
  if (of_code) {
    edges.start_ns = std::min(edges.start_ns, 0.0);
    edges.end_ns = std::max(edges.end_ns, 0.0);
  }
  std::vector<SampleBorder> borders;
  VisitOverlaps(windows, state.samples, edges,
                [&](std::size_t i, std::size_t k, double part) {
                  if (part >= 1) return;
                  const double start = windows.start_ns[k],
                               end = windows.end_ns[k];
                  const Window cut = Moved(start, end, edges);
                  const Window at = Moved(start, end, state.edges);
                  const double length = at.end_ns - at.start_ns;
                  for (const double time :
                       {state.samples.start_ns[i], state.samples.end_ns[i]}) {
                    if (time <= cut.start_ns || time >= cut.end_ns) continue;
                    const double done = (time - at.start_ns) / length;
                    borders.push_back({static_cast<std::uint32_t>(i),
                                       state.group_of_launch[windows.launch[k]],
                                       1 / length, std::clamp(done, 0.0, 1.0),
                                       time >= at.end_ns});
                  }
                });
  return borders;
}

void WeighSamples(FitState& state, std::span<const SampleBorder> borders,
                  const Weighing& weighing) {
  const std::vector<double> usual = WeightsOf(state.design);
  const bool any = std::ranges::any_of(
      state.metrics, [](const EstimatedMetric& one) { return one.judges(); });
  const std::size_t rows = state.design.rows();
  // By metric: the inverse of the variance over its mean, and how unusual a
  // residual is.
  std::vector<Vector> precision(state.metrics.size());
  std::vector<Vector> trust(state.metrics.size());
  InParallel(state.metrics.size(), [&](std::size_t m, std::size_t) {
    if (any && !state.metrics[m].judges()) return;
    const auto metric = static_cast<Index>(m);
    const Vector squares = state.residual.col(metric).cwiseAbs2();
    const Vector variance =
        VarianceOf(PartsOf(state, usual, borders, weighing.of_code, metric),
                   squares, state.leverage, weighing);
    precision[m] = variance.mean() * variance.cwiseInverse();
    trust[m] =
        (kUnusual * kUnusual * variance.array() / squares.array().max(1e-300))
            .min(1.0)
            .matrix();
  });
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<Index>(i);
    double sum = 0, metrics = 0, least = 1;
    for (std::size_t m = 0; m < precision.size(); ++m) {
      if (precision[m].size() == 0) continue;
      sum += std::log(precision[m][row]);
      least = std::min(least, trust[m][row]);
      metrics += 1;
    }
    state.design.weight[i] =
        std::max(least, kLeastTrust) * std::exp(sum / metrics);
  }
}

}  // namespace rangefinder
