#include "region/pattern.h"

#include <algorithm>

#include "region/tree.h"

namespace rangefinder {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// `domain@name`, or a name alone, each half as `parse` reads it. A regular
// expression whose @ is in the middle of a group has no halves, and is not
// understood here.
Result<FramePattern> ParseFrame(
    std::string_view text, Result<NamePattern> (*parse)(std::string_view)) {
  const std::size_t at = FindUnescaped(text, '@');
  std::optional<NamePattern> domain;
  if (at != kNone) {
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

}  // namespace

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
    if (FindUnescaped(expression, '/') == kNone) {
      Result<FramePattern> frame =
          ParseFrame(expression, NamePattern::ParseRegex);
      if (frame.ok()) {
        pattern.steps_.emplace_back(std::move(frame).value());
        return pattern;
      }
    }
    pattern.is_path_ = FindUnescaped(expression, '/') != kNone;
    pattern.whole_ = TRY(NamePattern::ParseRegex(expression));
    pattern.whole_with_domains_ = FindUnescaped(expression, '@') != kNone;
    return pattern;
  }
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t slash =
        std::min(FindUnescaped(text, '/', from), text.size());
    const std::string_view step = text.substr(from, slash - from);
    const bool outermost = from == 0 || slash == text.size();
    from = slash + 1;
    if (slash < text.size()) pattern.is_path_ = true;
    // ncu's users end a name with /; a leading one says that a path begins.
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
  // reached[i]: the steps so far can stand for the first i frames.
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
  const FrameName unattributed{.name = RegionTree::kUnattributed};
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

}  // namespace rangefinder
