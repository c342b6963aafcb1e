// What the override grammar and the arguments of an interpolation share: words,
// typed tokens, escapes and quoted strings.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/node.h"

namespace rangefinder {

enum class ValueTokenKind {
  kEnd,
  kWord,  // an identifier, a number, or one of /-\+.$%*@?|
  kColon,
  kBlank,          // spaces and tabs
  kEscape,         // \, \= \( ...
  kStructure,      // one of , = ( ) [ ] { } ' "
  kInterpolation,  // "${"
  kBad,            // needs quoting
};

struct ValueToken {
  ValueTokenKind kind = ValueTokenKind::kEnd;
  std::string_view text{};
};

// The token at the start of `rest`.
ValueToken NextValueToken(std::string_view rest);

// [A-Za-z_][A-Za-z0-9_]*
bool IsIdentifier(std::string_view text);

// An escape token's text without its backslashes.
std::string Unescape(std::string_view escape);

// Collects the tokens of one unquoted value, and says what they mean: blanks at
// the ends go, exactly one typed token is typed, anything else is a string.
class Primitive {
 public:
  void Add(const ValueToken& token);
  // Text that stands for itself, such as "${a}" in an override.
  void AddText(std::string_view text);
  bool empty() const { return pieces_ == 0 && blanks_ == 0; }
  // The only token besides blanks at the end is this identifier.
  std::optional<std::string> Identifier() const;
  Node Value() const;

 private:
  std::string text_;     // from the first to the last token that is no blank
  std::string pending_;  // blanks after it
  std::string first_;    // the first token
  int pieces_ = 0;       // tokens in text_
  int blanks_ = 0;
  bool typed_ = false;  // the first token may be typed
};

// Where a quoted string that begins at `text[0]` ends: the index after its
// closing quote; nothing when it is never closed.
std::optional<std::size_t> QuotedEnd(std::string_view text);

// `inside` of quotes, where backslashes before a quote and at the end count.
std::string UnquoteOverride(std::string_view inside, char quote);

}  // namespace rangefinder
