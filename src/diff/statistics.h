// The statistics of two groups of runs. A run of the program is one value:
// instances within a run share its clocks and its luck, so they are no
// independent sample.
//
// Random draws use a fixed seed, so the same values give the same answer.
// docs/diff.md has the reasons for these statistics.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rangefinder {

// Middle of the values, the mean of the two middle ones; 0 of none.
double MedianOf(std::vector<double> values);

struct Interval {
  double low = 0;
  double high = 0;
  bool Excludes(double value) const { return value < low || value > high; }
};

// 95 % of median(other) / median(base), by the percentile bootstrap (Efron and
// Tibshirani 1993, chapter 13), for sides with so many values each. It draws
// places among the sorted values, once for all regions.
class RatioBootstrap {
 public:
  // At least one value a side.
  RatioBootstrap(std::size_t base_runs, std::size_t other_runs);
  // Both have as many values as was said, all positive.
  Interval Of(std::span<const double> base,
              std::span<const double> other) const;

 private:
  // The two middle values of a resample, by their places in order.
  struct Middle {
    std::size_t below = 0, above = 0;
  };
  std::vector<Middle> base_{}, other_{};  // by resample
};

// Runs per side that show a ratio in nine of ten reports of `rows` rows, where
// the logarithm of a run deviates by `deviation` and `alpha` of all reports may
// call any row different by chance. By the normal approximation, at least 5.
// 0: the ratio is 1, and no number of runs would show it.
std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha);

// The standard deviation of a value's logarithm within the groups; 0 where
// neither has two values.
double LogDeviation(std::span<const double> base,
                    std::span<const double> other);

}  // namespace rangefinder
