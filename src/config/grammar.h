// The parts that the override grammar and the arguments of an interpolation
// share: words, typed tokens, escapes, quoted strings, lists and maps.

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

// Whether `c` is an ASCII letter or '_'.
bool IsLetter(char c);
// [A-Za-z_][A-Za-z0-9_]*
bool IsIdentifier(std::string_view text);

// Collects the tokens of one unquoted value. A lone typed token is a number,
// boolean or null; anything else is a string without the blanks at its ends.
class Primitive {
 public:
  void Add(const ValueToken& token);
  bool empty() const { return pieces_ == 0 && blanks_ == 0; }
  // The text so far, without blanks at its end. A caller may move it away, and
  // the next token begins a new text.
  std::string& text() { return text_; }
  // The lone token, if it is an identifier.
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

// The position of a parser of either grammar, and the first text that it could
// not parse.
class GrammarCursor {
 public:
  struct Failure {
    std::size_t at = 0;
    std::string message{};
    bool quoting = false;  // the value can be given in quotes
  };

  std::size_t at() const { return at_; }
  const std::optional<Failure>& failure() const { return failure_; }

 protected:
  explicit GrammarCursor(std::string_view text, std::size_t at = 0)
      : text_(text), at_(at) {}

  bool done() const { return at_ >= text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  bool Take(std::string_view token);
  void SkipBlanks();
  // Takes `token` and the blanks before it.
  bool TakeAfterBlanks(std::string_view token);
  // Takes a comma and the blanks around it.
  bool TakeComma();
  // False, so that a caller can return it.
  bool Fail(std::string message, bool quoting = false);
  // The next character for a message: "'x'" or "the end".
  std::string Found() const;
  // Takes characters up to the closing `quote` (0: none), an interpolation if
  // they are `interpolated`, or the end. Backslashes are escapes only directly
  // before the quote and before "${".
  void TakeText(std::string& out, char quote, bool interpolated);
  // Takes the key of a map and its colon; keys are not quoted.
  std::optional<Node> TakeMapKey();

  // Calls `item` for each item of a list, map or call, from the opening bracket
  // to behind the closing one. `item` parses one item; false: it cannot.
  template <typename Item>
  bool TakeItems(std::string_view close, Item item) {
    ++at_;
    if (TakeAfterBlanks(close)) return true;
    SkipBlanks();
    while (item()) {
      if (TakeAfterBlanks(close)) return true;
      if (!TakeComma()) return FailInBrackets(close);
    }
    return false;
  }
  // Calls `take` unless it is nested too deep in itself.
  template <typename Function>
  bool Nest(Function take) {
    if (++depth_ > kDeepestValue) return Fail("nested too deep");
    const bool ok = take();
    --depth_;
    return ok;
  }

  std::string_view text_;
  std::size_t at_ = 0;

 private:
  static constexpr int kDeepestValue = 100;

  bool FailInBrackets(std::string_view close);

  int depth_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace rangefinder
