#include "region/nvtx_translate.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "region/nvtx_expression.h"

namespace rangefinder {
namespace {

// Beyond this number, regular expressions replace the expressions: ncu tries
// each expression at every call of the program.
constexpr std::size_t kMostExpressions = 64;

using ncu::kSigns;

// `text` as part of a regular expression. A backslash escapes a sign both for
// ncu, which cuts the text at signs, and for the regular expression.
std::string QuoteForRegex(std::string_view text) {
  return Backslashed(text, std::string(kSigns) + "\\^$.?(){}|");
}

// `regex`, a regular expression or a set in it, with the signs escaped at which
// ncu would cut it. Brackets and quantifiers keep their meaning.
std::string EscapeCuts(std::string_view regex) {
  std::string escaped;
  bool in_braces = false;  // {1,2} may not be written {1\,2}
  for (std::size_t i = 0; i < regex.size(); ++i) {
    if (regex[i] == '\\' && i + 1 < regex.size()) {
      escaped += regex[i++];
    } else if (regex[i] == '{' || regex[i] == '}') {
      in_braces = regex[i] == '{';
    } else if (regex[i] == '@' || regex[i] == '/' ||
               (regex[i] == ',' && !in_braces)) {
      escaped += '\\';
    }
    escaped += regex[i];
  }
  return escaped;
}

bool HasPlainComma(std::string_view regex) {
  for (std::size_t i = 0; i < regex.size(); ++i) {
    if (regex[i] == ',') return true;
    if (regex[i] == '\\') ++i;
  }
  return false;
}

// Whether an exact expression can express `name`. A backslash in the name must
// not escape a sign behind it, or the / at the end.
bool CanBeExact(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '\\') continue;
    if (i + 1 == name.size() || name[i + 1] == '\\' ||
        kSigns.find(name[i + 1]) != std::string_view::npos)
      return false;
  }
  return !name.empty();
}

// [domain@]names as an exact expression if possible, else as anchored regular
// expressions. `names` of push/pop ranges are joined by /.
std::string Spell(std::span<const KnownFrame* const> frames, bool from_bottom) {
  const std::string_view domain = frames[0]->domain;
  const FrameKind kind = frames[0]->kind;
  bool exact = domain.empty() || CanBeExact(domain);
  for (const KnownFrame* frame : frames)
    exact = exact && frame->regex.empty() && CanBeExact(frame->name);
  // An exact expression cannot begin with `regex:`.
  exact =
      exact &&
      !(domain.empty() ? frames[0]->name : domain).starts_with(kRegexPrefix);
  std::string text(exact ? std::string_view() : kRegexPrefix);
  const auto add = [&](std::string_view name) {
    text += exact ? Backslashed(name, kSigns) : "^" + QuoteForRegex(name) + "$";
  };
  if (!domain.empty()) {
    add(domain);
    text += '@';
  }
  if (from_bottom) text += '[';
  for (const KnownFrame* frame : frames) {
    if (frame->regex.empty())
      add(frame->name);
    else
      text += frame->regex;
    if (kind == FrameKind::kPushPop) text += '/';
  }
  return text;
}

// A name pattern as a regular expression: for the whole name, or the user's
// own.
std::string NameRegex(const NamePattern& pattern) {
  const std::string_view text = pattern.text();
  if (pattern.is_regex()) {
    const std::string own = EscapeCuts(text.substr(kRegexPrefix.size()));
    // At either end, a bracket would mean the bottom or the top of the stack.
    if (own.starts_with('[') || own.ends_with(']')) return "(" + own + ")";
    return own.empty() ? ".*" : own;
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
        regex += EscapeCuts(piece.text);
        break;
    }
  }
  if (regex == "^.*") return ".*";
  return regex + '$';
}

class Translator {
 public:
  // Drops an expression that ncu refuses, which would end the run.
  void Add(const std::string& expression) {
    const auto parsed = ncu::ParseNvtxExpression(expression);
    if (!parsed.ok()) {
      Remark("cannot be said in ncu's language: " + parsed.error().message());
      return;
    }
    AddOnce(translation_.expressions, expression);
  }
  void Remark(const std::string& remark) {
    AddOnce(translation_.remarks, remark);
  }
  NvtxTranslation Finish() && { return std::move(translation_); }

  // Adds a name in a domain (none: in any), as both kinds of range.
  void AddName(const std::optional<NamePattern>& domain,
               const NamePattern& name) {
    const bool in_default =
        domain && domain->is_exact() &&
        (domain->literal().empty() || domain->literal() == kDefaultDomain);
    if (name.is_exact() && domain && domain->is_exact()) {
      for (const FrameKind kind : {FrameKind::kPushPop, FrameKind::kStartEnd}) {
        Add(ExpressionFor({.domain = in_default ? "" : domain->literal(),
                           .name = name.literal(),
                           .kind = kind}));
      }
      return;
    }
    // In a regular expression, `.*@` includes the default domain.
    std::string text(kRegexPrefix);
    if (!domain) {
      text += ".*@";
    } else if (!in_default) {
      text += NameRegex(*domain) + "@";
    }
    const std::string names = NameRegex(name);
    text += names;
    Add(text + "/");
    if (HasPlainComma(names)) {
      Remark(
          fmt::format("'{}' cannot be said of start/end ranges, where ncu "
                      "cuts names at the comma",
                      Printable(name.text())));
    } else {
      Add(text);
    }
  }

 private:
  NvtxTranslation translation_;
};

void TranslateUnknown(const Pattern& pattern, NvtxPurpose purpose,
                      Translator& to) {
  const auto steps = pattern.steps();
  if (purpose == NvtxPurpose::kExclude &&
      (pattern.is_path() || steps.empty())) {
    to.Remark(fmt::format(
        "'{}' speaks of a path, which ncu cannot be asked to leave out; "
        "regions.exclude leaves it out of the report",
        Printable(pattern.text())));
    return;
  }
  if (steps.empty()) {
    to.Remark(fmt::format(
        "'{}' is a regular expression over whole paths, which ncu has no word "
        "for; every range is collected and the choice made afterwards",
        Printable(pattern.text())));
  }
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const auto& step) { return step; });
  if (last == steps.rend()) {
    for (const std::string& any : AnyRange()) to.Add(any);
    return;
  }
  // The outer ranges may be of other domains, which one expression cannot
  // combine, so the innermost name is selected wherever it is open.
  to.AddName((*last)->domain, (*last)->name);
  // The pattern may also be the exact name of a region.
  if (!pattern.text().starts_with(kRegexPrefix) &&
      pattern.text().find_first_of("/[\\") != std::string::npos) {
    if (const auto name =
            NamePattern::Parse(Backslashed(pattern.text(), "*?[\\"));
        name.ok())
      to.AddName(std::nullopt, name.value());
  }
}

std::vector<FrameName> FrameNames(const KnownPath& region) {
  std::vector<FrameName> names;
  for (const KnownFrame& frame : region) {
    if (frame.shown.empty()) {
      names.push_back({.domain = frame.domain, .name = frame.name});
    } else {
      names.push_back(
          {.domain = frame.domain, .name = frame.shown, .given = frame.name});
    }
  }
  return names;
}

// The region to select. If the pattern matches a merged name: all merged
// ranges, whatever their names in the next run.
KnownPath AskedFor(const Pattern& pattern, const KnownPath& region) {
  std::vector<FrameName> names = FrameNames(region);
  for (FrameName& frame : names) frame.given = {};
  if (!pattern.Matches(names)) return region;
  KnownPath asked = region;
  for (KnownFrame& frame : asked) {
    if (!frame.shown.empty())
      frame =
          MergedFrame(frame.domain, frame.shown, frame.kind, {&frame.name, 1});
  }
  return asked;
}

}  // namespace

KnownFrame MergedFrame(std::string_view domain, std::string_view shown,
                       FrameKind kind, std::span<const std::string> names) {
  KnownFrame frame{
      .domain = std::string(domain), .kind = kind, .shown = std::string(shown)};
  const auto expression = [&](std::string_view any) {
    std::string regex = "^";
    std::size_t from = 0;
    for (std::size_t star = shown.find('*'); star != shown.npos;
         star = shown.find('*', from)) {
      regex += QuoteForRegex(shown.substr(from, star - from));
      regex += any;
      from = star + 1;
    }
    return regex + QuoteForRegex(shown.substr(from)) + '$';
  };
  frame.regex = expression("[0-9]+");
  // A name may have a * itself, and a pattern may merge more than digits.
  const auto name = ncu::NvtxName::Regex(frame.regex);
  if (!name.ok() || !std::ranges::all_of(names, [&](const std::string& one) {
        return name.value().Matches(one);
      }))
    frame.regex = expression(".*");
  return frame;
}

std::vector<KnownPath> KnownRegions(const Profile& profile) {
  std::vector<KnownPath> regions;
  std::set<KnownPath> known;
  std::set<std::pair<NvtxStateId, std::uint64_t>> met;
  for (const Measurement& m : profile.measurements) {
    if (!met.insert({m.nvtx, m.thread}).second) continue;
    KnownPath region;
    for (const Frame& frame : PathOf(profile, m)) {
      region.push_back({.domain = std::string(profile.Name(frame.domain)),
                        .name = std::string(profile.Name(frame.given)),
                        .kind = frame.kind});
      if (frame.is_merged()) region.back().shown = profile.Name(frame.name);
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
  return {"regex:.*@.*/", "regex:.*@.*"};
}

std::string ExpressionFor(const KnownFrame& range) {
  const KnownFrame* const frames[] = {&range};
  return Spell(frames, false);
}

std::optional<std::string> ExpressionFor(const KnownPath& region) {
  if (region.empty()) return std::nullopt;
  const KnownFrame& own = region.back();
  const auto nameless = [](const KnownFrame& frame) {
    return frame.name.empty() && frame.regex.empty();
  };
  if (nameless(own)) return std::nullopt;
  if (own.kind == FrameKind::kStartEnd) return ExpressionFor(own);
  std::vector<const KnownFrame*> frames;
  for (const KnownFrame& frame : region) {
    if (frame.kind != own.kind || frame.domain != own.domain) continue;
    if (nameless(frame)) return std::nullopt;
    // If a name is open twice, ncu knows the outer range only.
    if (std::ranges::none_of(
            frames, [&](const KnownFrame* outer) { return *outer == frame; }))
      frames.push_back(&frame);
  }
  return Spell(frames, true);
}

Result<NvtxTranslation> TranslatePattern(std::string_view text,
                                         const std::vector<KnownPath>* known,
                                         NvtxPurpose purpose) {
  const Pattern pattern = TRY(Pattern::Parse(text));
  Translator to;
  if (known == nullptr) {
    TranslateUnknown(pattern, purpose, to);
    return std::move(to).Finish();
  }
  std::set<std::string> expressions;
  std::vector<std::string> in_order;
  for (const KnownPath& region : *known) {
    if (!pattern.Matches(FrameNames(region))) continue;
    const KnownPath asked = AskedFor(pattern, region);
    const KnownFrame& own = asked.back();
    const bool is_name = !pattern.is_path() ||
                         region.back().name == pattern.text() ||
                         own.shown == pattern.text();
    const bool nameless = own.name.empty() && own.regex.empty();
    // A name is selected wherever it is open, also inside a range without a
    // name.
    std::optional<std::string> expression =
        is_name && !nameless ? ExpressionFor(own) : ExpressionFor(asked);
    if (!expression) {
      to.Remark("ncu cannot select a range with an empty name");
      continue;
    }
    if (expressions.insert(*expression).second)
      in_order.push_back(std::move(*expression));
  }
  if (in_order.size() > kMostExpressions) {
    TranslateUnknown(pattern, purpose, to);
  } else {
    for (const std::string& expression : in_order) to.Add(expression);
  }
  return std::move(to).Finish();
}

Result<NvtxTranslation> TranslatePatterns(std::span<const std::string> patterns,
                                          const std::vector<KnownPath>* known,
                                          NvtxPurpose purpose) {
  Translator to;
  for (const std::string& item : patterns) {
    for (const std::string& pattern : SplitPatterns(item)) {
      NvtxTranslation one = TRY(TranslatePattern(pattern, known, purpose));
      for (const std::string& expression : one.expressions) to.Add(expression);
      for (const std::string& remark : one.remarks) to.Remark(remark);
    }
  }
  return std::move(to).Finish();
}

}  // namespace rangefinder
