#include "base/characters.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace rangefinder {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Line, paragraph and bidirectional controls: they change how the rest looks.
constexpr std::array kDeceptive = std::to_array<Range>({{0x061C, 0x061C},
                                                        {0x200E, 0x200F},
                                                        {0x2028, 0x202E},
                                                        {0x2066, 0x2069},
                                                        {0xFEFF, 0xFEFF}});

}  // namespace

FirstCharacter FirstCharacterOf(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t need = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  char32_t code = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    need = 1;
    code = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    need = 2;
    code = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    need = 3;
    code = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {0, 1, false};
  }
  for (std::size_t i = 1; i <= need; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high)
      return {0, i, false};
    code = (code << 6) | (byte(i) & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code, need + 1, true};
}

bool IsUnseen(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) ||
         std::ranges::any_of(kDeceptive, [&](const Range& range) {
           return code >= range.first && code <= range.last;
         });
}

std::string PrintableBut(std::string_view kept, std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const FirstCharacter d = FirstCharacterOf(text);
    if (!d.ok) {
      out += "\uFFFD";
    } else if (!IsUnseen(d.code) || kept.find(text[0]) != kept.npos) {
      out += text.substr(0, d.length);
    } else if (d.code == '\n') {
      out += "\\n";
    } else if (d.code == '\t') {
      out += "\\t";
    } else if (d.code == '\r') {
      out += "\\r";
    } else {
      const auto code = static_cast<unsigned>(d.code);
      out += code < 0x100 ? fmt::format("\\x{:02x}", code)
                          : fmt::format("\\u{:04x}", code);
    }
    text.remove_prefix(d.length);
  }
  return out;
}

}  // namespace rangefinder
