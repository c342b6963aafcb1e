// A run directory whose manifest is the input, beside a capture that it must
// not reach.

#pragma once

#include <string_view>

namespace rangefinder::testing {

// Returns whether a report could be made of the manifest.
bool ReportOfAnyManifest(std::string_view manifest);

}  // namespace rangefinder::testing
