// The design matrix of the regression: the launches that ran in each sample, by
// rows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/matrix.h"
#include "estimate/windows.h"

namespace rangefinder {

// The column that each launch counts in, and its weight there.
struct LaunchColumns {
  std::vector<std::uint32_t> group{};   // by launch of the input
  std::vector<std::uint32_t> column{};  // by group
  std::vector<double> weight{};         // by group
  std::size_t count = 0;                // of columns
};

// Rows of samples: entries [begin[i], begin[i + 1]) are sample i's, each column
// at most once. The last column is the part of the sample's interval in which
// no launch ran.
struct Design {
  std::size_t columns = 0;  // includes the columns of the outside
  std::vector<std::uint32_t> begin{};
  std::vector<std::uint32_t> column{};
  std::vector<double> value{};
  // By row: the inverse of the noise's variance, relative; empty: all 1.
  std::vector<double> weight{};
  double weight_of(std::size_t row) const {
    return weight.empty() ? 1 : weight[row];
  }
  std::vector<LaunchSize> sizes{};  // by row: the launches' parts, summed
  std::uint64_t operations = 0;
  std::size_t rows() const { return begin.size() - 1; }
  // The places of a row's entries in `column` and `value`.
  auto Entries(std::size_t row) const {
    return std::views::iota(begin[row], begin[row + 1]);
  }
  // Whether launches ran in a row's sample. Their columns, the first
  // `launch_columns`, come first in each row.
  bool is_busy(std::size_t row, std::size_t launch_columns) const {
    return begin[row] < begin[row + 1] && column[begin[row]] < launch_columns;
  }
};

// Samples x metrics: the counts without the tracer's own work.
RowMatrix OwnCounts(const Design& design, const SampleWindows& samples,
                    std::span<const EstimatedMetric> metrics);

// With `background`, one more column before the last is the sample's whole
// length over the median interval.
Design MakeDesign(std::span<const SampledLaunch> launches,
                  const LaunchWindows& windows, const SampleWindows& samples,
                  const WindowEdges& edges, const LaunchColumns& columns,
                  bool background);

// The design with the columns of `columns`, from a design with one column per
// group.
Design Folded(const Design& cells, const LaunchColumns& columns);

// A value of one column in one sample's row.
struct DesignEntry {
  std::uint32_t sample = 0;
  std::uint32_t column = 0;
  double value = 0;
};

// Converts entries to rows; adds up the entries of one column in a row.
void ToRows(std::span<const DesignEntry> entries, std::size_t samples,
            Design& design);

// Weights of rows, with noise in proportion to the busy part of the sample.
std::vector<double> WeightsOf(const Design& design);

// A x, samples x metrics.
RowMatrix Predicted(const Design& design, const Matrix& x);

}  // namespace rangefinder
