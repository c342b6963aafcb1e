// The tokens of JSON, for those who write documents by hand because of their
// size or their layout.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// A JSON string, made valid UTF-8. What Printable() writes out is escaped: a
// document is looked at in terminals and editors, too.
void AppendJsonText(std::string_view text, std::string& out);
// A whole document that a library wrote, with the same escapes: outside of its
// strings it has none of those characters, but for the ends of its lines.
std::string EscapedJson(std::string document);
// JSON has no word for what is not finite: null. Others as the shortest text
// that reads back to the same double.
void AppendJsonNumber(double number, std::string& out);
void AppendJsonCount(std::uint64_t count, std::string& out);

}  // namespace rangefinder
