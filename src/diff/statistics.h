// The statistics of two groups of runs. A run of the program is one value: what
// happens within a run shares its clocks and its luck, so the instances of a
// region are no sample of it.
//
// Everything that is drawn is drawn from a fixed seed: the same values give the
// same answer. docs/diff.md says why these and no others.

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
// Tibshirani 1993, chapter 13), of sides with so many values each. What is
// drawn are places among the sorted values, once for all that are asked.
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

// How many runs a side it takes to see a ratio, of which one run's logarithm
// deviates by `deviation`, in nine of ten reports of `rows` rows, where either
// side of any row is called different in `alpha` of them; by the normal
// approximation, at least 5. 0: the ratio is 1, none would do.
std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha);

// The standard deviation of a value's logarithm within the groups; 0 where
// neither has two values.
double LogDeviation(std::span<const double> base,
                    std::span<const double> other);

}  // namespace rangefinder
