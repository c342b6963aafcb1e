// Patterns over names and over paths of regions.
//
// Of one name (NamePattern):
//
//   saxpy              the name itself
//   decode_*  T?       a glob: `*` any text, `?` one character, `[a-z]`
//   `[!a-z]`
//                      one character of a set; `\` makes the next one ordinary
//   regex:RE           RE2 syntax, found anywhere in the name
//
// Of regions (Pattern, for regions.include and the like):
//
//   decode_*           a region whose own name matches, under any parent
//   LLM@decode_*       the same, in a domain; `@name`: in the default domain
//   A/A::A1            a whole path: a root region A, and A::A1 directly in it
//   A/**/attn          `**` stands for any number of frames, or none
//   regex:RE           found in the region's own name; with a domain before @
//   regex:^A/.*attn$   found in the whole path, its frames joined by /
//   encoder\/layer.0   \ makes / @ * ? [ \ part of the name
//
// Without a domain any domain matches. A name that is spelled exactly like the
// pattern always matches, so that a name copied from a report works. Case
// counts.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "region/path.h"

namespace re2 {
class RE2;
}

namespace rangefinder {

inline constexpr std::string_view kRegexPrefix = "regex:";

class NamePattern {
 public:
  // kUsage: the regular expression, or the set of a glob, is wrong.
  static Result<NamePattern> Parse(std::string_view text);
  // `expression` is without the prefix.
  static Result<NamePattern> ParseRegex(std::string_view expression);

  bool Matches(std::string_view name) const;

  // As written.
  const std::string& text() const { return text_; }
  bool is_regex() const { return is_regex_; }
  // Matches only the names `literal` and `text`.
  bool is_exact() const { return expression_ == nullptr; }
  const std::string& literal() const { return literal_; }

 private:
  std::string text_;
  std::string literal_;  // of an exact pattern, escapes resolved
  bool is_regex_ = false;
  std::shared_ptr<const re2::RE2> expression_;  // of all other patterns
};

// A regular expression for names, which may not be UTF-8. kUsage, naming
// `text`: it is wrong.
Result<std::shared_ptr<const re2::RE2>> CompileRegex(
    std::string_view expression, std::string_view text);

// A part of a glob, for translation into another language.
struct GlobPiece {
  enum class Kind { kText, kAnyText /* * */, kOneCharacter /* ? */, kSet };

  Kind kind = Kind::kText;
  // kText: the text, escapes resolved; kSet: a regular expression's [set].
  std::string text{};
};
std::vector<GlobPiece> GlobPieces(std::string_view text);

// A step of a path as text. The views are into the profile.
struct FrameName {
  std::string_view domain{};  // empty: the default domain
  std::string_view name{};
  // The name that the program gave, if `name` is merged; else empty. Patterns
  // match either.
  std::string_view given{};

  friend bool operator==(const FrameName&, const FrameName&) = default;
};
std::vector<FrameName> FrameNames(const Profile& profile,
                                  std::span<const Frame> path);

// The name by which users may write the default domain; they may also write
// nothing.
inline constexpr std::string_view kDefaultDomain = "<default domain>";

// One step of a pattern: a name, in one domain or in any.
struct FramePattern {
  std::optional<NamePattern> domain{};
  NamePattern name;

  bool Matches(const FrameName& frame) const;
};

class Pattern {
 public:
  // kUsage: the text is empty, or its regular expression is wrong.
  static Result<Pattern> Parse(std::string_view text);

  // Whether the region at the end of `path` matches. The empty path stands for
  // (unattributed), a region of that name.
  bool Matches(std::span<const FrameName> path) const;

  const std::string& text() const { return text_; }
  // Whether it matches whole paths instead of a region's own name.
  bool is_path() const { return is_path_; }
  // The steps, unless it is a regular expression for whole paths; an empty
  // optional is `**`.
  std::span<const std::optional<FramePattern>> steps() const { return steps_; }

 private:
  bool MatchesSteps(std::span<const FrameName> path) const;

  std::string text_;
  bool is_path_ = false;
  std::vector<std::optional<FramePattern>> steps_;
  std::optional<NamePattern> whole_;  // over the frames joined by /
  bool whole_with_domains_ = false;   // frames are written domain@name
};

// All patterns, or the first error.
Result<std::vector<Pattern>> ParsePatterns(std::span<const std::string> texts);

bool AnyMatches(std::span<const Pattern> patterns,
                std::span<const FrameName> path);

}  // namespace rangefinder
