#include "config/yaml_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 20;

// The UTF-8 text as characters, a NUL at its end.
std::u32string Decode(std::string_view text) {
  std::u32string out;
  out.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                                             : 4;
    char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i)
      code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3F);
    out += code;
    at += length;
  }
  out += U'\0';
  return out;
}

bool IsPrintableInYaml(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) ||
         c == 0x85 || (c >= 0xA0 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
}

}  // namespace

bool IsYamlBreak(char32_t c) {
  return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}
bool IsYamlBreakOrEnd(char32_t c) {
  return c == 0 || IsYamlBreak(c);
}
bool IsYamlBlankOrEnd(char32_t c) {
  return c == ' ' || c == '\t' || IsYamlBreakOrEnd(c);
}

void AppendUtf8(char32_t code, std::string& out) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

std::string ShownCharacter(char32_t c) {
  if (c == 0) return "the end of the file";
  std::string text;
  AppendUtf8(c, text);
  return "'" + Printable(text) + "'";
}

Error ErrorAt(const Place& place, std::string_view message, std::size_t width) {
  std::string excerpt = Excerpt(place, width);
  if (!excerpt.empty()) {
    excerpt.pop_back();
    excerpt.insert(0, "\n");
  }
  return Error(ErrorCode::kUsage,
               fmt::format("{}: {}{}", Describe(place), message, excerpt));
}

Result<YamlCursor> YamlCursor::Open(std::shared_ptr<const Source> source) {
  const std::string& text = source->text;
  if (text.size() > kLargestFile) {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: {} bytes are too many for a configuration "
                             "file (the limit is {} MiB)",
                             source->name, text.size(), kLargestFile >> 20));
  }
  Place place{.source = source, .line = 1, .column = 1};
  if (!IsValidUtf8(text)) {
    std::size_t end = 0;  // of the valid part, found by halving
    for (std::size_t low = 0, high = text.size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      const std::string_view head(text.data(), middle + 1);
      // A head that merely ends inside a character is valid up to there.
      std::size_t cut = head.size();
      while (cut > 0 && head.size() - cut < 3 &&
             !IsValidUtf8(head.substr(0, cut)))
        --cut;
      if (IsValidUtf8(head.substr(0, cut)) && head.size() - cut < 3) {
        low = middle + 1;
        end = cut;
      } else {
        high = middle;
      }
    }
    for (std::size_t i = 0; i < end; ++i) {
      if (text[i] == '\n') ++place.line;
    }
    return Error(
        ErrorCode::kUsage,
        fmt::format(
            "{}:{}: byte {:#04x} is not valid UTF-8 (at offset "
            "{}); save the file as UTF-8",
            source->name, place.line,
            static_cast<unsigned char>(text[std::min(end, text.size() - 1)]),
            end));
  }
  std::u32string decoded = Decode(text);
  for (std::size_t i = 0; i + 1 < decoded.size(); ++i) {
    if (!IsPrintableInYaml(decoded[i])) {
      return ErrorAt(place,
                     fmt::format("character U+{:04X} is not allowed here; "
                                 "write it as an escape in double quotes",
                                 static_cast<unsigned>(decoded[i])));
    }
    ++place.column;
    if (decoded[i] == '\n') {
      ++place.line;
      place.column = 1;
    }
  }
  YamlCursor cursor;
  cursor.source_ = std::move(source);
  cursor.text_ = std::move(decoded);
  return cursor;
}

void YamlCursor::Forward(std::size_t count) {
  for (; count > 0 && at_ + 1 < text_.size(); --count) {
    const char32_t c = text_[at_++];
    if (IsYamlBreak(c) && !(c == '\r' && Peek() == '\n')) {
      ++mark_.line;
      mark_.column = 1;
    } else if (c != 0xFEFF) {
      ++mark_.column;
    }
  }
}

std::string YamlCursor::Break() {
  const char32_t c = Peek();
  if (!IsYamlBreak(c)) return {};
  if (c == '\r' && Peek(1) == '\n') Forward();
  Forward();
  if (c == 0x2028 || c == 0x2029) {
    std::string text;
    AppendUtf8(c, text);
    return text;
  }
  return "\n";
}

bool YamlCursor::AtDocumentMarker() const {
  const char32_t c = Peek();
  return (c == '-' || c == '.') && Peek(1) == c && Peek(2) == c &&
         IsYamlBlankOrEnd(Peek(3));
}

void YamlCursor::Fail(YamlMark mark, std::string message) {
  if (!failure_) failure_ = {mark, std::move(message)};
  at_ = text_.size() - 1;
}

Error YamlCursor::failure() const {
  return ErrorAt({.source = source_,
                  .line = failure_->first.line,
                  .column = failure_->first.column},
                 failure_->second);
}

}  // namespace rangefinder
