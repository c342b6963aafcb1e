// The settings of a command, from what was typed and, for a run directory, from
// what the run was made with; and the options of captures and reports by them.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "report/report.h"

namespace rangefinder {

// What the configuration asked of the capture itself. It holds for reports on a
// run directory, and not on loose files, whose capture it did not make.
enum class Asked { kByTheseSettings, kBySomebody };

struct RunSettings {
  Settings settings{};
  Asked asked = Asked::kBySomebody;
};

// Settings of `report`, `show` and their kin on `paths`: a run directory's own
// config.yaml under the overrides, unless a configuration was named.
Result<RunSettings> LoadRunSettings(const SettingsRequest& request,
                                    const std::vector<std::string>& paths);
// What those are composed of.
SettingsRequest RunRequest(const SettingsRequest& request,
                           const std::vector<std::string>& paths);

// The same for a command, which says what of a run's configuration is left out.
struct Invocation;
Result<RunSettings> SettingsOfRun(const Invocation& asked);

// Settings of `profile`: where nothing enables a profiler and nothing is asked
// of one, ncu is enabled with the preset ncu.regions; where something is asked
// of ncu, ncu is enabled with that.
Result<Settings> LoadProfileSettings(const SettingsRequest& request);
SettingsRequest ProfileRequest(SettingsRequest request);

// Whether `path` is laid out like a run directory of ours.
bool IsRunDirectory(const std::string& path);

// A capture of `program`, or of the workload that stands in for it, without
// anything of ncu. Under a launcher the rank is that of this process. kUsage
// for a program that cannot be started so.
Result<CaptureOptions> RunOptionsOf(const Settings& settings,
                                    const std::vector<std::string>& program);

// Adds what is asked of ncu, with the NVTX filters of a program that nothing is
// known of. kUsage for what ncu cannot do.
Status AddNcu(const NcuSettings& ncu, const RollupOptions& rollup,
              CaptureOptions& options, Notes& notes);

ReportOptions ReportOptionsOf(const Settings& settings,
                              Asked asked = Asked::kBySomebody);

// Now, or SOURCE_DATE_EPOCH where the environment sets it: ISO 8601 in UTC.
std::string Timestamp();

}  // namespace rangefinder
