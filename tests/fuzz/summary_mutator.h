// Makes summaries that are almost right: sections and their content are
// changed, and the checksums match.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

std::string ChangedSummary(std::string_view summary, std::uint32_t seed);

}  // namespace rangefinder::testing
