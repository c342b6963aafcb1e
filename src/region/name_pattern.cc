#include "region/name_pattern.h"

#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// Where the [set] that opens at `open` closes; npos: it does not, and the
// bracket is an ordinary character. A `]` right after `[` or `[!` is a member.
std::size_t EndOfSet(std::string_view text, std::size_t open) {
  std::size_t i = open + 1;
  if (i < text.size() && (text[i] == '!' || text[i] == '^')) ++i;
  if (i < text.size() && text[i] == ']') ++i;
  for (; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ']') {
      return i;
    }
  }
  return std::string_view::npos;
}

// A glob's [set] as one of RE2's.
std::string SetExpression(std::string_view set) {
  std::string expression = "[";
  std::size_t i = 1;
  if (set[i] == '!' || set[i] == '^') {
    expression += '^';
    ++i;
  }
  for (; i + 1 < set.size(); ++i) {
    const bool escaped = set[i] == '\\' && i + 2 < set.size();
    if (escaped) ++i;
    const bool special =
        std::string_view("[]\\^&~").find(set[i]) != std::string_view::npos ||
        (escaped && set[i] == '-');
    if (special) expression += '\\';
    expression += set[i];
  }
  return expression + ']';
}

Result<std::shared_ptr<const re2::RE2>> Compile(std::string_view expression,
                                                std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  const std::string valid = ValidUtf8(expression);
  auto compiled = std::make_shared<const re2::RE2>(valid, options);
  if (!compiled->ok()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("the pattern '{}': {}", Printable(text),
                             compiled->error()));
  }
  return std::shared_ptr<const re2::RE2>(std::move(compiled));
}

}  // namespace

std::vector<GlobPiece> GlobPieces(std::string_view text) {
  using enum GlobPiece::Kind;
  std::vector<GlobPiece> pieces;
  const auto add_text = [&](char c) {
    if (pieces.empty() || pieces.back().kind != kText)
      pieces.push_back({.kind = kText});
    pieces.back().text += c;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      add_text(text[++i]);
    } else if (text[i] == '*') {
      pieces.push_back({.kind = kAnyText});
    } else if (text[i] == '?') {
      pieces.push_back({.kind = kOneCharacter});
    } else if (const std::size_t end = EndOfSet(text, i);
               text[i] == '[' && end != std::string_view::npos) {
      pieces.push_back({kSet, SetExpression(text.substr(i, end + 1 - i))});
      i = end;
    } else {
      add_text(text[i]);
    }
  }
  return pieces;
}

Result<NamePattern> NamePattern::Parse(std::string_view text) {
  if (text.starts_with(kRegexPrefix))
    return ParseRegex(text.substr(kRegexPrefix.size()));
  NamePattern pattern;
  pattern.text_ = text;
  std::string expression;
  bool is_wild = false;
  for (const GlobPiece& piece : GlobPieces(text)) {
    using enum GlobPiece::Kind;
    is_wild = is_wild || piece.kind != kText;
    switch (piece.kind) {
      case kText:
        pattern.literal_ += piece.text;
        expression += re2::RE2::QuoteMeta(piece.text);
        break;
      case kAnyText:
        expression += ".*";
        break;
      case kOneCharacter:
        expression += '.';
        break;
      case kSet:
        expression += piece.text;
        break;
    }
  }
  if (is_wild)
    pattern.expression_ = TRY(Compile("\\A(?:" + expression + ")\\z", text));
  return pattern;
}

Result<NamePattern> NamePattern::ParseRegex(std::string_view expression) {
  NamePattern pattern;
  pattern.text_ = std::string(kRegexPrefix).append(expression);
  pattern.is_regex_ = true;
  pattern.expression_ = TRY(Compile(expression, pattern.text_));
  return pattern;
}

bool NamePattern::Matches(std::string_view name) const {
  if (!is_regex_ && name == text_) return true;
  if (expression_ == nullptr) return name == literal_;
  if (IsValidUtf8(name))
    return re2::RE2::PartialMatch({name.data(), name.size()}, *expression_);
  return re2::RE2::PartialMatch(ValidUtf8(name), *expression_);
}

std::size_t FindUnescaped(std::string_view pattern, char wanted,
                          std::size_t from) {
  for (std::size_t i = from; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == wanted) {
      return i;
    } else if (pattern[i] == '[') {
      const std::size_t end = EndOfSet(pattern, i);
      if (end != std::string_view::npos) i = end;
    }
  }
  return std::string_view::npos;
}

}  // namespace rangefinder
