// Traces that are wrong in their meaning and right in their checksums.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

// Checksums would keep a fuzzer out: makes them right, of the header and of
// every block that has its magic.
void MakeChecksumsRight(std::string& bytes);

// Another trace, like `trace`; `trace` itself where it has no block.
std::string ChangedTrace(std::string_view trace, std::uint32_t seed);

// The same trace without most of its records of each block, so that it is a
// seed: `records` of them at most.
std::string ShortTrace(std::string_view trace, std::size_t records);

}  // namespace rangefinder::testing
