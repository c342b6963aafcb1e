// The GPU time of each phase of a run (region/phases.h).

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "insight/run_view.h"

namespace rangefinder {

struct PhaseTime {
  StringId phase{};  // empty: all work without a known phase
  double gpu_ns = 0;
  std::uint64_t launches = 0;
  double share = 0;  // of the GPU time of all kernels in the scope
};

// `phases`: the phases of regions, by RegionId. The longest first, work without
// a phase last; empty without phases or times.
std::vector<PhaseTime> PhaseTimes(const RunView& run, const ScopeRollup& scope,
                                  std::span<const StringId> phases);

}  // namespace rangefinder
