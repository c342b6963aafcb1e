// Text by its characters: UTF-8, and the characters that the formats
// that we write cannot contain.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// The first character of `text`, not empty: where it is none that is valid, how
// many bytes to replace.
struct FirstCharacter {
  char32_t code = 0;
  std::size_t length = 0;
  bool ok = false;
};
FirstCharacter FirstCharacterOf(std::string_view text);

// Where foreign text is put. One table (characters.cc) says which characters
// may stand there as they are; the writers of all formats go by it, and escape
// what their format gives a meaning to besides.
enum class TextPlace : std::uint8_t {
  kLine,     // a cell or line of Markdown, a terminal, SQL or XML
  kMessage,  // lines on a terminal
  kCsv,      // a field of CSV, which may have several lines
};

bool MayContain(TextPlace place, char32_t code);

// `text` with U+FFFD for what is not UTF-8, and characters that may not stand
// there written out: \n, \x1b, \u202e.
std::string PrintableIn(TextPlace place, std::string_view text);

}  // namespace rangefinder
