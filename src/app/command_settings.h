// The settings of a command, from the command line and, for a run directory,
// from the configuration of the run; and the options for captures and reports.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "report/report.h"

namespace rangefinder {

// Settings of commands that read `paths`: the config.yaml of a run directory
// under the overrides, unless the user names a configuration. `fingerprint`:
// also sets the fingerprint, which report.json and SQLite's tables contain.
Result<Settings> LoadRunSettings(const SettingsRequest& request,
                                 const std::vector<std::string>& paths,
                                 bool fingerprint = false);
// The request that LoadRunSettings() composes.
SettingsRequest RunRequest(const SettingsRequest& request,
                           const std::vector<std::string>& paths);

// The same for a command; warns of left-out keys of the run's configuration.
struct Invocation;
Result<Settings> SettingsOfRun(const Invocation& asked,
                               bool fingerprint = false);

// Settings of `profile`: a key or preset of ncu on the command line enables
// ncu.
Result<Settings> LoadProfileSettings(const SettingsRequest& request);
SettingsRequest ProfileRequest(SettingsRequest request);

// Whether `path` has the layout of a run directory.
bool IsRunDirectory(const std::string& path);

// Options of a capture of `program`, or of the workload if `program` is empty,
// without ncu's options. Under a launcher the rank is that of this process.
// kUsage: the program takes no `device`.
Result<CaptureOptions> RunOptionsOf(const Settings& settings,
                                    const std::vector<std::string>& program);

// Adds the options of ncu, with the NVTX filters for a program with unknown
// regions. kUsage: ncu has no such option.
Status AddNcu(const NcuSettings& ncu, const RollupOptions& rollup,
              CaptureOptions& options, Notes& notes);

ReportOptions ReportOptionsOf(const Settings& settings);

}  // namespace rangefinder
