#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include "base/characters.h"
#include "base/text.h"

namespace rangefinder {

namespace {

// Whether the byte needs no escape in a JSON string, in any context.
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
  bool plain = true;
  for (const char c : text) plain &= kPlain[static_cast<unsigned char>(c)];
  if (plain) {
    const std::size_t at = out.size() + 1;
    out.append(text.size() + 2, '"');
    text.copy(out.data() + at, text.size());
    return;
  }
  out += '"';
  if (IsValidUtf8(text))
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

// ---- Packed texts ----------------------------------------------------------

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// On columns of numbers, level 4 takes twice as long and saves 4 %, level 6
// takes five times as long and saves 12 %.
constexpr int kLevel = 2;
constexpr int kGzip = 16;            // added to the bits of the window
constexpr int kUnknownSystem = 255;  // the file system of a gzip header

}  // namespace

void AppendBase64(std::string_view bytes, std::string& out) {
  const auto at = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
}

struct GzipStream {
  z_stream zlib{};
  gz_header header{};
  std::array<char, 1 << 15> out{};
};

PackedText::PackedText() : stream_(std::make_unique<GzipStream>()) {
  z_stream& zlib = stream_->zlib;
  // With valid constants, only a lack of memory makes it fail.
  if (deflateInit2(&zlib, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  stream_->header.os = kUnknownSystem;
  deflateSetHeader(&zlib, &stream_->header);
}

PackedText::~PackedText() {
  deflateEnd(&stream_->zlib);
}

void PackedText::Append(std::string_view text) {
  constexpr std::size_t kMost = 1U << 30;  // zlib counts in 32 bits
  for (std::size_t at = 0; at < text.size(); at += kMost)
    Deflate(text.substr(at, kMost), false);
}

std::string PackedText::Finish() {
  Deflate({}, true);
  AppendBase64(rest_, packed_);
  rest_.clear();
  return std::move(packed_);
}

void PackedText::Deflate(std::string_view text, bool last) {
  z_stream& zlib = stream_->zlib;
  bytes_ += text.size();
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  bool full = true;
  while (full) {
    zlib.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    zlib.avail_out = static_cast<uInt>(stream_->out.size());
    deflate(&zlib, last ? Z_FINISH : Z_NO_FLUSH);
    full = zlib.avail_out == 0;
    rest_.append(stream_->out.data(), stream_->out.size() - zlib.avail_out);
  }
  const std::size_t whole = rest_.size() / 3 * 3;
  AppendBase64(std::string_view(rest_).substr(0, whole), packed_);
  rest_.erase(0, whole);
}

}  // namespace rangefinder
