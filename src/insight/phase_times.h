// How much GPU time each phase of a run has (region/phases.h).

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "insight/run_view.h"

namespace rangefinder {

struct PhaseTime {
  StringId phase{};  // empty: all work of no known phase
  double gpu_ns = 0;
  std::uint64_t launches = 0;
  double share = 0;  // of the GPU time of all kernels in the scope
};

// Given the phases of regions, by RegionId. Most first, and work of no phase
// last; nothing without phases or times.
std::vector<PhaseTime> PhaseTimes(const RunView& run, const ScopeRollup& scope,
                                  std::span<const StringId> phases);

}  // namespace rangefinder
