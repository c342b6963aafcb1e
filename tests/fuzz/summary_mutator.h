// Summaries that are almost right: sections and what is in them changed, with
// checksums that say they are as they were written.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

std::string ChangedSummary(std::string_view summary, std::uint32_t seed);

}  // namespace rangefinder::testing
