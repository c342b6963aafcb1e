#include "estimate/windows.h"

#include <cmath>
#include <utility>

#include "base/median.h"

namespace rangefinder {
namespace {

// Larger counts and longer runs do not exist: 2^50 ns are 13 days, and a double
// resolves fractions of a nanosecond up to there.
constexpr double kMostCount = 0x1p63;
constexpr std::int64_t kLongestRun = std::int64_t{1} << 50;

// Whether a sample has all values and a length, and lies near `middle`.
bool IsWhole(const DeviceSamples& samples, std::size_t i, std::size_t metrics,
             std::int64_t middle) {
  const std::int64_t start = samples.start_ns[i], end = samples.end_ns[i];
  if (end <= start || start < middle - kLongestRun ||
      end > middle + kLongestRun)
    return false;
  for (std::size_t m = 0; m < metrics; ++m) {
    if (!(std::abs(samples.values[i * metrics + m]) < kMostCount)) return false;
  }
  return true;
}

// Whole samples by start, without samples that begin before another has ended.
std::vector<std::size_t> InOrder(const DeviceSamples& samples,
                                 std::size_t metrics) {
  std::vector<std::size_t> order;
  order.reserve(samples.start_ns.size());
  // Clamped so that the longest run fits beside the median.
  constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
  const std::int64_t middle =
      std::clamp(UpperMedian(samples.start_ns), -kFarthest, kFarthest);
  for (std::size_t i = 0; i < samples.start_ns.size(); ++i) {
    if (IsWhole(samples, i, metrics, middle)) order.push_back(i);
  }
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return samples.start_ns[i]; });
  std::vector<std::size_t> kept;
  kept.reserve(order.size());
  for (const std::size_t i : order) {
    if (!kept.empty() && samples.start_ns[i] < samples.end_ns[kept.back()])
      continue;
    kept.push_back(i);
  }
  return kept;
}

double MedianInterval(const DeviceSamples& samples,
                      std::span<const std::size_t> order) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(order.size());
  for (const std::size_t i : order)
    lengths.push_back(samples.end_ns[i] - samples.start_ns[i]);
  return static_cast<double>(UpperMedian(std::move(lengths)));
}

// The samples that are not beside a gap of half an interval or more. Counts
// the samples lost in gaps.
std::vector<std::size_t> AwayFromGaps(const DeviceSamples& samples,
                                      const std::vector<std::size_t>& order,
                                      SampleWindows& windows) {
  std::vector<bool> beside(order.size(), false);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const auto length = static_cast<double>(samples.start_ns[order[k]] -
                                            samples.end_ns[order[k - 1]]);
    if (length < windows.interval_ns / 2) continue;
    const auto lost = std::max(std::llround(length / windows.interval_ns), 1LL);
    windows.lost += static_cast<std::uint64_t>(lost);
    beside[k - 1] = beside[k] = true;
  }
  std::vector<std::size_t> used;
  used.reserve(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!beside[k]) used.push_back(order[k]);
  }
  // If nearly every sample has a gap beside it, all samples are used.
  return used.size() * 2 < order.size() ? order : used;
}

}  // namespace

SampleWindows WindowsOf(const DeviceSamples& samples, std::size_t metrics) {
  SampleWindows windows;
  const std::vector<std::size_t> order = InOrder(samples, metrics);
  if (order.empty()) return windows;
  windows.interval_ns = MedianInterval(samples, order);
  windows.origin_ns = samples.start_ns[order.front()];
  const std::vector<std::size_t> used = AwayFromGaps(samples, order, windows);
  windows.start_ns.reserve(used.size());
  windows.end_ns.reserve(used.size());
  windows.counts.resize(static_cast<Index>(used.size()),
                        static_cast<Index>(metrics));
  for (const std::size_t i : used) {
    const auto row = static_cast<Index>(windows.start_ns.size());
    for (std::size_t m = 0; m < metrics; ++m)
      windows.counts(row, static_cast<Index>(m)) =
          samples.values[i * metrics + m];
    windows.start_ns.push_back(
        static_cast<double>(samples.start_ns[i] - windows.origin_ns));
    windows.end_ns.push_back(
        static_cast<double>(samples.end_ns[i] - windows.origin_ns));
  }
  return windows;
}

LaunchWindows WindowsOf(std::span<const SampledLaunch> launches,
                        std::int64_t origin_ns) {
  LaunchWindows windows;
  windows.launch.reserve(launches.size());
  const auto is_near = [&](std::int64_t time) {
    return time > origin_ns - 2 * kLongestRun &&
           time < origin_ns + 2 * kLongestRun;
  };
  for (std::size_t l = 0; l < launches.size(); ++l) {
    if (launches[l].end_ns > launches[l].start_ns &&
        is_near(launches[l].start_ns) && is_near(launches[l].end_ns))
      windows.launch.push_back(static_cast<std::uint32_t>(l));
  }
  std::ranges::stable_sort(windows.launch, {}, [&](std::uint32_t l) {
    return launches[l].start_ns;
  });
  windows.start_ns.reserve(windows.launch.size());
  windows.end_ns.reserve(windows.launch.size());
  for (const std::uint32_t l : windows.launch) {
    windows.start_ns.push_back(
        static_cast<double>(launches[l].start_ns - origin_ns));
    windows.end_ns.push_back(
        static_cast<double>(launches[l].end_ns - origin_ns));
  }
  return windows;
}

ConcurrentLaunches::ConcurrentLaunches(const LaunchWindows& launches)
    : launches_(launches), latest_end_ns_(launches.end_ns) {
  for (std::size_t k = 1; k < latest_end_ns_.size(); ++k)
    latest_end_ns_[k] = std::max(latest_end_ns_[k - 1], latest_end_ns_[k]);
}

}  // namespace rangefinder
