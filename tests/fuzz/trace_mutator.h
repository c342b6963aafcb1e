// Makes traces that are wrong in their meaning and right in their checksums.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

// Corrects the checksums of the header and of every block with the right magic.
// A fuzzer would not get past wrong checksums.
void MakeChecksumsRight(std::string& bytes);

// Another trace like `trace`; `trace` itself where it has no block.
std::string ChangedTrace(std::string_view trace, std::uint32_t seed);

// The trace with at most `records` records in each block, as a seed.
std::string ShortTrace(std::string_view trace, std::size_t records);

}  // namespace rangefinder::testing
