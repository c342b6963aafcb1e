#include "estimate/damaged_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rangefinder {
namespace {

constexpr double kMissing = 0.5;  // part of the expected count
constexpr double kWhole = 0.25;   // part that a whole metric may lack
constexpr double kDamaged = 8;    // times the residuals' root mean square
constexpr double kMost = 0.02;    // part of all samples
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

// The neighbouring samples are added, as work at a border may lie in either
// sample.
bool IsMissing(const Vector& left, Index i, double least) {
  double around = left[i];
  if (i > 0) around += left[i - 1];
  if (i + 1 < left.size()) around += left[i + 1];
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
  std::vector<int> lacking(design.rows(), 0);  // metrics
  std::vector<int> whole(design.rows(), 0);
  std::vector<bool> too_much(design.rows(), false);
  const RowMatrix fitted = Predicted(design, x);
  for (Index m = 0; m < own.cols(); ++m) {
    if (!metrics[static_cast<std::size_t>(m)].judges()) continue;
    const Vector expected = fitted.col(m);
    const Vector left = own.col(m) - expected;
    const double usual = UsualSquare(left, expected);
    const double high = HighOf(design, own, m);
    for (Index i = 0; i < left.size(); ++i) {
      const double unusual =
          kDamaged * std::sqrt(usual * std::max(expected[i], 0.0));
      const auto at = static_cast<std::size_t>(i);
      if (high > 0 && left[i] > std::max(kTooMuch * high, unusual))
        too_much[at] = true;
      if (IsMissing(left, i, std::max(kMissing * expected[i], unusual)))
        ++lacking[at];
      else if (expected[i] > 0 && left[i] > -kWhole * expected[i])
        ++whole[at];
    }
  }
  std::vector<bool> damaged;
  damaged.reserve(lacking.size());
  for (std::size_t i = 0; i < lacking.size(); ++i)
    damaged.push_back(too_much[i] || (lacking[i] >= kTogether && whole[i] > 0));
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
