#include "estimate/damaged_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rangefinder {
namespace {

constexpr double kMissing = 0.5;  // part of the expected count
constexpr double kWhole = 0.25;   // part that a whole metric may lack
constexpr double kGone = 0.9;     // part that a lost metric lacks
constexpr double kDamaged = 8;    // times the residuals' root mean square
constexpr double kMost = 0.02;    // part of all samples
constexpr double kMostLost =
    0.002;  // part that may lack all metrics of launches
// Times the count that 99 of 100 samples with launches stay below.
constexpr double kTooMuch = 3;
constexpr int kTrims = 4;
constexpr int kTogether = 2;  // metrics: a unit has several

// The mean square of the residuals over the expected counts, without the
// unusual residuals.
double UsualSquare(const Vector& left, const Vector& expected) {
  double usual = std::numeric_limits<double>::infinity();
  for (int trim = 0; trim < kTrims; ++trim) {
    double squares = 0, counts = 0;
    for (Index i = 0; i < left.size(); ++i) {
      if (expected[i] <= 0 ||
          left[i] * left[i] > kDamaged * kDamaged * usual * expected[i])
        continue;
      squares += left[i] * left[i];
      counts += expected[i];
    }
    if (counts <= 0) return 0;
    usual = squares / counts;
  }
  return usual;
}

// The neighbouring samples' excess is added, as work at a border may lie in
// either sample.
bool IsMissing(const Vector& left, Index i, double least) {
  double around = left[i];
  if (i > 0) around += std::max(left[i - 1], 0.0);
  if (i + 1 < left.size()) around += std::max(left[i + 1], 0.0);
  return left[i] < -least && around < -least;
}

// The 99th percentile of the counts of samples with launches. Idle samples
// would lower it: there may be more than 99 of 100.
double HighOf(const Design& design, const RowMatrix& own, Index m) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    if (design.is_busy(i, design.columns - 1))
      counts.push_back(own(static_cast<Index>(i), m));
  }
  if (counts.empty()) return 0;
  const auto high =
      counts.begin() + static_cast<std::ptrdiff_t>(counts.size() * 99 / 100);
  std::ranges::nth_element(counts, high);
  return *high;
}

}  // namespace

std::vector<bool> FindDamaged(const Design& design, const RowMatrix& own,
                              const Matrix& x,
                              std::span<const EstimatedMetric> metrics) {
  struct Sample {                          // numbers of its metrics
    int missing = 0, gone = 0, whole = 0;  // of launches
    bool others_whole = false;
    bool too_much = false;
    bool is_damaged() const {
      return too_much || (missing >= kTogether && whole > 0);
    }
    bool is_lost() const {
      return missing >= kTogether && gone == missing && whole == 0 &&
             others_whole;
    }
  };
  std::vector<Sample> samples(design.rows());
  const RowMatrix fitted = Predicted(design, x);
  for (Index m = 0; m < own.cols(); ++m) {
    const bool judges = metrics[static_cast<std::size_t>(m)].judges();
    const Vector expected = fitted.col(m);
    const Vector left = own.col(m) - expected;
    const double usual = UsualSquare(left, expected);
    const double high = judges ? HighOf(design, own, m) : 0;
    for (Index i = 0; i < left.size(); ++i) {
      Sample& sample = samples[static_cast<std::size_t>(i)];
      const double unusual =
          kDamaged * std::sqrt(usual * std::max(expected[i], 0.0));
      const bool missing =
          IsMissing(left, i, std::max(kMissing * expected[i], unusual));
      const bool whole =
          !missing && own(i, m) > 0 && left[i] > -kWhole * expected[i];
      if (!judges) {
        sample.others_whole = sample.others_whole || whole;
        continue;
      }
      if (high > 0 && left[i] > std::max(kTooMuch * high, unusual))
        sample.too_much = true;
      sample.missing += missing ? 1 : 0;
      sample.gone += missing && left[i] < -kGone * expected[i] ? 1 : 0;
      sample.whole += whole ? 1 : 0;
    }
  }
  const bool few_lost =
      static_cast<double>(std::ranges::count_if(samples, &Sample::is_lost)) <=
      std::max(kMostLost * static_cast<double>(samples.size()), 1.0);
  std::vector<bool> damaged;
  damaged.reserve(samples.size());
  for (const Sample& sample : samples)
    damaged.push_back(sample.is_damaged() || (few_lost && sample.is_lost()));
  if (static_cast<double>(std::ranges::count(damaged, true)) >
      kMost * static_cast<double>(damaged.size()))
    damaged.assign(damaged.size(), false);
  return damaged;
}

std::size_t LeaveOut(const std::vector<bool>& damaged, SampleWindows& samples) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (damaged[i]) continue;
    samples.start_ns[kept] = samples.start_ns[i];
    samples.end_ns[kept] = samples.end_ns[i];
    samples.counts.row(static_cast<Index>(kept)) =
        samples.counts.row(static_cast<Index>(i));
    ++kept;
  }
  const std::size_t left_out = samples.size() - kept;
  samples.start_ns.resize(kept);
  samples.end_ns.resize(kept);
  samples.counts.conservativeResize(static_cast<Index>(kept), Eigen::NoChange);
  return left_out;
}

}  // namespace rangefinder
