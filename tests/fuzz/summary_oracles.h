// Reads any bytes as a summary and checks the laws: an error has words, any
// order of merging gives the same bytes, and a summary reads back as it was
// written.

#pragma once

#include <string_view>

namespace rangefinder::testing {

// Returns whether the summary could be read. Makes every document of it as
// well.
bool SummaryOfAnyBytes(std::string_view bytes);

}  // namespace rangefinder::testing
