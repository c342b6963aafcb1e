#include "writers/json/json_stream.h"

#include <algorithm>

#include "base/parallel.h"

namespace rangefinder {

void JsonStream::Flush() {
  if (out_ == nullptr) return;
  out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void JsonStream::Members(
    std::size_t count,
    const std::function<void(JsonStream&, std::size_t, std::size_t)>& write) {
  // Short lists may have long members, and threads have to hold theirs.
  constexpr std::size_t kShort = 1000, kOfPart = 32;
  if (count <= kShort) return write(*this, 0, count);
  const std::size_t parts = (count + kOfPart - 1) / kOfPart;
  const std::size_t most = 4 * MostThreads(parts);  // in memory at once
  for (std::size_t first = 0; first < parts; first += most) {
    std::vector<std::string> texts(std::min(most, parts - first));
    InParallel(texts.size(), [&](std::size_t i, std::size_t) {
      const std::size_t from = (first + i) * kOfPart;
      JsonStream part(levels_, from == 0);
      write(part, from, std::min(from + kOfPart, count));
      texts[i] = std::move(part.buffer_);
    });
    for (const std::string& text : texts) {
      buffer_ += text;
      Flush();
    }
    levels_.back().empty = false;
  }
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

void JsonStream::PackedField(std::string_view key, const PackedText& text) {
  BeginObject(key);
  Field("encoding", "gzip+base64");
  Field("bytes", text.bytes);
  Key("content");
  Value([&](std::string& out) { out += "\"" + text.content + "\""; });
  EndObject();
}

void JsonStream::Raw(std::string_view token) {
  Separate();
  buffer_ += token;
}

}  // namespace rangefinder
