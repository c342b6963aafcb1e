#include "plan/ncu_request.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "plan/collection.h"

namespace rangefinder {
namespace {

const std::vector<std::string>& ReplayModes() {
  static const std::vector<std::string> modes = {"kernel", "application",
                                                 "range", "app-range"};
  return modes;
}

Status CheckMode(std::string_view key, const std::string& mode) {
  if (std::ranges::find(ReplayModes(), mode) != ReplayModes().end())
    return Ok();
  std::string message = fmt::format(
      "{}: '{}' is no replay mode; there are kernel, application, range and "
      "app-range",
      key, Printable(mode));
  if (const auto near = Nearest(mode, ReplayModes()))
    message += fmt::format("; did you mean '{}'?", *near);
  return Error(ErrorCode::kUsage, std::move(message));
}

// "none" is no fallback.
Result<std::vector<std::string>> Fallback(
    const std::vector<std::string>& asked) {
  std::vector<std::string> modes;
  for (const std::string& mode : asked) {
    if (mode == "none") continue;
    TRY(CheckMode("pipeline.ncu.fallback", mode));
    modes.push_back(mode);
  }
  return modes;
}

}  // namespace

Result<NcuOptions> NcuOptionsFor(const NcuSettings& asked,
                                 std::span<const DerivedMetric> derived,
                                 Notes& notes) {
  TRY(CheckMode("pipeline.ncu.ncu_cli.replay_mode", asked.replay_mode));
  NcuOptions ncu;
  ncu.ncu = asked.ncu_path.empty() ? "ncu" : asked.ncu_path;
  ncu.replay_mode = asked.replay_mode;
  ncu.gating_nvtx = asked.gating_nvtx;
  ncu.sections = asked.sections;
  ncu.metrics = CollectedMetrics(asked, derived, notes);
  ncu.set = asked.set;
  ncu.options = asked.options;
  ncu.force_overwrite = ncu.options.erase("force_overwrite") > 0;
  ncu.fallback = TRY(Fallback(asked.fallback));
  ncu.exclude_communication = asked.exclude_communication;
  ncu.timeout_s = asked.timeout_s;
  ncu.hang_s = asked.hang_s;
  return ncu;
}

}  // namespace rangefinder
