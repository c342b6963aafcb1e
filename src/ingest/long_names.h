// Names of ranges that are longer than anybody reads. A region is written with
// its whole path, so a long outer name would be in a report as often as there
// are regions inside it.

#pragma once

#include <cstddef>
#include <string_view>

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

inline constexpr std::size_t kLongestName = 4096;  // bytes

// Shortens names of ranges and domains that are longer, each to its beginning,
// its length and a hash that keeps it apart from others; with a note.
void ShortenLongNames(Profile& profile, Notes& notes, std::string_view where);

}  // namespace rangefinder
