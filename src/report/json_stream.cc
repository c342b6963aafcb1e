#include "report/json_stream.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {

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

void JsonStream::Quote(std::string_view text) {
  buffer_ += '"';
  std::size_t plain = 0;  // from here on nothing was written yet
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    buffer_.append(text, plain, i - plain);
    plain = i + 1;
    switch (byte) {
      case '"':
        buffer_ += "\\\"";
        break;
      case '\\':
        buffer_ += "\\\\";
        break;
      case '\n':
        buffer_ += "\\n";
        break;
      case '\t':
        buffer_ += "\\t";
        break;
      default:
        fmt::format_to(std::back_inserter(buffer_), "\\u{:04x}",
                       static_cast<unsigned>(byte));
    }
  }
  buffer_.append(text, plain);
  buffer_ += '"';
}

void JsonStream::Key(std::string_view key) {
  Separate();
  if (IsValidUtf8(key))
    Quote(key);
  else
    Quote(ValidUtf8(key));
  buffer_ += ": ";
  after_key_ = true;
}

void JsonStream::Text(std::string_view text) {
  Separate();
  if (IsValidUtf8(text))
    Quote(text);
  else
    Quote(ValidUtf8(text));
}

void JsonStream::Number(double number) {
  if (!std::isfinite(number)) {
    Null();
    return;
  }
  Separate();
  char digits[32];
  const bool whole = number == std::floor(number) && std::abs(number) < 9e15;
  const auto end = whole
                       ? std::to_chars(digits, digits + sizeof digits,
                                       static_cast<std::int64_t>(number))
                       : std::to_chars(digits, digits + sizeof digits, number);
  buffer_.append(digits, end.ptr);
}

void JsonStream::Count(std::uint64_t count) {
  Separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, count);
  buffer_.append(digits, end.ptr);
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
