// Fact sheets as Markdown, within a budget of tokens.

#pragma once

#include <cstdint>
#include <ostream>

#include "document/fact_sheet.h"

namespace rangefinder {

// A token is counted as four bytes of UTF-8.
inline constexpr std::uint64_t kUsualTokens = 2000;
inline constexpr std::uint64_t kLeastTokens = 100;  // the last line fits

// Writes whole facts in at most `tokens`; 0: all facts. The last line has the
// number of facts that were left out.
void WriteFactSheet(const FactSheet& sheet, std::uint64_t tokens,
                    std::ostream& out);

}  // namespace rangefinder
