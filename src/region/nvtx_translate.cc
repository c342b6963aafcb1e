#include "region/nvtx_translate.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "region/nvtx_expression.h"

namespace rangefinder {
namespace {

// More expressions than these are said as regular expressions instead: ncu
// tries each of them at every call of the program.
constexpr std::size_t kMostExpressions = 64;

constexpr std::string_view kRangeSigns = "@,[]/*+\\";

// `text` for a regular expression of ncu's, whose own punctuation is read
// before the expression is: a dot stands for what may not be written.
std::string QuoteForRegex(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    const bool special =
        kRangeSigns.find(c) != std::string_view::npos ||
        std::string_view("^$.?(){}|").find(c) != std::string_view::npos;
    quoted += special ? '.' : c;
  }
  return quoted;
}

// The glob that means `name` and nothing else.
std::string EscapeGlob(std::string_view name) {
  std::string glob;
  for (const char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos)
      glob += '\\';
    glob += c;
  }
  return glob;
}

// A name pattern as a regular expression over the whole name, or as the user's
// own one.
std::string NameRegex(const NamePattern& pattern) {
  const std::string_view text = pattern.text();
  if (pattern.is_regex()) {
    const std::string_view own = text.substr(kRegexPrefix.size());
    // A bracket at either end would be the bottom or top of the stack.
    if (own.starts_with('[') || own.ends_with(']'))
      return "(" + std::string(own) + ")";
    return std::string(own);
  }
  std::string regex = "^";
  for (const GlobPiece& piece : GlobPieces(text)) {
    switch (piece.kind) {
      case GlobPiece::Kind::kText:
        regex += QuoteForRegex(piece.text);
        break;
      case GlobPiece::Kind::kAnyText:
        regex += ".*";
        break;
      case GlobPiece::Kind::kOneCharacter:
        regex += '.';
        break;
      case GlobPiece::Kind::kSet:
        regex += piece.text;
        break;
    }
  }
  if (regex == "^.*") return ".*";
  return regex + '$';
}

class Translator {
 public:
  void Add(std::string expression) {
    auto& all = translation_.expressions;
    if (std::ranges::find(all, expression) == all.end())
      all.push_back(std::move(expression));
  }
  void Remark(std::string remark) {
    auto& all = translation_.remarks;
    if (std::ranges::find(all, remark) == all.end())
      all.push_back(std::move(remark));
  }
  NvtxTranslation Finish() && { return std::move(translation_); }

  // A name in a domain (none: in any), as both kinds of range.
  void AddName(const std::optional<NamePattern>& domain,
               const NamePattern& name) {
    const bool exact = name.is_exact();
    const bool in_default =
        !domain || domain->Matches("") || domain->Matches(kDefaultDomain);
    if (in_default) {
      AddBothKinds(exact ? EscapeNvtxName(name.literal())
                         : std::string(kRegexPrefix) + NameRegex(name));
    }
    if (domain && domain->is_exact()) {
      if (in_default) return;
      AddBothKinds(exact ? EscapeNvtxName(domain->literal()) + "@" +
                               EscapeNvtxName(name.literal())
                         : std::string(kRegexPrefix) + NameRegex(*domain) +
                               "@" + NameRegex(name));
      return;
    }
    AddBothKinds(std::string(kRegexPrefix) +
                 (domain ? NameRegex(*domain) : std::string(".+")) + "@" +
                 NameRegex(name));
  }

 private:
  void AddBothKinds(const std::string& names) {
    Add(names + "/");
    Add(names);
  }

  NvtxTranslation translation_;
};

void TranslateUnknown(const Pattern& pattern, Translator& to) {
  const auto steps = pattern.steps();
  if (steps.empty()) {
    to.Remark(fmt::format(
        "'{}' is a regular expression over whole paths, which ncu has no word "
        "for; every range is collected and the choice made afterwards",
        Printable(pattern.text())));
    for (std::string& any : AnyRange()) to.Add(std::move(any));
    return;
  }
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const auto& step) { return step; });
  if (last == steps.rend()) {
    for (std::string& any : AnyRange()) to.Add(std::move(any));
    return;
  }
  // The ranges around it may be of other domains, which an expression of ncu's
  // cannot speak of together; so the innermost name is asked for wherever it
  // is.
  to.AddName((*last)->domain, (*last)->name);
  // A region's name may be spelled like that.
  if (!pattern.text().starts_with(kRegexPrefix) &&
      pattern.text().find_first_of("/[") != std::string::npos) {
    if (const auto name = NamePattern::Parse(EscapeGlob(pattern.text()));
        name.ok())
      to.AddName(std::nullopt, name.value());
  }
}

std::vector<FrameName> Names(const KnownPath& region) {
  std::vector<FrameName> names;
  for (const KnownFrame& frame : region)
    names.push_back({.domain = frame.domain, .name = frame.name});
  return names;
}

std::string Prefix(const KnownFrame& frame) {
  if (frame.domain.empty()) return "";
  return EscapeNvtxName(frame.domain) + "@";
}

}  // namespace

std::string EscapeNvtxName(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (kRangeSigns.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::vector<KnownPath> KnownRegions(const Profile& profile) {
  std::vector<KnownPath> regions;
  std::set<KnownPath> known;
  for (const Measurement& m : profile.measurements) {
    KnownPath region;
    for (const Frame& frame : PathOf(profile, m)) {
      region.push_back({.domain = std::string(profile.Name(frame.domain)),
                        .name = std::string(profile.Name(frame.name)),
                        .kind = frame.kind});
      if (known.insert(region).second) regions.push_back(region);
    }
  }
  return regions;
}

std::vector<std::string> SplitPatterns(std::string_view text) {
  std::vector<std::string> patterns;
  for (const std::string& part : Split(text, ';')) {
    const std::string_view trimmed = Trim(part);
    if (!trimmed.empty()) patterns.emplace_back(trimmed);
  }
  return patterns;
}

std::vector<std::string> AnyRange() {
  return {"regex:.+/", "regex:.+", "regex:.+@.+/", "regex:.+@.+"};
}

std::optional<std::string> ExpressionFor(const KnownPath& region) {
  if (region.empty() || region.back().name.empty()) return std::nullopt;
  const KnownFrame& own = region.back();
  if (own.kind == FrameKind::kStartEnd)
    return Prefix(own) + EscapeNvtxName(own.name);
  std::string names = "[";
  for (const KnownFrame& frame : region) {
    if (frame.kind != own.kind || frame.domain != own.domain) continue;
    if (frame.name.empty()) return std::nullopt;
    names += EscapeNvtxName(frame.name) + "/";
  }
  return Prefix(own) + names;
}

Result<NvtxTranslation> TranslatePattern(
    std::string_view text, const std::vector<KnownPath>* known) {
  const Pattern pattern = TRY(Pattern::Parse(text));
  Translator to;
  if (known == nullptr) {
    TranslateUnknown(pattern, to);
    return std::move(to).Finish();
  }
  std::set<std::string> expressions;
  std::vector<std::string> in_order;
  for (const KnownPath& region : *known) {
    if (!pattern.Matches(Names(region))) continue;
    std::optional<std::string> expression = ExpressionFor(region);
    const bool is_name =
        !pattern.is_path() || region.back().name == pattern.text();
    if (expression && is_name && region.back().kind == FrameKind::kPushPop) {
      // The name is meant wherever it stands.
      expression =
          Prefix(region.back()) + EscapeNvtxName(region.back().name) + "/";
    }
    if (!expression) {
      to.Remark("ncu cannot select a range with an empty name");
      continue;
    }
    if (expressions.insert(*expression).second)
      in_order.push_back(std::move(*expression));
  }
  if (in_order.size() > kMostExpressions) {
    TranslateUnknown(pattern, to);
  } else {
    for (std::string& expression : in_order) to.Add(std::move(expression));
  }
  return std::move(to).Finish();
}

Result<NvtxTranslation> TranslatePatterns(
    std::span<const std::string> patterns,
    const std::vector<KnownPath>* known) {
  Translator to;
  for (const std::string& pattern : patterns) {
    NvtxTranslation one = TRY(TranslatePattern(pattern, known));
    for (std::string& expression : one.expressions)
      to.Add(std::move(expression));
    for (std::string& remark : one.remarks) to.Remark(std::move(remark));
  }
  return std::move(to).Finish();
}

}  // namespace rangefinder
