#include "config/grammar.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "config/place.h"
#include "config/scalar.h"

namespace rangefinder {

bool IsLetter(char c) {
  return IsAsciiLetter(c) || c == '_';
}

ValueToken NextValueToken(std::string_view rest) {
  using enum ValueTokenKind;
  if (rest.empty()) return {};
  const auto token = [&](ValueTokenKind kind, std::size_t length) {
    return ValueToken{kind, rest.substr(0, length)};
  };
  const char c = rest[0];
  if (c == ' ' || c == '\t')
    return token(kBlank, std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (c == ':') return token(kColon, 1);
  if (std::string_view(",=()[]{}'\"").find(c) != std::string_view::npos)
    return token(kStructure, 1);
  if (rest.starts_with("${")) return token(kInterpolation, 2);
  if (c == '\\') {
    constexpr std::string_view kEscaped = "\\()[]{}:=, \t";
    std::size_t n = 0;
    while (n + 1 < rest.size() && rest[n] == '\\' &&
           kEscaped.find(rest[n + 1]) != std::string_view::npos)
      n += 2;
    if (n > 0) return token(kEscape, n);
  }
  std::size_t length = GrammarNumberLength(rest);
  if (IsLetter(c)) {
    std::size_t n = 1;
    while (n < rest.size() && (IsLetter(rest[n]) || IsAsciiDigit(rest[n]))) ++n;
    length = std::max(length, n);
  }
  if (length > 0) return token(kWord, length);
  if (std::string_view("/-\\+.$%*@?|").find(c) != std::string_view::npos)
    return token(kWord, 1);
  return token(kBad, CharacterLength(rest));
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::ranges::all_of(
             text, [](char c) { return IsLetter(c) || IsAsciiDigit(c); });
}

void Primitive::Add(const ValueToken& token) {
  if (token.kind == ValueTokenKind::kBlank) {
    ++blanks_;
    if (pieces_ > 0) pending_ += token.text;
    return;
  }
  if (pieces_ == 0) {
    typed_ = token.kind == ValueTokenKind::kWord;
    first_ = token.text;
  }
  ++pieces_;
  text_ += pending_;
  pending_.clear();
  if (token.kind != ValueTokenKind::kEscape) {
    text_ += token.text;
    return;
  }
  for (std::size_t i = 1; i < token.text.size(); i += 2) text_ += token.text[i];
}

std::optional<std::string> Primitive::Identifier() const {
  if (pieces_ == 1 && typed_ && IsIdentifier(first_)) return first_;
  return std::nullopt;
}

Node Primitive::Value() const {
  if (pieces_ == 1 && typed_) {
    if (auto node = TypedToken(first_)) return *std::move(node);
  }
  return Node::String(text_);
}

bool GrammarCursor::Take(std::string_view token) {
  if (!rest().starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void GrammarCursor::SkipBlanks() {
  at_ += std::min(rest().find_first_not_of(" \t"), rest().size());
}

bool GrammarCursor::TakeAfterBlanks(std::string_view token) {
  const std::size_t start = at_;
  SkipBlanks();
  if (Take(token)) return true;
  at_ = start;
  return false;
}

bool GrammarCursor::TakeComma() {
  if (!TakeAfterBlanks(",")) return false;
  SkipBlanks();
  return true;
}

bool GrammarCursor::Fail(std::string message, bool quoting) {
  if (!failure_) failure_ = Failure{at_, std::move(message), quoting};
  return false;
}

bool GrammarCursor::FailInBrackets(std::string_view close) {
  SkipBlanks();
  return Fail(fmt::format(
      "expected ',' or '{}', found {}{}", close, Found(),
      close == "]" && !done() ? ": quote the item if it belongs to it" : ""));
}

std::string GrammarCursor::Found() const {
  if (done()) return "the end";
  return "'" + Printable(rest().substr(0, CharacterLength(rest()))) + "'";
}

void GrammarCursor::TakeText(std::string& out, char quote, bool interpolated) {
  while (!done()) {
    const std::size_t slashes =
        std::min(rest().find_first_not_of('\\'), rest().size());
    const std::string_view after = rest().substr(slashes);
    const bool interpolation = interpolated && after.starts_with("${");
    const bool closing = quote != 0 && after.starts_with(quote);
    if (interpolation || closing) {
      out.append(slashes / 2, '\\');
      at_ += slashes;
      if (slashes % 2 == 0) return;
      const std::size_t n = interpolation ? 2 : 1;
      out += text_.substr(at_, n);
      at_ += n;
      continue;
    }
    if (slashes > 0) {
      out.append(slashes, '\\');
      at_ += slashes;
      continue;
    }
    out += text_[at_++];
  }
}

std::optional<Node> GrammarCursor::TakeMapKey() {
  Primitive key;
  while (true) {
    const ValueToken token = NextValueToken(rest());
    if (token.kind != ValueTokenKind::kWord &&
        token.kind != ValueTokenKind::kBlank &&
        token.kind != ValueTokenKind::kEscape)
      break;
    key.Add(token);
    at_ += token.text.size();
  }
  if (!key.empty() && Take(":")) {
    SkipBlanks();
    return key.Value();
  }
  Fail(fmt::format("expected 'key: value', found {}; keys cannot be quoted",
                   Found()));
  return std::nullopt;
}

}  // namespace rangefinder
