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

// ---- Permutation test ------------------------------------------------------

// A test which of many rows differ between two groups of runs, against random
// labels of the runs. The only assumption on the noise: it does not depend on
// the side of a run.

// A value of every run, those of the base first.
using RunValues = std::vector<double>;

// The prior of a row's variance: s0^2 weighs as much as `degrees` more runs of
// the row.
struct VariancePrior {
  double variance = 0;
  double degrees = 0;  // HUGE_VAL: all rows deviate alike
};

// By the moments of the logarithms of the rows' variances, each of `degrees`
// degrees of freedom (Smyth 2004, section 6.2). One that is far below the
// middle counts as two deviations below: a region around many others deviates
// less than each, and says nothing against what they have in common. Of fewer
// than two rows: none, with 0 degrees. Variances are positive.
VariancePrior PriorOf(std::span<const double> variances, double degrees);

// For each row the probability that labels dealt to the runs by chance make
// *any* row that is not more clearly different still differ as much as this one
// does, to whichever side: Westfall and Young's (1993) step-down maxT. So some
// row is called different by chance in one report of 1/alpha, half of them
// slower, however many rows there are and however their noise hangs together.
//
// The statistic is the moderated t (Smyth 2004) of the values' logarithms. Its
// prior is of the variances around the mean of all runs, which depend on no
// label. All labellings where there are at most 2,000, else 1,999 drawn ones.
//
// Every row has `base_runs` positive values and as many behind them as all
// others. All 1 where a side has fewer than two runs.
std::vector<double> PermutationP(std::span<const RunValues> rows,
                                 std::size_t base_runs);

}  // namespace rangefinder
