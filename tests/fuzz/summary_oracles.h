// Any bytes as a summary: read or refused in words, merged the same in any
// order, and written as what is read back the same.

#pragma once

#include <string_view>

namespace rangefinder::testing {

// Whether it could be read. Every document of it is made as well.
bool SummaryOfAnyBytes(std::string_view bytes);

}  // namespace rangefinder::testing
