// The patterns of regions.include and its kin: which regions are meant.
//
//   decode_*           a region whose own name matches, under any parent
//   LLM@decode_*       the same, in a domain; `@name`: in the default domain
//   A/A::A1            a whole path: a root region A, and A::A1 directly in it
//   A/**/attn          `**` stands for any number of frames, none included
//   regex:RE           found in the region's own name; with a domain before @
//   regex:^A/.*attn$   found in the whole path, its frames joined by /
//   encoder\/layer.0   \ takes / @ * ? [ \ as part of the name
//
// Without a domain any domain matches. A region whose own name is spelled
// exactly like the pattern always matches, so a name copied from a report
// works whatever it contains. Name syntax: region/name_pattern.h.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "region/name_pattern.h"
#include "region/path.h"

namespace rangefinder {

// A step of a path as text; the views are the profile's.
struct FrameName {
  std::string_view domain{};  // empty: the default domain
  std::string_view name{};
  // What the program called it where `name` is of merged ranges: a pattern may
  // mean either. Empty where there is no such thing.
  std::string_view given{};

  friend bool operator==(const FrameName&, const FrameName&) = default;
};

std::vector<FrameName> FrameNames(const Profile& profile,
                                  std::span<const Frame> path);

// What users may call the default domain, besides nothing.
inline constexpr std::string_view kDefaultDomain = "<default domain>";

// One step of a pattern: a name, in a domain or in any.
struct FramePattern {
  std::optional<NamePattern> domain{};
  NamePattern name;

  bool Matches(const FrameName& frame) const;
};

class Pattern {
 public:
  // kUsage when it is empty or its regular expression is not one.
  static Result<Pattern> Parse(std::string_view text);

  // Whether the region at the end of `path` is meant. The empty path is
  // (unattributed), a region of that name.
  bool Matches(std::span<const FrameName> path) const;

  const std::string& text() const { return text_; }
  // Speaks of whole paths rather than of a region's own name.
  bool is_path() const { return is_path_; }
  // The steps of a pattern that is no regular expression over whole paths; an
  // empty optional is `**`.
  std::span<const std::optional<FramePattern>> steps() const { return steps_; }

 private:
  bool MatchesSteps(std::span<const FrameName> path) const;

  std::string text_;
  bool is_path_ = false;
  std::vector<std::optional<FramePattern>> steps_;
  std::optional<NamePattern> whole_;  // over the frames joined by /
  bool whole_with_domains_ = false;   // written domain@name in it
};

// All of them, or the first error.
Result<std::vector<Pattern>> ParsePatterns(std::span<const std::string> texts);

bool AnyMatches(std::span<const Pattern> patterns,
                std::span<const FrameName> path);

}  // namespace rangefinder
