// A run directory whose manifest is any bytes, beside a capture that it must
// not reach.

#pragma once

#include <string_view>

namespace rangefinder::testing {

// Whether a report could be made of it.
bool ReportOfAnyManifest(std::string_view manifest);

}  // namespace rangefinder::testing
