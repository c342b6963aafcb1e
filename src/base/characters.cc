#include "base/characters.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace rangefinder {
namespace {

constexpr unsigned In(TextPlace place) {
  return 1U << static_cast<unsigned>(place);
}

constexpr unsigned kNowhere = 0;
constexpr unsigned kOfLines = In(TextPlace::kMessage) | In(TextPlace::kCsv);

struct Range {
  char32_t first, last;
  unsigned places;  // that may contain these characters
};

// All other characters are permitted everywhere.
constexpr std::array kCharacters = std::to_array<Range>({
    // C0 controls. XML 1.0 (section 2.2) can express only these three, which
    // become blanks in attributes; JSON (RFC 8259, section 7) requires escapes;
    // terminals obey them.
    {0x00, 0x08, kNowhere},
    {'\t', '\n', kOfLines},
    {0x0B, 0x0C, kNowhere},
    {'\r', '\r', In(TextPlace::kCsv)},
    {0x0E, 0x1F, kNowhere},
    // DEL and the C1 controls: terminals obey them.
    {0x7F, 0x9F, kNowhere},
    // Line, paragraph and bidirectional controls, and the byte order mark: they
    // change the look of the text around them.
    {0x061C, 0x061C, kNowhere},
    {0x200E, 0x200F, kNowhere},
    {0x2028, 0x202E, kNowhere},
    {0x2066, 0x2069, kNowhere},
    {0xFEFF, 0xFEFF, kNowhere},
    // Noncharacters: XML 1.0 (section 2.2) cannot express them.
    {0xFFFE, 0xFFFF, kNowhere},
});

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

bool IsPlainAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
}

bool MayContain(TextPlace place, char32_t code) {
  if (code >= ' ' && code < 0x7F) return true;
  const auto range = std::ranges::find_if(kCharacters, [&](const Range& one) {
    return code >= one.first && code <= one.last;
  });
  return range == kCharacters.end() || (range->places & In(place)) != 0;
}

std::string PrintableIn(TextPlace place, std::string_view text) {
  if (IsPlainAscii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const FirstCharacter d = FirstCharacterOf(text);
    if (!d.ok) {
      out += "\uFFFD";
    } else if (MayContain(place, d.code)) {
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
