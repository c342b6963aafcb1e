// The statistics of two groups of runs. One run of the program gives one value:
// instances within a run share clocks and other conditions, so they are no
// independent sample.
//
// Random draws use a fixed seed, so the same values give the same result.
// docs/diff.md has the reasons for these statistics.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rangefinder {

// The median; of an even number the mean of the middle two, 0 without values.
double MedianOf(std::vector<double> values);

struct Interval {
  double low = 0;
  double high = 0;
  bool Excludes(double value) const { return value < low || value > high; }
};

// The 95 % interval of median(other) / median(base), by the percentile
// bootstrap (Efron and Tibshirani 1993, chapter 13), for fixed numbers of
// values. It draws places among the sorted values, once for all regions.
class RatioBootstrap {
 public:
  // At least one value a side.
  RatioBootstrap(std::size_t base_runs, std::size_t other_runs);
  // Both have as many values as the constructor said, all positive.
  Interval Of(std::span<const double> base,
              std::span<const double> other) const;

 private:
  // The two middle values of a resample, by their places in the sorted values.
  struct Middle {
    std::size_t below = 0, above = 0;
  };
  std::vector<Middle> base_{}, other_{};  // by resample
};

// Runs per side with which nine of ten reports of `rows` rows would detect a
// ratio, if the logarithm of a run's time has the standard deviation
// `deviation`, and `alpha` of all reports may call any row different by chance.
// By the normal approximation; at least 5. 0: the ratio is 1, and no number of
// runs would detect it.
std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha);

// The standard deviation of a value's logarithm within the groups; 0 if no
// group has two values.
double LogDeviation(std::span<const double> base,
                    std::span<const double> other);

// ---- Permutation test ------------------------------------------------------

// Tests which of many rows differ between two groups of runs, by comparison
// with random labels of the runs. Its only assumption: noise does not depend on
// the side of a run.

// A value of every run; the runs of the base come first.
using RunValues = std::vector<double>;

// The prior of a row's variance: s0^2 weighs as much as `degrees` more runs of
// the row.
struct VariancePrior {
  double variance = 0;
  double degrees = 0;  // HUGE_VAL: all rows have the same variance
};

// From the moments of the logarithms of the rows' variances, each with
// `degrees` degrees of freedom (Smyth 2004, section 6.2). A variance far below
// the middle counts as two deviations below: a region around many others
// deviates less than each of them, and must not change their common prior.
// Fewer than two rows have no prior (0 degrees). Variances are positive.
VariancePrior PriorOf(std::span<const double> variances, double degrees);

// The p value of each row by the step-down maxT of Westfall and Young (1993):
// the probability that random labels make *any* row differ as much as this row,
// in either direction, among the rows that are not more clearly different. One
// report in 1/alpha then has a row that differs by chance (half of these rows
// slower), for any number of rows and any correlation of their noise.
//
// The statistic is the moderated t (Smyth 2004) of the values' logarithms. Its
// prior comes from the variances around the mean of all runs, which are
// independent of labels. Of more than 2,000 labellings, 1,999 are drawn at
// random.
//
// Every row has `base_runs` positive values of the base, then equally many
// values of the other side. All p values are 1 if a side has fewer than two
// runs.
std::vector<double> PermutationP(std::span<const RunValues> rows,
                                 std::size_t base_runs);

}  // namespace rangefinder
