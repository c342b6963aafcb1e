#include "region/pattern.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kNotFound = std::string_view::npos;

// The end of the [set] that opens at `open`; npos: it does not end, and the
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

// The first `wanted` in `pattern` from `from` on that is outside sets and not
// escaped by `\`; npos: none.
std::size_t FindUnescaped(std::string_view pattern, char wanted,
                          std::size_t from = 0) {
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

// Reads `domain@name`, or a name alone; `parse` reads each part. A regular
// expression with its @ inside a group cannot be divided, and is an error here.
Result<FramePattern> ParseFrame(
    std::string_view text, Result<NamePattern> (*parse)(std::string_view)) {
  const std::size_t at = FindUnescaped(text, '@');
  std::optional<NamePattern> domain;
  if (at != kNotFound) {
    domain = TRY(parse(text.substr(0, at)));
    text.remove_prefix(at + 1);
  }
  NamePattern name = TRY(parse(text));
  return FramePattern{.domain = std::move(domain), .name = std::move(name)};
}

std::string_view GivenName(const FrameName& frame) {
  return frame.given.empty() ? frame.name : frame.given;
}

std::string Join(std::span<const FrameName> path, bool with_domains,
                 bool given) {
  std::string text;
  for (const FrameName& frame : path) {
    if (&frame != path.data()) text += '/';
    if (with_domains && !frame.domain.empty())
      text.append(frame.domain).append("@");
    text += given ? GivenName(frame) : frame.name;
  }
  return text;
}

bool IsSpelled(std::string_view domain, std::string_view name,
               std::string_view text) {
  if (name == text) return true;
  return !domain.empty() && text.size() == domain.size() + 1 + name.size() &&
         text.starts_with(domain) && text.ends_with(name) &&
         text[domain.size()] == '@';
}

// A glob's [set] as a [set] of RE2.
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

}  // namespace

Result<std::shared_ptr<const re2::RE2>> CompileRegex(
    std::string_view expression, std::string_view text) {
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

std::vector<FrameName> FrameNames(const Profile& profile,
                                  std::span<const Frame> path) {
  std::vector<FrameName> names;
  names.reserve(path.size());
  for (const Frame& frame : path) {
    names.push_back({.domain = profile.Name(frame.domain),
                     .name = profile.Name(frame.name)});
    if (frame.is_merged()) names.back().given = profile.Name(frame.given);
  }
  return names;
}

bool FramePattern::Matches(const FrameName& frame) const {
  if (domain && !domain->Matches(frame.domain) &&
      !(frame.domain.empty() && domain->Matches(kDefaultDomain)))
    return false;
  return name.Matches(frame.name) ||
         (!frame.given.empty() && name.Matches(frame.given));
}

Result<Pattern> Pattern::Parse(std::string_view text) {
  if (text.empty()) {
    return Error(ErrorCode::kUsage,
                 "an empty pattern; a range with an empty name is regex:^$");
  }
  Pattern pattern;
  pattern.text_ = text;
  if (text.starts_with(kRegexPrefix)) {
    const std::string_view expression = text.substr(kRegexPrefix.size());
    if (FindUnescaped(expression, '/') == kNotFound) {
      Result<FramePattern> frame =
          ParseFrame(expression, NamePattern::ParseRegex);
      if (frame.ok()) {
        pattern.steps_.emplace_back(std::move(frame).value());
        return pattern;
      }
    }
    pattern.is_path_ = FindUnescaped(expression, '/') != kNotFound;
    pattern.whole_ = TRY(NamePattern::ParseRegex(expression));
    pattern.whole_with_domains_ = FindUnescaped(expression, '@') != kNotFound;
    return pattern;
  }
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t slash =
        std::min(FindUnescaped(text, '/', from), text.size());
    const std::string_view step = text.substr(from, slash - from);
    const bool outermost = from == 0 || slash == text.size();
    from = slash + 1;
    if (slash < text.size()) pattern.is_path_ = true;
    // Users of ncu end a name with /; a leading / begins a path.
    if (step.empty() && outermost && text.size() > 1) continue;
    if (step == "**" && pattern.is_path_) {
      pattern.steps_.emplace_back(std::nullopt);
    } else {
      FramePattern frame = TRY(ParseFrame(step, NamePattern::Parse));
      pattern.steps_.emplace_back(std::move(frame));
    }
  }
  return pattern;
}

bool Pattern::MatchesSteps(std::span<const FrameName> path) const {
  // reached[i]: whether the steps so far match the first i frames.
  std::vector<bool> reached(path.size() + 1, false);
  reached[0] = true;
  for (const std::optional<FramePattern>& step : steps_) {
    if (!step) {
      const auto first = std::ranges::find(reached, true);
      std::fill(first, reached.end(), true);
      continue;
    }
    for (std::size_t i = path.size(); i > 0; --i)
      reached[i] = reached[i - 1] && step->Matches(path[i - 1]);
    reached[0] = false;
  }
  return reached.back();
}

bool Pattern::Matches(std::span<const FrameName> path) const {
  const FrameName unattributed{.name = kUnattributed};
  if (path.empty()) path = {&unattributed, 1};
  const std::span<const FrameName> own = path.last(1);
  if (whole_) {
    const std::span<const FrameName> whole = is_path_ ? path : own;
    const auto matches = [&](bool given) {
      return whole_->Matches(Join(whole, whole_with_domains_, given));
    };
    if (matches(false)) return true;
    const bool merged = std::ranges::any_of(
        whole, [](const FrameName& frame) { return !frame.given.empty(); });
    return merged && matches(true);
  }
  const FrameName& last = own[0];
  if (!text_.starts_with(kRegexPrefix) &&
      (IsSpelled(last.domain, last.name, text_) ||
       IsSpelled(last.domain, GivenName(last), text_)))
    return true;
  return MatchesSteps(is_path_ ? path : own);
}

Result<std::vector<Pattern>> ParsePatterns(std::span<const std::string> texts) {
  std::vector<Pattern> patterns;
  for (const std::string& text : texts)
    patterns.push_back(TRY(Pattern::Parse(text)));
  return patterns;
}

bool AnyMatches(std::span<const Pattern> patterns,
                std::span<const FrameName> path) {
  return std::ranges::any_of(
      patterns, [&](const Pattern& pattern) { return pattern.Matches(path); });
}

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
    pattern.expression_ =
        TRY(CompileRegex("\\A(?:" + expression + ")\\z", text));
  return pattern;
}

Result<NamePattern> NamePattern::ParseRegex(std::string_view expression) {
  NamePattern pattern;
  pattern.text_ = std::string(kRegexPrefix).append(expression);
  pattern.is_regex_ = true;
  pattern.expression_ = TRY(CompileRegex(expression, pattern.text_));
  return pattern;
}

bool NamePattern::Matches(std::string_view name) const {
  if (!is_regex_ && name == text_) return true;
  if (expression_ == nullptr) return name == literal_;
  if (IsValidUtf8(name))
    return re2::RE2::PartialMatch({name.data(), name.size()}, *expression_);
  return re2::RE2::PartialMatch(ValidUtf8(name), *expression_);
}

}  // namespace rangefinder
