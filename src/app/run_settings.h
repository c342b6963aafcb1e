// The settings of a command, from what was typed and, for a run directory, from
// what the run was made with.

#pragma once

#include <string>
#include <vector>

#include "app/report_settings.h"
#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

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

// Settings of `profile`: where nothing enables a profiler and nothing is asked
// of one, ncu is enabled with the preset ncu.regions; where something is asked
// of ncu, ncu is enabled with that.
Result<Settings> LoadProfileSettings(const SettingsRequest& request);
SettingsRequest ProfileRequest(SettingsRequest request);

}  // namespace rangefinder
