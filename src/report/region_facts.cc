#include "report/region_facts.h"

#include <algorithm>
#include <span>

#include "base/numbers.h"
#include "base/text.h"

namespace rangefinder {

std::uint64_t ExecutionsIn(const Region& region, const Scope& scope) {
  std::uint64_t count = 0;
  const Execution* last = nullptr;
  std::span<const Execution> all = region.executions;
  if (!scope.aggregate) {
    const auto of = &Execution::process;
    all = {std::ranges::lower_bound(all, scope.process, {}, of),
           std::ranges::upper_bound(all, scope.process, {}, of)};
  }
  for (const Execution& execution : all) {
    if (!scope.aggregate && execution.device != scope.device) continue;
    // Sorted, but one execution on two devices is two entries.
    const bool again = last != nullptr && last->process == execution.process &&
                       last->key == execution.key;
    if (!again) ++count;
    last = &execution;
  }
  return count;
}

std::string_view RegionKindName(const Region& region) {
  if (region.unattributed) return "none";
  return region.frame.kind == FrameKind::kPushPop ? "push_pop" : "start_end";
}

std::optional<double> MeasuredNs(const Amounts& amounts, const RegionRow& of) {
  const bool timed = amounts.without_time < amounts.kernel_count;
  // Where no kernel was measured, a time of 0 would be a claim, unless it is
  // known that there was none, or none of its own.
  const bool none = amounts.kernel_count == 0 &&
                    (of.launches == 0 || of.measured_ns.has_value());
  if (timed || none) return amounts.gpu_time_ns;
  return std::nullopt;
}

std::string FormatCell(const Profile& profile, const Cell& cell,
                       std::string_view unit) {
  if (cell.how == How::kAbsent) {
    if (cell.has_spread && cell.low != cell.high)
      return FormatValue(cell.low, unit) + " … " + FormatValue(cell.high, unit);
    return "–";
  }
  if (cell.is_text) return Printable(profile.Name(cell.text));
  if (cell.how == How::kEstimated)
    return FormatEstimate(cell.value, cell.error, unit);
  const std::string text = FormatValue(cell.value, unit);
  if (cell.how == How::kApprox) return "~ " + text;
  if (cell.how == How::kBound)
    return (cell.bound == Bound::kLower ? "≥ " : "≤ ") + text;
  return text;
}

}  // namespace rangefinder
