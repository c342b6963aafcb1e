// A test which of many rows differ between two groups of runs, against random
// labels of the runs. The only assumption on the noise: it does not depend on
// the side of a run.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rangefinder {

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
