#include "report/json_stream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// Of a byte: it stands in a JSON string as it is, whatever is around it.
constexpr bool IsPlain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain[i] = IsPlain(static_cast<unsigned char>(i));
  return plain;
}();

void AppendEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (byte) {
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
      default:
        if (byte >= 0x20) {
          out += c;
        } else {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                         static_cast<unsigned>(byte));
        }
    }
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

void JsonStream::Flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void JsonStream::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) buffer_ += ',';
  if (level.line) {
    if (!level.empty) buffer_ += ' ';
  } else {
    buffer_ += '\n';
    buffer_.append(levels_.size(), ' ');
  }
  level.empty = false;
  if (buffer_.size() >= kBlock) Flush();
}

void JsonStream::Begin(char open) {
  Separate();
  buffer_ += open;
  levels_.push_back({.line = !levels_.empty() && levels_.back().line});
}

void JsonStream::BeginLineObject() {
  BeginObject();
  levels_.back().line = true;
}

void JsonStream::BeginLineArray() {
  BeginArray();
  levels_.back().line = true;
}

void JsonStream::End(char close) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.line) {
    buffer_ += '\n';
    buffer_.append(levels_.size(), ' ');
  }
  buffer_ += close;
}

void JsonStream::Key(std::string_view key) {
  Separate();
  AppendJsonText(key, buffer_);
  buffer_ += ": ";
  after_key_ = true;
}

void JsonStream::Text(std::string_view text) {
  Separate();
  AppendJsonText(text, buffer_);
}

void JsonStream::Number(double number) {
  Separate();
  AppendJsonNumber(number, buffer_);
}

void JsonStream::Count(std::uint64_t count) {
  Separate();
  AppendJsonCount(count, buffer_);
}

void JsonStream::Null() {
  Separate();
  buffer_ += "null";
}

void JsonStream::TextField(std::string_view key, std::string_view text) {
  Key(key);
  Text(text);
}

void JsonStream::NumberField(std::string_view key, double number) {
  Key(key);
  Number(number);
}

void JsonStream::CountField(std::string_view key, std::uint64_t count) {
  Key(key);
  Count(count);
}

void JsonStream::TextsField(std::string_view key,
                            const std::vector<std::string>& texts) {
  Key(key);
  BeginLineArray();
  for (const std::string& text : texts) Text(text);
  EndArray();
}

}  // namespace rangefinder
