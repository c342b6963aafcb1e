#include "insight/kernel_overlaps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "base/lists.h"

namespace rangefinder {
namespace {

struct Kernel {
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t region = 0;
};

// The times in which at least two kernels run.
class Overlap {
 public:
  // `kernels`: by their start.
  explicit Overlap(const std::vector<Kernel>& kernels) {
    std::uint64_t latest = 0;  // end of the kernels before
    for (const Kernel& kernel : kernels) {
      Add(kernel.start_ns, std::min(kernel.end_ns, latest));
      latest = std::max(latest, kernel.end_ns);
    }
  }

  std::uint64_t Between(std::uint64_t start_ns, std::uint64_t end_ns) const {
    return Before(end_ns) - Before(start_ns);
  }

 private:
  struct Span {
    std::uint64_t start_ns = 0, end_ns = 0;
    std::uint64_t before_ns = 0;  // length of all spans before
  };

  // `start_ns`: not before the spans'.
  void Add(std::uint64_t start_ns, std::uint64_t end_ns) {
    if (end_ns <= start_ns) return;
    if (spans_.empty() || start_ns > spans_.back().end_ns) {
      spans_.push_back({start_ns, end_ns, Before(start_ns)});
      return;
    }
    spans_.back().end_ns = std::max(spans_.back().end_ns, end_ns);
  }

  std::uint64_t Before(std::uint64_t ns) const {
    const auto after =
        std::ranges::upper_bound(spans_, ns, {}, &Span::start_ns);
    if (after == spans_.begin()) return 0;
    const Span& span = *std::prev(after);
    return span.before_ns + std::min(ns, span.end_ns) - span.start_ns;
  }

  std::vector<Span> spans_;
};

}  // namespace

std::vector<double> KernelOverlaps(const RunView& run, const Scope& scope) {
  const std::span<const Region> regions = run.tree->regions();
  const bool is_traced = run.traced && run.traced->there();
  const std::vector<Measurement>& all =
      is_traced ? run.profile->traced : run.profile->measurements;
  constexpr std::uint32_t kNoRegion = 0xffffffff;
  std::vector<std::uint32_t> region_of(all.size(), kNoRegion);
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    for (const std::uint32_t index : regions[i].traced)
      if (is_traced) region_of[index] = i;
    for (const MeasurementId id : regions[i].kernels)
      if (!is_traced) region_of[Index(id)] = i;
  }
  // Most lists are in the order of the starts.
  std::map<std::pair<ProcessId, std::int32_t>, std::vector<Kernel>> devices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measurement& m = all[i];
    if (region_of[i] != kNoRegion && scope.Has(m) &&
        m.kind == MeasurementKind::kKernel && m.start_ns > 0 &&
        m.end_ns > m.start_ns)
      devices[{m.process, m.device}].push_back(
          {m.start_ns, m.end_ns, region_of[i]});
  }
  std::vector<double> overlaps(regions.size());
  for (auto& [device, kernels] : devices) {
    SortBy(kernels, &Kernel::start_ns);
    const Overlap overlap(kernels);
    for (const Kernel& kernel : kernels)
      overlaps[kernel.region] +=
          static_cast<double>(overlap.Between(kernel.start_ns, kernel.end_ns));
  }
  for (std::size_t i = regions.size(); i-- > 1;)
    overlaps[Index(regions[i].parent)] += overlaps[i];
  return overlaps;
}

}  // namespace rangefinder
