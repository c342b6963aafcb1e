// The tokens of JSON, for those who write documents by hand because of their
// size or their layout.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// A JSON string, made valid UTF-8.
void AppendJsonText(std::string_view text, std::string& out);
// JSON has no word for what is not finite: null. Others as the shortest text
// that reads back to the same double.
void AppendJsonNumber(double number, std::string& out);
void AppendJsonCount(std::uint64_t count, std::string& out);

}  // namespace rangefinder
