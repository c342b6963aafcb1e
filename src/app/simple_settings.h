// The settings of `report` and `show` from `key=value` words alone.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

Result<Settings> LoadSimpleSettings(const std::vector<std::string>& overrides);

}  // namespace rangefinder
