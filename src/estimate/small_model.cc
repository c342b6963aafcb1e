#include "estimate/small_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <eigen3/Eigen/Cholesky>

#include "estimate/normal_equations.h"
#include "estimate/pools.h"

namespace rangefinder {
namespace {

// Part of an interval, before the noise is known.
constexpr double kFirstNoise = 0.02;

struct Stretch {
  std::size_t from = 0;  // samples
  std::size_t to = 0;
};

std::vector<Stretch> Stretches(std::size_t samples, const PartChoice& choice) {
  const auto from =
      static_cast<std::size_t>(choice.from * static_cast<double>(samples));
  const auto to =
      static_cast<std::size_t>(choice.to * static_cast<double>(samples));
  if (to - from <= choice.samples) return {{from, to}};
  std::vector<Stretch> stretches;
  const std::size_t length = choice.samples / choice.stretches;
  const std::size_t step = (to - from - length) / (choice.stretches - 1);
  for (std::size_t s = 0; s < choice.stretches; ++s)
    stretches.push_back({from + s * step, from + s * step + length});
  return stretches;
}

void TakeSamples(const SampleWindows& samples, std::span<const Stretch> from,
                 SampleWindows& to) {
  std::size_t count = 0;
  for (const Stretch& stretch : from) count += stretch.to - stretch.from;
  to.interval_ns = samples.interval_ns;
  to.counts.resize(static_cast<Index>(count), samples.counts.cols());
  for (const Stretch& stretch : from) {
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      to.counts.row(static_cast<Index>(to.start_ns.size())) =
          samples.counts.row(static_cast<Index>(i));
      to.start_ns.push_back(samples.start_ns[i]);
      to.end_ns.push_back(samples.end_ns[i]);
    }
  }
}

void TakeLaunches(const LaunchWindows& windows, const SampleWindows& samples,
                  std::span<const Stretch> stretches, double margin_ns,
                  LaunchWindows& to) {
  std::size_t stretch = 0;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    while (stretch < stretches.size() &&
           samples.end_ns[stretches[stretch].to - 1] + margin_ns <=
               windows.start_ns[k])
      ++stretch;
    if (stretch == stretches.size()) break;
    if (windows.end_ns[k] + margin_ns <=
        samples.start_ns[stretches[stretch].from])
      continue;
    to.start_ns.push_back(windows.start_ns[k]);
    to.end_ns.push_back(windows.end_ns[k]);
    to.launch.push_back(windows.launch[k]);
  }
}

struct SmallFit {
  Design design{};
  RowMatrix own{};
  NormalEquations equations{};
  ColumnPrior prior{};
  Matrix x{};
  RowMatrix residual{};
  Vector noise{};  // mean square by metric; 1 if there are no residuals
};

SmallFit Fit(const RunPart& part, const WindowEdges& edges, bool background,
             double noise_ns) {
  SmallFit fit;
  fit.design = MakeDesign(part.launches, part.windows, part.samples, edges,
                          part.columns, background);
  fit.own = OwnCounts(fit.design, part.samples, part.metrics);
  fit.equations = Accumulate(fit.design, fit.own, {}, 2);
  fit.prior = PriorOf(fit.equations, part.duration_ns, noise_ns,
                      RatesOf(fit.equations, part.duration_ns));
  fit.x = Solve(fit.equations, fit.prior);
  fit.residual = fit.own - Predicted(fit.design, fit.x);
  fit.noise = fit.residual.colwise().squaredNorm().transpose() /
              std::max<double>(static_cast<double>(part.samples.size()), 1);
  for (Index m = 0; m < fit.noise.size(); ++m) {
    if (fit.noise[m] <= 0) fit.noise[m] = 1;
  }
  return fit;
}

// A' y.
Matrix Transposed(const Design& design, const RowMatrix& y) {
  RowMatrix product =
      RowMatrix::Zero(static_cast<Index>(design.columns), y.cols());
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (const std::uint32_t k : design.Entries(i))
      product.row(static_cast<Index>(design.column[k])) +=
          design.value[k] * y.row(static_cast<Index>(i));
  }
  return product;
}

// The derivative of the residuals by an edge, per nanosecond.
RowMatrix Slope(const RunPart& part, const SmallFit& fit, WindowEdges edges) {
  constexpr double kStep = 50;
  const Design design = MakeDesign(part.launches, part.windows, part.samples,
                                   edges, part.columns, false);
  const RowMatrix left =
      OwnCounts(design, part.samples, part.metrics) - Predicted(design, fit.x);
  return (left - fit.residual) / kStep;
}

// One step of both edges towards the least squares. The prior keeps steps below
// about 1 us.
Eigen::Vector2d Step(const RunPart& part, const SmallFit& fit,
                     const WindowEdges& edges) {
  constexpr double kStep = 50;
  constexpr double kSpread = 1000;
  const RowMatrix slopes[2] = {
      Slope(part, fit, {edges.start_ns + kStep, edges.end_ns}),
      Slope(part, fit, {edges.start_ns, edges.end_ns + kStep})};
  RowMatrix free[2];  // without the part that the columns can explain
  for (int e = 0; e < 2; ++e)
    free[e] =
        slopes[e] -
        Predicted(fit.design, SolveFor(fit.equations, fit.prior,
                                       Transposed(fit.design, slopes[e])));
  Eigen::Matrix2d square = Eigen::Matrix2d::Identity() / (kSpread * kSpread);
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  for (Index m = 0; m < fit.noise.size(); ++m) {
    for (int a = 0; a < 2; ++a) {
      right[a] -= free[a].col(m).dot(fit.residual.col(m)) / fit.noise[m];
      for (int b = 0; b < 2; ++b)
        square(a, b) += free[a].col(m).dot(free[b].col(m)) / fit.noise[m];
    }
  }
  return square.ldlt().solve(right);
}

// The residuals over those of `before`, as a mean over the metrics.
double Left(const SmallFit& fit, const Vector& before) {
  return fit.noise.cwiseQuotient(before).mean();
}

double NoiseNs(const RunPart& part, const SmallFit& fit) {
  return std::max(
      NoiseOf(SquaresLeft(fit.equations, fit.x), part.samples.size(),
              RatesOf(fit.equations, part.duration_ns)),
      part.samples.interval_ns * 1e-4);
}

void TakeMetrics(std::span<const EstimatedMetric> metrics, RunPart& part) {
  const std::vector<std::size_t> taken = MetricsOfLaunches(metrics);
  for (const std::size_t m : taken) part.metrics.push_back(metrics[m]);
  if (taken.size() == metrics.size()) return;
  RowMatrix counts(part.samples.counts.rows(),
                   static_cast<Index>(taken.size()));
  for (std::size_t at = 0; at < taken.size(); ++at)
    counts.col(static_cast<Index>(at)) =
        part.samples.counts.col(static_cast<Index>(taken[at]));
  part.samples.counts = std::move(counts);
}

}  // namespace

std::vector<std::size_t> MetricsOfLaunches(
    std::span<const EstimatedMetric> metrics) {
  const bool any = std::ranges::any_of(metrics, &EstimatedMetric::of_launches);
  std::vector<std::size_t> taken;
  for (std::size_t m = 0; m < metrics.size(); ++m)
    if (!any || metrics[m].of_launches) taken.push_back(m);
  return taken;
}

RunPart TakePart(std::span<const SampledLaunch> launches,
                 std::span<const EstimatedMetric> metrics,
                 const LaunchWindows& windows, const SampleWindows& samples,
                 const Grouping& grouping, const PartChoice& choice) {
  RunPart part{.launches = launches};
  const std::vector<Stretch> stretches = Stretches(samples.size(), choice);
  TakeSamples(samples, stretches, part.samples);
  TakeMetrics(metrics, part);
  TakeLaunches(windows, samples, stretches, choice.margin_ns, part.windows);
  PoolColumns pooled =
      ColumnsOfPools(grouping, FindPools(grouping.groups), choice.columns);
  part.columns = std::move(pooled.columns);
  part.duration_ns = std::move(pooled.duration_ns);
  return part;
}

WindowEdges FitEdges(const RunPart& part) {
  constexpr int kSteps = 6;
  constexpr double kEnough = 10;  // ns
  WindowEdges edges;
  SmallFit fit =
      Fit(part, edges, false, part.samples.interval_ns * kFirstNoise);
  for (int step = 0; step < kSteps; ++step) {
    Eigen::Vector2d move = Step(part, fit, edges);
    const double noise_ns = NoiseNs(part, fit);
    bool better = false;
    for (int half = 0; half < 3 && !better; ++half, move /= 2) {
      const WindowEdges next{
          std::clamp(edges.start_ns + move[0], 0.0, 300.0),
          std::clamp(edges.end_ns + move[1], -1000.0, 500.0)};
      SmallFit tried = Fit(part, next, false, noise_ns);
      if (Left(tried, fit.noise) >= 1) continue;
      better = std::abs(next.start_ns - edges.start_ns) +
                   std::abs(next.end_ns - edges.end_ns) >
               kEnough;
      edges = next;
      fit = std::move(tried);
      break;
    }
    if (!better) break;
  }
  return edges;
}

double NoiseNs(const RunPart& part, const WindowEdges& edges) {
  return NoiseNs(
      part, Fit(part, edges, false, part.samples.interval_ns * kFirstNoise));
}

namespace {

// Whether the background's count is known: its standard error is below the
// count of idle time. If each kernel lasts equally long in every launch, the
// background's column is the sum of the columns of kernels and of idle time,
// and its error is large.
bool IsKnown(const SmallFit& with_background, Index at, Index m, double idle) {
  constexpr double kMost = 1;  // standard error over the count of idle time
  const Matrix inverse =
      SolveFor(with_background.equations, with_background.prior,
               Vector::Unit(with_background.x.rows(), at));
  return std::sqrt(inverse(at, 0) * with_background.noise[m]) < kMost * idle;
}

}  // namespace

bool HasBackground(const RunPart& part, const WindowEdges& edges) {
  constexpr double kSure = 3;      // standard errors
  constexpr double kLeast = 0.03;  // of the mean of all samples
  const SmallFit fit =
      Fit(part, edges, false, part.samples.interval_ns * kFirstNoise);
  const auto at = static_cast<Index>(part.columns.count);
  const RowMatrix weights = Predicted(
      fit.design,
      SolveFor(fit.equations, fit.prior, Vector::Unit(fit.x.rows(), at)));
  // Blocks of time, because residuals depend on each other.
  const std::size_t blocks = std::max<std::size_t>(
      2, std::min<std::size_t>(40, part.samples.size() / 20));
  Matrix sums = Matrix::Zero(static_cast<Index>(blocks), fit.x.cols());
  for (std::size_t i = 0; i < part.samples.size(); ++i)
    sums.row(static_cast<Index>(i * blocks / part.samples.size())) +=
        weights(static_cast<Index>(i), 0) *
        fit.residual.row(static_cast<Index>(i));
  std::vector<Index> evident;
  for (Index m = 0; m < fit.x.cols(); ++m) {
    const double mean = fit.own.col(m).mean();
    if (mean > 0 && fit.x(at, m) > kSure * sums.col(m).norm() &&
        fit.x(at, m) > kLeast * mean)
      evident.push_back(m);
  }
  if (evident.empty()) return false;
  const SmallFit with_background =
      Fit(part, edges, true, part.samples.interval_ns * kFirstNoise);
  return std::ranges::any_of(evident, [&](Index m) {
    return IsKnown(with_background, at, m, fit.x(at, m));
  });
}

}  // namespace rangefinder
