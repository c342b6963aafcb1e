#include "plan/lost_ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

// Reasons in the log of `run` for lost ranges, with remedies.
std::string Reason(const RunRecord& run, const std::string& text) {
  const auto says = [&](std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  constexpr std::string_view kApi = "Unsupported API during capture (";
  if (const std::size_t at = text.find(kApi); at != std::string::npos) {
    const std::size_t begin = at + kApi.size();
    return fmt::format(
        "range replay refused a call in such a range ({}); "
        "replay_mode=app-range does not replay calls",
        Printable(text.substr(begin, text.find(')', begin) - begin)));
  }
  if (says("(RecordStatusEmpty)")) {
    return "nothing was launched in such a range in this run, though "
           "something was before; see whether the program does the same every "
           "time";
  }
  if (says("Skipping invalid capture range"))
    return "ncu found the range invalid; try replay_mode=app-range";
  if (says("UnknownError")) {
    return "ncu failed at a range without saying why (UnknownError), as it "
           "does with a CUDA graph inside; try replay_mode=app-range";
  }
  if (run.status != 0) return "the run ended before it, or at it";
  if (run.mode == "range")
    return "its work was launched by another thread than its own, or no CUDA "
           "context was current when it began, or it lies inside another "
           "measured range in this run; try replay_mode=app-range, or kernel, "
           "which sees every launch";
  return "in the replayed run it launched nothing from its own thread, or no "
         "CUDA context was current when it began, or it lies inside another "
         "measured range in this run; replay_mode=kernel sees every launch";
}

}  // namespace

RangeCounts CountRanges(const Profile& profile) {
  RangeCounts counts;
  for (const Measurement& m : profile.measurements) {
    if (m.kind == MeasurementKind::kRange)
      ++counts[RegionLabel(profile, PathOf(profile, m))];
  }
  return counts;
}

void NoteLostRanges(const CapturePlan& plan,
                    std::span<const RunOutcome> outcomes, Notes& notes) {
  std::map<std::string, std::uint64_t> planned;
  for (const PlannedRun& run : plan.runs) {
    for (std::size_t i = 0; i < run.region_instances.size(); ++i)
      planned[run.regions[i]] += run.region_instances[i];
  }
  // A fallback repeats the measurements of the replaced run.
  RangeCounts measured;
  for (const RunOutcome& outcome : outcomes) {
    for (const auto& [label, count] : outcome.measured)
      measured[label] = std::max(measured[label], count);
  }
  for (const RunOutcome& outcome : outcomes) {
    const RunRecord& run = *outcome.run;
    // The run that replaces this one has the same regions.
    if (!IsRangeMode(run.mode) || run.outcome == "replaced") continue;
    for (const std::string& label : run.regions) {
      if (!measured.contains(label)) {
        notes.Add(Severity::kDataLoss, "lost_range",
                  fmt::format("{} was not measured as a whole in {} replay: {}",
                              label, run.mode, Reason(run, outcome.log)),
                  run.name);
      } else if (measured[label] < planned[label]) {
        // A larger number is normal: in app-range replay, ncu also counts
        // ranges in which the program only waits.
        notes.Add(Severity::kWarning, "range_count",
                  fmt::format("{}: {} instances were measured, {} were "
                              "planned; does the program do the same every "
                              "time?",
                              label, measured[label], planned[label]),
                  run.name);
      }
    }
  }
}

}  // namespace rangefinder
