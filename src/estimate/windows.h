// The times of launches and samples, on one clock that begins with the first
// sample, and the part of each launch in each sample.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/matrix.h"

namespace rangefinder {

// Launches with a length, by start.
struct LaunchWindows {
  std::vector<double> start_ns{};  // from the origin
  std::vector<double> end_ns{};
  std::vector<std::uint32_t> launch{};  // index in the input
  std::size_t size() const { return launch.size(); }
};

// The used samples, by start; they do not overlap.
struct SampleWindows {
  std::int64_t origin_ns = 0;
  double interval_ns = 0;  // median
  std::vector<double> start_ns{};
  std::vector<double> end_ns{};
  RowMatrix counts{};      // samples x metrics, as the device counted
  std::uint64_t lost = 0;  // in gaps, by the median interval
  std::size_t size() const { return start_ns.size(); }
};

// Added to launches' times before they are compared with samples.
struct WindowEdges {
  double start_ns = 0;
  double end_ns = 0;
};

struct Window {
  double start_ns = 0;
  double end_ns = 0;
};

SampleWindows WindowsOf(const DeviceSamples& samples, std::size_t metrics);
LaunchWindows WindowsOf(std::span<const SampledLaunch> launches,
                        std::int64_t origin_ns);

// The window with its edges moved. At least a quarter of its length stays,
// around the middle of the moved edges.
inline Window Moved(double start, double end, const WindowEdges& edges) {
  const Window moved{start + edges.start_ns, end + edges.end_ns};
  const double least = (end - start) / 4;
  if (moved.end_ns - moved.start_ns >= least) return moved;
  const double middle =
      std::clamp((moved.start_ns + moved.end_ns) / 2, start, end);
  return {middle - least / 2, middle + least / 2};
}

// The launches that run at the same time as another one.
class ConcurrentLaunches {
 public:
  explicit ConcurrentLaunches(const LaunchWindows& launches);

  // Calls visit(j) for those that run with the k-th launch, among the kMost
  // launches that begin before it and as many that begin after it.
  template <typename Visit>
  void ForEach(std::size_t k, Visit visit) const {
    const double start = launches_.start_ns[k], end = launches_.end_ns[k];
    const std::size_t last = std::min(launches_.size(), k + 1 + kMost);
    for (std::size_t j = k + 1; j < last && launches_.start_ns[j] < end; ++j)
      visit(j);
    const std::size_t first = k - std::min(k, kMost);
    for (std::size_t j = k; j > first && latest_end_ns_[j - 1] > start; --j) {
      if (launches_.end_ns[j - 1] > start) visit(j - 1);
    }
  }

 private:
  static constexpr std::size_t kMost = 16;
  const LaunchWindows& launches_;
  std::vector<double> latest_end_ns_{};  // of a launch and all before it
};

// Calls visit(sample, k, part of the k-th window) for every sample that the
// window lies in. Linear in windows, samples and calls.
template <typename Visit>
void VisitOverlaps(const LaunchWindows& launches, const SampleWindows& samples,
                   const WindowEdges& edges, Visit visit) {
  const std::size_t count = samples.size();
  std::size_t first = 0;
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const Window at = Moved(launches.start_ns[k], launches.end_ns[k], edges);
    while (first > 0 && samples.end_ns[first - 1] > at.start_ns) --first;
    while (first < count && samples.end_ns[first] <= at.start_ns) ++first;
    const double length = at.end_ns - at.start_ns;
    for (std::size_t i = first; i < count; ++i) {
      if (samples.start_ns[i] >= at.end_ns) break;
      const double overlap = std::min(samples.end_ns[i], at.end_ns) -
                             std::max(samples.start_ns[i], at.start_ns);
      visit(i, k, overlap / length);
    }
  }
}

}  // namespace rangefinder
