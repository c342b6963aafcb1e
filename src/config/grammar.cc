#include "config/grammar.h"

#include <algorithm>

#include "config/scalar.h"

namespace rangefinder {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// [0-9]("_"?[0-9])* from `at`; the end, or `at` without a digit.
std::size_t Digits(std::string_view text, std::size_t at) {
  if (at >= text.size() || !IsDigit(text[at])) return at;
  ++at;
  while (at < text.size()) {
    if (IsDigit(text[at])) {
      ++at;
    } else if (text[at] == '_' && at + 1 < text.size() &&
               IsDigit(text[at + 1])) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

// The longest number at the start of `text`; 0: none.
std::size_t NumberLength(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::string_view word = text.substr(at, 3);
  if (word.size() == 3 && IsGrammarFloat(word) && IsLetter(word[0]))
    return at + 3;  // inf, nan
  std::size_t best = 0;
  if (at < text.size() && text[at] == '0')
    best = at + 1;
  else if (at < text.size() && IsDigit(text[at]))
    best = Digits(text, at);
  const std::size_t point = best == 0 ? at : best;
  if (point < text.size() && text[point] == '.') {
    const std::size_t fraction = Digits(text, point + 1);
    if (fraction > point + 1)
      best = fraction;
    else if (best > 0)
      best = point + 1;
  }
  if (best > 0 && best < text.size() &&
      (text[best] == 'e' || text[best] == 'E')) {
    std::size_t exponent = best + 1;
    if (exponent < text.size() &&
        (text[exponent] == '+' || text[exponent] == '-'))
      ++exponent;
    const std::size_t end = Digits(text, exponent);
    if (end > exponent) best = end;
  }
  return best;
}

}  // namespace

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
  std::size_t length = NumberLength(rest);
  if (IsLetter(c)) {
    std::size_t n = 1;
    while (n < rest.size() && (IsLetter(rest[n]) || IsDigit(rest[n]))) ++n;
    length = std::max(length, n);
  }
  if (length > 0) return token(kWord, length);
  if (std::string_view("/-\\+.$%*@?|").find(c) != std::string_view::npos)
    return token(kWord, 1);
  std::size_t n = 1;  // a whole character
  while (n < rest.size() &&
         (static_cast<unsigned char>(rest[n]) & 0xC0) == 0x80)
    ++n;
  return token(kBad, n);
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::ranges::all_of(text,
                             [](char c) { return IsLetter(c) || IsDigit(c); });
}

std::string Unescape(std::string_view escape) {
  std::string out;
  for (std::size_t i = 1; i < escape.size(); i += 2) out += escape[i];
  return out;
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
  text_ += token.kind == ValueTokenKind::kEscape ? Unescape(token.text)
                                                 : std::string(token.text);
}

void Primitive::AddText(std::string_view text) {
  typed_ = false;
  ++pieces_;
  text_ += pending_;
  pending_.clear();
  text_ += text;
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

std::optional<std::size_t> QuotedEnd(std::string_view text) {
  const char quote = text[0];
  std::size_t backslashes = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++backslashes;
      continue;
    }
    if (text[at] == quote && backslashes % 2 == 0) return at + 1;
    backslashes = 0;
  }
  return std::nullopt;
}

std::string UnquoteOverride(std::string_view inside, char quote) {
  std::string out;
  for (std::size_t at = 0; at < inside.size();) {
    if (inside[at] != '\\') {
      out += inside[at++];
      continue;
    }
    const std::size_t end =
        std::min(inside.find_first_not_of('\\', at), inside.size());
    const std::size_t count = end - at;
    const bool counts = end == inside.size() || inside[end] == quote;
    out.append(counts ? count / 2 : count, '\\');
    at = end;
  }
  return out;
}

}  // namespace rangefinder
