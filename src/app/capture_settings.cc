#include "app/capture_settings.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "capture/rank.h"

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

// "app-range,kernel"; "none" and nothing are no fallback.
Result<std::vector<std::string>> Fallback(const std::string& text) {
  std::vector<std::string> modes;
  for (const std::string& item : Split(text, ',')) {
    const std::string mode(Trim(item));
    if (mode.empty() || mode == "none") continue;
    TRY(CheckMode("pipeline.ncu.fallback", mode));
    modes.push_back(mode);
  }
  return modes;
}

}  // namespace

Result<CaptureOptions> MakeCaptureOptions(
    const Settings& settings, std::vector<std::string> program,
    std::vector<std::string> nvtx_include,
    std::vector<std::string> nvtx_exclude) {
  const NcuSettings& from = settings.ncu;
  TRY(CheckMode("pipeline.ncu.ncu_cli.replay_mode", from.replay_mode));
  CaptureOptions options;
  options.run_dir = settings.run_dir;
  options.program =
      program.empty() ? settings.workload_argv : std::move(program);
  options.config_yaml = settings.config_yaml;
  options.version = RANGEFINDER_VERSION;
  options.rank = DetectRank(std::getenv);
  options.launcher = DetectLauncher(std::getenv);
  options.earlier_runs = settings.nsys.enable ? 1 : 0;

  NcuOptions& ncu = options.ncu;
  ncu.ncu = from.ncu_path.empty() ? "ncu" : from.ncu_path;
  ncu.replay_mode = from.replay_mode;
  ncu.gating_nvtx = from.gating_nvtx;
  ncu.nvtx_include = std::move(nvtx_include);
  ncu.nvtx_exclude = std::move(nvtx_exclude);
  ncu.sections = from.sections;
  ncu.metrics = from.metrics;
  ncu.set = from.set;
  ncu.options = from.options;
  ncu.force_overwrite = ncu.options.erase("force_overwrite") > 0;
  ncu.fallback = TRY(Fallback(from.fallback));
  ncu.exclude_communication = from.exclude_communication;
  ncu.timeout_s = from.timeout_s;
  ncu.hang_s = from.hang_s;
  return options;
}

}  // namespace rangefinder
