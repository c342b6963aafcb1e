#include "app/capture_settings.h"

#include <cstdlib>
#include <utility>

#include "app/program.h"
#include "capture/rank.h"
#include "plan/ncu_request.h"
#include "plan/nvtx_filters.h"

namespace rangefinder {

Result<CaptureOptions> RunOptionsOf(const Settings& settings,
                                    const std::vector<std::string>& program) {
  CaptureOptions options;
  options.run_dir = settings.run_dir;
  ProgramToStart start = TRY(ProgramToRun(program, settings));
  options.program = std::move(start.argv);
  options.cwd = std::move(start.cwd);
  options.config_yaml = settings.config_yaml;
  options.version = RANGEFINDER_VERSION;
  options.rank = DetectRank(std::getenv);
  options.launcher = DetectLauncher(std::getenv);
  return options;
}

Result<CaptureOptions> CaptureOptionsOf(const Settings& settings,
                                        const std::vector<std::string>& program,
                                        Notes& notes) {
  CaptureOptions options = TRY(RunOptionsOf(settings, program));
  options.earlier_runs = settings.nsys.enable ? 1 : 0;
  options.ncu =
      TRY(NcuOptionsFor(settings.ncu, settings.analysis.rollup.derived, notes));
  Notes later;  // with the regions known they may be others
  TRY(SetNvtxFilters(settings.ncu, nullptr, options.ncu, later));
  return options;
}

}  // namespace rangefinder
