#include "estimate/design.h"

namespace rangefinder {
namespace {

// The part of each sample, over the median interval, in which no launch of ours
// ran, by the launches' own times.
std::vector<double> IdleParts(const LaunchWindows& windows,
                              const SampleWindows& samples) {
  std::vector<double> busy(samples.size(), 0);
  double covered = 0;  // time is counted up to here
  std::size_t first = 0;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const double from = std::max(windows.start_ns[k], covered);
    const double to = windows.end_ns[k];
    if (to <= from) continue;
    while (first < samples.size() && samples.end_ns[first] <= from) ++first;
    for (std::size_t i = first; i < samples.size(); ++i) {
      if (samples.start_ns[i] >= to) break;
      busy[i] +=
          std::min(samples.end_ns[i], to) - std::max(samples.start_ns[i], from);
    }
    covered = to;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double length = samples.end_ns[i] - samples.start_ns[i];
    const double idle = std::max(length - busy[i], 0.0);
    busy[i] = idle < length * 1e-9 ? 0 : idle / samples.interval_ns;
  }
  return busy;
}

}  // namespace

void ToRows(std::span<const DesignEntry> entries, std::size_t samples,
            Design& design) {
  std::vector<std::uint32_t> place(samples + 1, 0);
  for (const DesignEntry& entry : entries) ++place[entry.sample + 1];
  for (std::size_t i = 0; i < samples; ++i) place[i + 1] += place[i];
  std::vector<std::uint32_t> by_sample(entries.size());
  std::vector<std::uint32_t> next(place.begin(), place.end() - 1);
  for (std::uint32_t at = 0; at < entries.size(); ++at)
    by_sample[next[entries[at].sample]++] = at;

  design.begin.assign(1, 0);
  design.begin.reserve(samples + 1);
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> seen(design.columns, kNone);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::uint32_t row = design.begin.back();
    for (std::uint32_t k = place[i]; k < place[i + 1]; ++k) {
      const DesignEntry& entry = entries[by_sample[k]];
      std::uint32_t& at = seen[entry.column];
      if (at == kNone || at < row) {
        at = static_cast<std::uint32_t>(design.column.size());
        design.column.push_back(entry.column);
        design.value.push_back(0);
      }
      design.value[at] += entry.value;
    }
    design.begin.push_back(static_cast<std::uint32_t>(design.column.size()));
  }
}

Design MakeDesign(std::span<const SampledLaunch> launches,
                  const LaunchWindows& windows, const SampleWindows& samples,
                  const WindowEdges& edges, const LaunchColumns& columns,
                  bool background) {
  Design design;
  design.columns = columns.count + (background ? 2 : 1);
  design.sizes.assign(samples.size(), {});
  std::vector<DesignEntry> entries;
  entries.reserve(windows.size() + samples.size() * 2);
  VisitOverlaps(
      windows, samples, edges, [&](std::size_t i, std::size_t k, double part) {
        const std::uint32_t l = windows.launch[k];
        const std::uint32_t group = columns.group[l];
        entries.push_back({static_cast<std::uint32_t>(i), columns.column[group],
                           part * columns.weight[group]});
        design.sizes[i].Add(launches[l].size, part);
      });
  design.operations = entries.size();
  const std::vector<double> idle = IdleParts(windows, samples);
  const auto last = static_cast<std::uint32_t>(design.columns - 1);
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    if (background)
      entries.push_back(
          {i, last - 1,
           (samples.end_ns[i] - samples.start_ns[i]) / samples.interval_ns});
    if (idle[i] > 0) entries.push_back({i, last, idle[i]});
  }
  ToRows(entries, samples.size(), design);
  return design;
}

Design Folded(const Design& cells, const LaunchColumns& columns) {
  const std::size_t groups = columns.column.size();
  Design design;
  design.columns = columns.count + cells.columns - groups;
  design.sizes = cells.sizes;
  design.operations = cells.operations;
  std::vector<DesignEntry> entries;
  entries.reserve(cells.column.size());
  for (std::uint32_t i = 0; i < cells.rows(); ++i) {
    for (const std::uint32_t k : cells.Entries(i)) {
      const std::uint32_t cell = cells.column[k];
      if (cell < groups)
        entries.push_back(
            {i, columns.column[cell], cells.value[k] * columns.weight[cell]});
      else
        entries.push_back(
            {i, static_cast<std::uint32_t>(cell - groups + columns.count),
             cells.value[k]});
    }
  }
  ToRows(entries, cells.rows(), design);
  return design;
}

std::vector<double> WeightsOf(const Design& design) {
  // An idle sample has as much noise as a sample that is busy for this part.
  constexpr double kIdle = 0.03;
  const auto last = static_cast<std::uint32_t>(design.columns - 1);
  std::vector<double> weights;
  weights.reserve(design.rows());
  for (std::size_t i = 0; i < design.rows(); ++i) {
    double busy = 1;
    for (const std::uint32_t k : design.Entries(i)) {
      if (design.column[k] == last) busy = std::max(1 - design.value[k], 0.0);
    }
    weights.push_back(1 / ((kIdle + busy) * (kIdle + busy)));
  }
  return weights;
}

RowMatrix OwnCounts(const Design& design, const SampleWindows& samples,
                    std::span<const EstimatedMetric> metrics) {
  RowMatrix counts = samples.counts;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (!metrics[m].tracer) continue;
    for (std::size_t i = 0; i < samples.size(); ++i)
      counts(static_cast<Index>(i), static_cast<Index>(m)) -=
          metrics[m].tracer->Of(design.sizes[i]);
  }
  return counts;
}

RowMatrix Predicted(const Design& design, const Matrix& x) {
  const RowMatrix by_row = x;
  RowMatrix y = RowMatrix::Zero(static_cast<Index>(design.rows()), x.cols());
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (const std::uint32_t k : design.Entries(i))
      y.row(static_cast<Index>(i)) +=
          design.value[k] * by_row.row(static_cast<Index>(design.column[k]));
  }
  return y;
}

}  // namespace rangefinder
