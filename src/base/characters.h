// Text by its characters: what UTF-8 encodes, and which of it is obeyed by
// terminals and editors and seen by nobody.

#pragma once

#include <cstddef>
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

// Control characters (C0, DEL, C1), and line, paragraph and bidirectional
// controls, which change how the rest looks: what Printable() writes out.
bool IsUnseen(char32_t code);

// Printable() of `text`, but for the ASCII characters in `kept`, which stay.
std::string PrintableBut(std::string_view kept, std::string_view text);

}  // namespace rangefinder
