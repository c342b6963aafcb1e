// Text by its characters: UTF-8, and the characters that the formats we write
// cannot contain.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// The first character of `text`, which is not empty; if it is invalid, the
// number of bytes to replace.
struct FirstCharacter {
  char32_t code = 0;
  std::size_t length = 0;
  bool ok = false;
};
FirstCharacter FirstCharacterOf(std::string_view text);

// Whether `text` is ASCII without controls. Most text is, and needs no
// decoding.
bool IsPlainAscii(std::string_view text);

// Where foreign text is written. One table (characters.cc) says which
// characters are permitted there; the writers of all formats use it, and also
// escape the characters with a meaning in their format.
enum class TextPlace : std::uint8_t {
  kLine,     // a cell or line of Markdown, a terminal, SQL or XML
  kMessage,  // lines on a terminal
  kCsv,      // a field of CSV, which may have several lines
};

bool MayContain(TextPlace place, char32_t code);

// `text` with U+FFFD for invalid UTF-8, and with characters that are not
// permitted there written out: \n, \x1b, \u202e.
std::string PrintableIn(TextPlace place, std::string_view text);

}  // namespace rangefinder
