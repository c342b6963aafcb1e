#include "analysis/instances.h"

#include <set>

#include <fmt/format.h>

#include "region/path.h"

namespace rangefinder {

void KeepInstances(const InstanceWindow& window,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes) {
  if (window.takes_all()) return;
  // What ncu chose already is taken as it is.
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < profile.artifacts.size(); ++i) {
    const auto at = chosen.find(profile.artifacts[i].path);
    if (at == chosen.end()) continue;
    taken.insert(static_cast<std::uint32_t>(i));
    if (at->second == window) continue;
    notes.Add(Severity::kWarning, "instances_not_measured",
              fmt::format("{}: not applied, since ncu measured other instances "
                          "alone ({}); profile again to see those",
                          WindowText(window), WindowText(at->second)),
              profile.artifacts[i].path);
  }
  Executions executions(profile);
  std::uint64_t all = 0;
  for (const Measurement* m : InLaunchOrder(profile)) {
    if (taken.contains(m->artifact)) continue;
    executions.Add(*m);
    ++all;
  }
  if (all == 0) return;
  std::uint64_t ranges = 0;
  const auto left_out =
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        if (taken.contains(m.artifact)) return false;
        const auto ordinal = executions.Ordinal(m, PathOf(profile, m));
        const bool out = ordinal && !window.Takes(*ordinal);
        if (out && m.kind == MeasurementKind::kRange) ++ranges;
        return out;
      });
  std::string what = ranges == 0          ? "kernels"
                     : ranges == left_out ? "ranges"
                                          : "kernels and ranges";
  notes.Add(Severity::kInfo, "instances_selected",
            fmt::format("{}: {} of {} {} are left out, those of other "
                        "instances",
                        WindowText(window), left_out, all, what));
}

}  // namespace rangefinder
