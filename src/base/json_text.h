// The tokens of JSON, for documents too large for a JSON library's tree.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// `text` as a JSON string in valid UTF-8. Characters that TextPlace::kLine
// cannot contain are escaped, since documents are also read in terminals.
void AppendJsonText(std::string_view text, std::string& out);
// The document of a JSON library, with the same escapes in its strings.
std::string EscapedJson(std::string document);
// The shortest text that reads back to the same double; null for a number that
// is not finite, which JSON lacks.
void AppendJsonNumber(double number, std::string& out);
void AppendJsonCount(std::uint64_t count, std::string& out);

}  // namespace rangefinder
