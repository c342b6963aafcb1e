// The characters of a YAML text, and a place in them.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

struct YamlMark {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// A cursor over characters, a NUL at their end. The first failure is kept, and
// the cursor is then at the end: whoever scans finishes soon.
class YamlCursor {
 public:
  // The text of `source`, checked: not too large, UTF-8, no control characters.
  static Result<YamlCursor> Open(std::shared_ptr<const Source> source);

  char32_t Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0';
  }
  void Forward(std::size_t count = 1);
  std::size_t index() const { return at_; }
  YamlMark mark() const { return mark_; }
  int Column() const { return static_cast<int>(mark_.column) - 1; }
  // Takes a line break, as YAML 1.1 normalises it; empty where there is none.
  std::string Break();
  // "---" or "..." and a blank.
  bool AtDocumentMarker() const;

  void Fail(YamlMark mark, std::string message);
  bool failed() const { return failure_.has_value(); }
  Error failure() const;

 private:
  std::shared_ptr<const Source> source_;
  std::u32string text_;
  std::size_t at_ = 0;
  YamlMark mark_;
  std::optional<std::pair<YamlMark, std::string>> failure_;
};

bool IsYamlBreak(char32_t c);
bool IsYamlBreakOrEnd(char32_t c);
bool IsYamlBlankOrEnd(char32_t c);
void AppendUtf8(char32_t c, std::string& out);
// "'x'" or "the end of the file", for messages.
std::string ShownCharacter(char32_t c);

// An error message of ours: the text, the place, the line with a caret.
Error ErrorAt(const Place& place, std::string_view message,
              std::size_t width = 1);

}  // namespace rangefinder
