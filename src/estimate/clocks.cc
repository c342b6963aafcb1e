// Whether launches and samples have one clock: if they have, launches explain
// moved samples worse.

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/normal_equations.h"
#include "estimate/small_model.h"

namespace rangefinder {
namespace {

// Nanoseconds, both ways.
constexpr std::array<double, 16> kShifts = {
    500,       1000,      2000,      5000,      10'000,    20'000,
    50'000,    100'000,   200'000,   500'000,   1'000'000, 1'500'000,
    2'000'000, 3'000'000, 5'000'000, 10'000'000};

}  // namespace

double ShiftedR2(const RunPart& part, double shift_ns) {
  const Design design = MakeDesign(part.launches, part.windows, part.samples,
                                   {-shift_ns, -shift_ns}, part.columns, false);
  const RowMatrix own = OwnCounts(design, part.samples, part.metrics);
  const NormalEquations equations = Accumulate(design, own, {}, 2);
  const ColumnPrior prior =
      PriorOf(equations, part.duration_ns, part.samples.interval_ns * 0.02,
              RatesOf(equations, part.duration_ns));
  const Vector left = SquaresLeft(equations, Solve(equations, prior));
  const auto n =
      static_cast<double>(std::max<std::size_t>(equations.samples, 1));
  double sum = 0;
  Index metrics = 0;
  for (Index m = 0; m < left.size(); ++m) {
    const double all =
        equations.squares[m] - equations.counts[m] * equations.counts[m] / n;
    if (all <= equations.squares[m] * 1e-12) continue;
    sum += 1 - left[m] / all;
    ++metrics;
  }
  return metrics == 0 ? 0 : sum / static_cast<double>(metrics);
}

ClockScan ScanClocks(const RunPart& part) {
  ClockScan scan;
  const auto try_shift = [&](double shift_ns) {
    scan.shifts.push_back({shift_ns, ShiftedR2(part, shift_ns)});
    if (scan.shifts.size() == 1 || scan.shifts.back().r2 > scan.best.r2)
      scan.best = scan.shifts.back();
  };
  try_shift(0);
  for (const double shift : kShifts) {
    try_shift(shift);
    try_shift(-shift);
  }
  // Between the neighbours of the best shift, ever closer.
  double width = std::max(std::abs(scan.best.shift_ns) / 2, 500.0);
  for (int round = 0; round < 7 && width >= 100; ++round, width /= 2) {
    const double middle = scan.best.shift_ns;
    try_shift(middle - width);
    try_shift(middle + width);
  }
  std::ranges::sort(scan.shifts, {}, &ClockShift::shift_ns);
  return scan;
}

}  // namespace rangefinder
