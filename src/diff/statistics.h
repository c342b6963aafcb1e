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
// Tibshirani 1993, chapter 13). Both have at least two values, all positive.
Interval BootstrapRatio(std::span<const double> base,
                        std::span<const double> other);

// Two-sided p of Mann and Whitney (1947): exact where there are no ties and at
// most 30 values, else by the normal approximation with corrections for ties
// and continuity. 1 where a side is empty.
double MannWhitneyP(std::span<const double> base,
                    std::span<const double> other);

// The p adjusted for the false discovery rate (Benjamini and Hochberg 1995), in
// the order of `p`.
std::vector<double> BenjaminiHochberg(std::span<const double> p);

// One thing that was measured in every run: of the base's runs first.
using RunValues = std::vector<double>;

// For each row the probability that labels dealt to the runs by chance make
// *any* row differ as much as this one does, to the same side: the first step
// of Westfall and Young's (1993) step-down, by a t statistic of the values'
// logarithms. So a row that is called slower by chance is in one report of
// 1/alpha, however many rows there are and however their noise hangs together.
// All labellings where there are at most 2,000, else 1,999 drawn ones.
//
// Every row has `base_runs` positive values and as many behind them as all
// others. All 1 where a side has fewer than two runs.
std::vector<double> PermutationP(std::span<const RunValues> rows,
                                 std::size_t base_runs);

// How many runs a side it takes to see a ratio, of which one run's logarithm
// deviates by `deviation`, in nine of ten reports of `rows` rows at that alpha;
// by the normal approximation, at least 5. 0: the ratio is 1, none would do.
std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha);

// The standard deviation of a value's logarithm within the groups; 0 where
// neither has two values.
double LogDeviation(std::span<const double> base,
                    std::span<const double> other);

}  // namespace rangefinder
