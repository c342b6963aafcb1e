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

struct Glob {
  bool wild = false;      // anything but plain text in it
  std::string literal{};  // the name meant, when not
  std::string expression{};
};

Glob ParseGlob(std::string_view text) {
  Glob glob;
  const auto literally = [&](std::string_view part) {
    glob.literal += part;
    glob.expression += re2::RE2::QuoteMeta(std::string(part));
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i + 1;
    if (text[i] == '\\' && next < text.size()) {
      literally(text.substr(next, 1));
      ++next;
    } else if (text[i] == '*') {
      glob.wild = true;
      glob.expression += ".*";
    } else if (text[i] == '?') {
      glob.wild = true;
      glob.expression += '.';
    } else if (const std::size_t end = EndOfSet(text, i);
               text[i] == '[' && end != std::string_view::npos) {
      glob.wild = true;
      glob.expression += SetExpression(text.substr(i, end + 1 - i));
      next = end + 1;
    } else {
      // As long a run as there is, so that a character stays in one piece.
      while (next < text.size() && std::string_view("\\*?[").find(text[next]) ==
                                       std::string_view::npos) {
        ++next;
      }
      literally(text.substr(i, next - i));
    }
    i = next;
  }
  return glob;
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

Result<NamePattern> NamePattern::Parse(std::string_view text) {
  if (text.starts_with(kRegexPrefix))
    return ParseRegex(text.substr(kRegexPrefix.size()));
  NamePattern pattern;
  pattern.text_ = text;
  Glob glob = ParseGlob(text);
  pattern.literal_ = std::move(glob.literal);
  if (glob.wild) {
    pattern.expression_ =
        TRY(Compile("\\A(?:" + glob.expression + ")\\z", text));
  }
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
