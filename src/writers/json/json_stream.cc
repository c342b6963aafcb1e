#include "writers/json/json_stream.h"

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
  if (!level.line)
    BreakLine();
  else if (!level.empty && !level.tight)
    buffer_ += ' ';
  level.empty = false;
  if (buffer_.size() >= kBlock) Flush();
}

void JsonStream::BreakLine() {
  buffer_ += '\n';
  buffer_.append(levels_.size(), ' ');
}

void JsonStream::Begin(char open) {
  Separate();
  buffer_ += open;
  const Level around = levels_.empty() ? Level() : levels_.back();
  levels_.push_back({.line = around.line || around.rows,
                     .tight = around.tight || around.rows});
}

void JsonStream::BeginRows(char open) {
  Begin(open);
  levels_.back().rows = !levels_.back().line;
}

void JsonStream::BeginLine(char open) {
  Begin(open);
  levels_.back().line = true;
}

void JsonStream::End(char close) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.line) BreakLine();
  buffer_ += close;
}

void JsonStream::Key(std::string_view key) {
  Separate();
  AppendJsonText(key, buffer_);
  buffer_ += levels_.back().tight ? ":" : ": ";
  after_key_ = true;
}

void JsonStream::Text(std::string_view text) {
  Separate();
  AppendJsonText(text, buffer_);
}

void JsonStream::PackedField(std::string_view key, const PackedText& text) {
  BeginObject(key);
  Field("encoding", "gzip+base64");
  Field("bytes", text.bytes);
  Key("content");
  Value([&](std::string& out) { out += "\"" + text.content + "\""; });
  EndObject();
}

void JsonStream::Number(double number) {
  Separate();
  AppendJsonNumber(number, buffer_);
}

void JsonStream::Count(std::uint64_t count) {
  Separate();
  AppendJsonCount(count, buffer_);
}

void JsonStream::Raw(std::string_view token) {
  Separate();
  buffer_ += token;
}

}  // namespace rangefinder
