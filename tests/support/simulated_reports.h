// Runs of a program on two sides with realistic noise, to test the promises of
// `diff` about whole reports.

#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "diff/statistics.h"

namespace rangefinder::testing {

// A program that is run several times; its regions are rows.
struct Program {
  std::size_t rows = 200;
  std::size_t runs = 10;  // per side, in turn
  double common = 0;      // deviation of what all rows of a run share
  double slower = 1;      // row 0 on the new side
  bool two_clocks = false;
  bool drifts = false;
  bool outliers = false;
};

inline double Normal(std::mt19937_64& random) {
  const double u =
      (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
  const double v = static_cast<double>(random() >> 11) / 9007199254740992.0;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
}

// The values of all runs by row in ns, those of base first.
inline std::vector<RunValues> Simulate(const Program& program,
                                       std::mt19937_64& random) {
  std::vector<RunValues> rows(program.rows);
  for (RunValues& row : rows) row.resize(2 * program.runs);
  for (std::size_t k = 0; k < 2 * program.runs; ++k) {
    // The order ABBA decides the side of run k and its place there.
    const bool other = (k % 4 == 1) || (k % 4 == 2);
    const std::size_t at = k / 2 + (other ? program.runs : 0);
    double all = program.common * Normal(random);
    if (program.two_clocks && random() % 3 == 0) all += std::log(1.08);
    if (program.drifts) all += 0.002 * static_cast<double>(k);
    for (std::size_t r = 0; r < program.rows; ++r) {
      double log = all + 0.02 * Normal(random);
      if (program.outliers && random() % 25 == 0) log += 0.7;
      rows[r][at] = 1e6 * std::exp(log);
      if (other && r == 0) rows[r][at] *= program.slower;
    }
  }
  return rows;
}

}  // namespace rangefinder::testing
