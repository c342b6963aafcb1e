// `show` in the formats of other people's tools.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

inline constexpr std::array<std::string_view, 3> kExportFormats = {
    "folded", "hatchet", "perfetto"};

// Writes what `paths` hold to standard output. kUsage where `perfetto` is asked
// of captures without a trace, which alone has single instances.
Status RunExport(const std::vector<std::string>& paths, std::string_view format,
                 const Settings& settings, const Console& console);

}  // namespace rangefinder
