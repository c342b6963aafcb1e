// What ran in each sample: the matrix of the regression, by rows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/matrix.h"
#include "estimate/windows.h"

namespace rangefinder {

// Which column a launch counts in, and how much of a launch it is there.
struct LaunchColumns {
  std::vector<std::uint32_t> group{};   // by launch of the input
  std::vector<std::uint32_t> column{};  // by group
  std::vector<double> weight{};         // by group
  std::size_t count = 0;                // of columns
};

// Rows of samples: entries [begin[i], begin[i + 1]) are sample i's, each column
// once. The last column is the part of the sample's interval in which no launch
// ran.
struct Design {
  std::size_t columns = 0;  // with those of the outside
  std::vector<std::uint32_t> begin{};
  std::vector<std::uint32_t> column{};
  std::vector<double> value{};
  // By row, one by the variance of its noise, relative; empty: all 1.
  std::vector<double> weight{};
  double weight_of(std::size_t row) const {
    return weight.empty() ? 1 : weight[row];
  }
  // What the tracer added: parts of launches, and their warps.
  std::vector<double> kernels{};
  std::vector<double> warps{};
  std::uint64_t operations = 0;
  std::size_t rows() const { return begin.size() - 1; }
};

// Samples x metrics: what was counted less the tracer's own instructions.
RowMatrix OwnCounts(const Design& design, const SampleWindows& samples,
                    std::span<const EstimatedMetric> metrics);

// With `background` there is one more column before the last: the sample's
// whole length by the median interval.
Design MakeDesign(std::span<const SampledLaunch> launches,
                  const LaunchWindows& windows, const SampleWindows& samples,
                  const WindowEdges& edges, const LaunchColumns& columns,
                  bool background);

// The rows of a design whose launches have a column a group, with the columns
// of `columns` instead.
Design Folded(const Design& cells, const LaunchColumns& columns);

// A value of one column in one sample's row.
struct DesignEntry {
  std::uint32_t sample = 0;
  std::uint32_t column = 0;
  double value = 0;
};

// Entries into rows, those of one column added up.
void ToRows(std::span<const DesignEntry> entries, std::size_t samples,
            Design& design);

// Weights of rows whose noise is in proportion to what ran in them.
std::vector<double> WeightsOf(const Design& design);

// A x, samples x metrics.
RowMatrix Predicted(const Design& design, const Matrix& x);

}  // namespace rangefinder
