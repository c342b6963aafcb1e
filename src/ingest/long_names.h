// Shortens very long names of ranges. A report writes a region with its whole
// path, so it would repeat a long outer name for each region inside.

#pragma once

#include <cstddef>
#include <string_view>

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

inline constexpr std::size_t kLongestName = 4096;  // bytes

// Shortens longer names of ranges and domains to their beginning, their length
// and a hash that keeps different names apart. Adds a note.
void ShortenLongNames(Profile& profile, Notes& notes, std::string_view where);

}  // namespace rangefinder
