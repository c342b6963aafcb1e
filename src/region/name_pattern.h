// A pattern over one name: exact, a glob or a regular expression.
//
//   saxpy          the name itself
//   decode_*  T?   a glob: `*` any text, `?` one character, `[a-z]` `[!a-z]`
//   one
//                  character of a set; `\` takes the next character as it is
//   regex:RE       RE2 syntax, found anywhere in the name; anchor with ^ and $
//
// A name that is spelled exactly like the pattern always matches, whatever
// `*` or `[` it contains. Case counts.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace re2 {
class RE2;
}

namespace rangefinder {

inline constexpr std::string_view kRegexPrefix = "regex:";

class NamePattern {
 public:
  // kUsage when the regular expression (or a glob's set) is not one.
  static Result<NamePattern> Parse(std::string_view text);
  // `expression` without the prefix.
  static Result<NamePattern> ParseRegex(std::string_view expression);

  bool Matches(std::string_view name) const;

  // As it was written.
  const std::string& text() const { return text_; }
  bool is_regex() const { return is_regex_; }
  // Nothing but the name `literal` matches (besides `text`).
  bool is_exact() const { return expression_ == nullptr; }
  const std::string& literal() const { return literal_; }

 private:
  std::string text_;
  std::string literal_;  // of an exact pattern, escapes resolved
  bool is_regex_ = false;
  std::shared_ptr<const re2::RE2> expression_;  // of the other two
};

// A part of a glob, for those who say it in another language.
struct GlobPiece {
  enum class Kind { kText, kAnyText /* * */, kOneCharacter /* ? */, kSet };

  Kind kind = Kind::kText;
  std::string text{};  // of kText, escapes resolved; of kSet, a regular
                       // expression's [set]
};

std::vector<GlobPiece> GlobPieces(std::string_view text);

// Where the first of `wanted` stands in `pattern`, from `from` on, that is
// neither escaped by `\` nor inside a [set]; npos when there is none.
std::size_t FindUnescaped(std::string_view pattern, char wanted,
                          std::size_t from = 0);

}  // namespace rangefinder
