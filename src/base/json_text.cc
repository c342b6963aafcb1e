#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/characters.h"
#include "base/text.h"

namespace rangefinder {
namespace {

// Whether the byte stands for itself in a JSON string, whatever is around it.
constexpr bool IsPlain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain[i] = IsPlain(static_cast<unsigned char>(i));
  return plain;
}();

void AppendUnseen(char32_t code, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                 static_cast<unsigned>(code));
}

void AppendEscaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const FirstCharacter first = FirstCharacterOf(text);
    switch (first.code) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (!MayContain(TextPlace::kLine, first.code))
          AppendUnseen(first.code, out);
        else
          out += text.substr(0, first.length);
    }
    text.remove_prefix(first.length);
  }
}

}  // namespace

void AppendJsonText(std::string_view text, std::string& out) {
  out += '"';
  const bool plain = std::ranges::all_of(
      text, [](char c) { return kPlain[static_cast<unsigned char>(c)]; });
  if (plain)
    out += text;
  else if (IsValidUtf8(text))
    AppendEscaped(text, out);
  else
    AppendEscaped(ValidUtf8(text), out);
  out += '"';
}

std::string EscapedJson(std::string document) {
  const auto is_ascii = [](char c) { return (c & 0x80) == 0 && c != 0x7f; };
  if (std::ranges::all_of(document, is_ascii)) return document;
  std::string out;
  out.reserve(document.size());
  std::string_view rest = document;
  while (!rest.empty()) {
    const FirstCharacter first = FirstCharacterOf(rest);
    if (first.ok && first.code >= 0x7f &&
        !MayContain(TextPlace::kLine, first.code))
      AppendUnseen(first.code, out);
    else
      out += rest.substr(0, first.length);
    rest.remove_prefix(first.length);
  }
  return out;
}

void AppendJsonNumber(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char digits[32];
  const bool whole = std::abs(number) < 9e15 && number == std::floor(number);
  const auto end = whole
                       ? std::to_chars(digits, digits + sizeof digits,
                                       static_cast<std::int64_t>(number))
                       : std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end.ptr);
}

void AppendJsonCount(std::uint64_t count, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, count);
  out.append(digits, end.ptr);
}

}  // namespace rangefinder
