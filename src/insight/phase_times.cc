#include "insight/phase_times.h"

#include <algorithm>
#include <map>

namespace rangefinder {

std::vector<PhaseTime> PhaseTimes(const RunView& run, const ScopeRollup& scope,
                                  std::span<const StringId> phases) {
  if (std::ranges::all_of(phases,
                          [](StringId phase) { return phase == StringId{}; }))
    return {};
  std::map<StringId, PhaseTime> sums;
  double all = 0;
  for (std::size_t r = 1; r < phases.size(); ++r) {
    const RegionRow row = run.rows->Of(scope, static_cast<RegionId>(r));
    if (!row.own_ns || row.source == TimeSource::kRange) continue;
    PhaseTime& sum = sums[phases[r]];
    sum.phase = phases[r];
    sum.gpu_ns += *row.own_ns;
    sum.launches += row.own_launches.value_or(0);
    all += *row.own_ns;
  }
  std::vector<PhaseTime> times;
  for (auto& [phase, sum] : sums) {
    sum.share = all > 0 ? sum.gpu_ns / all : 0;
    if (sum.launches > 0) times.push_back(sum);
  }
  std::ranges::stable_sort(times, [](const PhaseTime& a, const PhaseTime& b) {
    const bool a_named = a.phase != StringId{}, b_named = b.phase != StringId{};
    return a_named != b_named ? a_named : a.gpu_ns > b.gpu_ns;
  });
  return times;
}

}  // namespace rangefinder
