#include "diff/comparison.h"

#include <algorithm>

namespace rangefinder {

std::string_view FactName(FactKind kind) {
  switch (kind) {
    case FactKind::kInstances:
      return "instances";
    case FactKind::kLaunches:
      return "launches";
    case FactKind::kKernelNew:
      return "kernel_new";
    case FactKind::kKernelGone:
      return "kernel_gone";
    case FactKind::kKernelReplaced:
      return "kernel_replaced";
    case FactKind::kKernelMoved:
      return "kernel_moved";
    case FactKind::kShape:
      return "launch_shape";
    case FactKind::kBytes:
      return "copy_bytes";
  }
  return "";
}

bool Comparison::comparable() const {
  return std::ranges::none_of(caveats, &Caveat::fatal);
}

std::size_t Comparison::Count(DiffVerdict verdict) const {
  return static_cast<std::size_t>(
      std::ranges::count(regions, verdict, &RegionChange::verdict));
}

}  // namespace rangefinder
