#include "region/nvtx_hints.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"
#include "region/pattern.h"

namespace rangefinder {
namespace {

using ncu::NvtxExpression;
using ncu::NvtxName;
using ncu::NvtxScope;
using ncu::NvtxStep;

constexpr std::size_t kMostExamples = 5;

std::string Quoted(std::string_view text) {
  return "'" + Printable(text) + "'";
}

// `domain@name` for people, without escapes.
std::string Shown(const KnownFrame& frame) {
  return frame.domain.empty() ? frame.name : frame.domain + "@" + frame.name;
}

std::string DomainShown(std::string_view domain) {
  return domain.empty() ? std::string("the default domain")
                        : "the domain " + Quoted(domain);
}

// `A > LLM@B` for people.
std::string Shown(const KnownPath& region) {
  std::string path;
  for (const KnownFrame& frame : region)
    path += (path.empty() ? "" : " > ") + Shown(frame);
  return path;
}

class Explainer {
 public:
  Explainer(const Profile& profile, NvtxScope scope)
      : profile_(profile), scope_(scope) {
    for (const Measurement& m : profile.measurements) Meet(m.nvtx);
    for (const RangeVisits& visits : profile.visits) Meet(visits.nvtx);
  }

  // Whether any range was open at a launch; adds a hint if not.
  bool HasRanges() {
    if (!ranges_.empty()) return true;
    Say("no NVTX range was open at any launch of this capture: the program "
        "opens none around its kernels, or it was recorded without NVTX");
    return false;
  }

  const std::vector<KnownFrame>& ranges() const { return ranges_; }
  std::vector<std::string> Finish() && { return std::move(hints_); }

  void Say(const std::string& hint) { AddOnce(hints_, hint); }

  // Adds a hint with `reason` and `expression` if the expression selects
  // something.
  void Propose(const std::string& reason, const std::string& expression) {
    const std::size_t count = Count(expression, scope_);
    if (count == 0) return;
    Say(fmt::format("{}: write {} ({} measurement{})", reason,
                    Quoted(expression), count, count == 1 ? "" : "s"));
  }

  std::size_t Count(std::string_view text, NvtxScope scope) const {
    const auto expression = ncu::ParseNvtxExpression(text);
    if (!expression.ok()) return 0;
    return static_cast<std::size_t>(
        std::ranges::count_if(profile_.measurements, [&](const auto& m) {
          return Matches(expression.value(), profile_, m, scope);
        }));
  }

  // Adds a hint about a name that no range has.
  void ExplainName(const std::string& name, bool is_regex) {
    if (is_regex) {
      Say(fmt::format("no range has a name in which {} is found; there are: {}",
                      Quoted(name), Examples()));
      return;
    }
    const std::string trimmed(Trim(name));
    for (const KnownFrame& range : ranges_) {
      if (AsciiLower(range.name) == AsciiLower(name)) {
        Propose(fmt::format("case counts, and the range is called {}",
                            Quoted(range.name)),
                ExpressionFor(range));
        return;
      }
      if (Trim(range.name) == trimmed) {
        Propose(fmt::format("blanks count, and the range is called {}",
                            Quoted(range.name)),
                ExpressionFor(range));
        return;
      }
    }
    std::vector<std::string> names;
    for (const KnownFrame& range : ranges_) names.push_back(range.name);
    if (const auto meant = Nearest(name, names)) {
      Say(fmt::format("no range is called {}; did you mean {}?", Quoted(name),
                      Quoted(*meant)));
      return;
    }
    Say(fmt::format("no range is called {}; there are: {}", Quoted(name),
                    Examples()));
  }

  std::string Examples() const {
    std::vector<std::string> shown;
    for (const KnownFrame& range : ranges_)
      shown.push_back(Quoted(Shown(range)));
    return FirstListed(shown, kMostExamples);
  }

  // Examples of regions whose last frame satisfies `is`.
  std::string PathsTo(const std::function<bool(const KnownFrame&)>& is) const {
    std::vector<std::string> shown;
    for (const KnownPath& region : KnownRegions(profile_)) {
      if (shown.size() == kMostExamples) break;
      if (!is(region.back())) continue;
      shown.push_back(Quoted(Shown(region)));
    }
    return fmt::format("{}", fmt::join(shown, ", "));
  }

 private:
  void Meet(NvtxStateId id) {
    if (!met_.insert(id).second) return;
    const NvtxState& state = profile_.nvtx_states[Index(id)];
    const auto meet = [&](std::uint32_t domain, StringId name, FrameKind kind) {
      KnownFrame frame{
          .domain = std::string(profile_.Name(state.domains[domain].name)),
          .name = std::string(profile_.Name(name)),
          .kind = kind};
      if (known_.insert(frame).second) ranges_.push_back(std::move(frame));
    };
    for (const NvtxStack& stack : state.stacks) {
      for (const NvtxRange& range : stack.ranges)
        meet(stack.domain, range.name, FrameKind::kPushPop);
    }
    for (const NvtxStartEnd& open : state.start_end)
      meet(open.domain, open.range.name, FrameKind::kStartEnd);
  }

  const Profile& profile_;
  NvtxScope scope_;
  std::set<NvtxStateId> met_;
  std::set<KnownFrame> known_;
  std::vector<KnownFrame> ranges_;
  std::vector<std::string> hints_;
};

std::vector<NvtxName> NamesOf(const NvtxExpression& expression) {
  std::vector<NvtxName> names = expression.names;
  for (const NvtxStep& step : expression.steps) names.push_back(step.name);
  return names;
}

// Adds a hint about one name of an expression; false if the name is right.
bool ExplainNameOf(const NvtxExpression& expression, const NvtxName& name,
                   Explainer& say) {
  const FrameKind kind = expression.form == NvtxExpression::Form::kPushPop
                             ? FrameKind::kPushPop
                             : FrameKind::kStartEnd;
  const KnownFrame* other_domain = nullptr;
  const KnownFrame* other_kind = nullptr;
  for (const KnownFrame& range : say.ranges()) {
    if (!name.Matches(range.name)) continue;
    const bool in_domain = ncu::MatchesDomain(expression, range.domain);
    if (in_domain && range.kind == kind) return false;
    if (in_domain) other_kind = &range;
    if (!in_domain && (other_domain == nullptr || range.kind == kind))
      other_domain = &range;
  }
  if (other_kind != nullptr) {
    say.Propose(
        Quoted(other_kind->name) +
            (kind == FrameKind::kStartEnd
                 ? " is a push/pop range, and without / [ or ] ncu looks for a "
                   "start/end range"
                 : " is a start/end range, and with / [ or ] ncu looks for a "
                   "push/pop range"),
        ExpressionFor(*other_kind));
    return true;
  }
  if (other_domain != nullptr) {
    say.Propose(
        fmt::format("{} is in {}, and {}", Quoted(other_domain->name),
                    DomainShown(other_domain->domain),
                    expression.domain
                        ? Quoted(expression.domain->text()) + " is not that"
                        : "without @ ncu looks in the default domain only"),
        ExpressionFor(*other_domain));
    return true;
  }
  say.ExplainName(name.text(), name.is_regex());
  return true;
}

// Adds hints for the case that `text` is a user's pattern.
void ProposeTranslation(std::string_view text, const Profile& profile,
                        Explainer& say) {
  std::string pattern(text);
  if (pattern.ends_with('@')) pattern += '*';
  while (pattern.ends_with('/')) pattern.pop_back();
  const auto known = KnownRegions(profile);
  for (const std::string& one : SplitPatterns(pattern)) {
    const auto translation = TranslatePattern(one, &known);
    if (!translation.ok()) continue;
    const auto& expressions = translation.value().expressions;
    if (expressions.empty()) continue;
    std::vector<std::string> shown;
    for (const std::string& expression : expressions)
      shown.push_back(Quoted(expression));
    say.Say(fmt::format(
        "as a pattern of rangefinder's (without --native), {} means {}",
        Quoted(one), FirstListed(shown, kMostExamples)));
  }
}

void ExplainNesting(const NvtxExpression& expression, Explainer& say) {
  const std::vector<NvtxName> names = NamesOf(expression);
  if (names.empty()) return;
  if (expression.form == NvtxExpression::Form::kStartEnd) {
    say.Say("these ranges are never open at the same time");
    return;
  }
  say.Say(fmt::format("{} is never open in this position; it is at: {}",
                      Quoted(names.back().text()),
                      say.PathsTo([&](const KnownFrame& frame) {
                        return frame.kind == FrameKind::kPushPop &&
                               names.back().Matches(frame.name);
                      })));
}

}  // namespace

std::vector<std::string> ExplainExpression(std::string_view text,
                                           const Profile& profile,
                                           NvtxScope scope) {
  Explainer say(profile, scope);
  if (!say.HasRanges()) return std::move(say).Finish();
  if (text.find("regex:", 1) != std::string_view::npos &&
      !text.starts_with(kRegexPrefix)) {
    const std::size_t at = text.find(kRegexPrefix);
    std::string moved(kRegexPrefix);
    moved.append(text.substr(0, at))
        .append(text.substr(at + kRegexPrefix.size()));
    say.Propose("regex: belongs at the very beginning", moved);
  }
  const auto parsed = ncu::ParseNvtxExpression(text);
  if (parsed.ok()) {
    const NvtxExpression& expression = parsed.value();
    bool explained = false;
    for (const NvtxName& name : NamesOf(expression))
      explained = ExplainNameOf(expression, name, say) || explained;
    if (!explained && say.Count(text, NvtxScope::kProcess) > 0) {
      say.Say(
          "the range is open on another thread than the one that launches: "
          "pass --nvtx-push-pop-scope process, or use a start/end range");
    } else if (!explained) {
      ExplainNesting(expression, say);
    }
  } else if (text.starts_with(kRegexPrefix)) {
    const std::string_view regex = text.substr(kRegexPrefix.size());
    say.Propose(
        "a bracket at either end is read as the bottom or top of the "
        "stack",
        fmt::format("regex:({})", regex));
  }
  ProposeTranslation(text, profile, say);
  return std::move(say).Finish();
}

std::vector<std::string> ExplainPattern(std::string_view text,
                                        const Profile& profile) {
  Explainer say(profile, NvtxScope::kRecorded);
  if (!say.HasRanges()) return std::move(say).Finish();
  const auto pattern = Pattern::Parse(text);
  if (!pattern.ok()) return std::move(say).Finish();
  const FramePattern* last = nullptr;
  for (const auto& step : pattern.value().steps()) {
    if (step) last = &*step;
  }
  if (last != nullptr) {
    const auto is_called = [&](const KnownFrame& frame) {
      return last->name.Matches(frame.name);
    };
    const auto named = std::ranges::find_if(say.ranges(), is_called);
    if (named == say.ranges().end()) {
      say.ExplainName(last->name.text(), last->name.is_regex());
    } else if (last->domain &&
               !std::ranges::any_of(say.ranges(), [&](const KnownFrame& frame) {
                 return last->Matches({frame.domain, frame.name});
               })) {
      say.Say(fmt::format("{} is in {}, which {} does not match",
                          Quoted(named->name), DomainShown(named->domain),
                          Quoted(last->domain->text())));
    } else {
      say.Say(fmt::format("no region has this path; there are: {}",
                          say.PathsTo(is_called)));
    }
  }
  const std::size_t native = say.Count(text, NvtxScope::kRecorded);
  if (native > 0) {
    say.Say(
        fmt::format("read as ncu's own language it selects {} "
                    "measurements: pass --native",
                    native));
  }
  return std::move(say).Finish();
}

std::optional<std::string> ExplainLeftOut(const Pattern& pattern,
                                          const Selection& selection,
                                          const Profile& profile) {
  std::optional<std::string> pruned;
  for (const KnownPath& region : KnownRegions(profile)) {
    std::vector<FrameName> path;
    const Pattern* exclude = nullptr;
    bool included = false;
    for (const KnownFrame& frame : region) {
      path.push_back({.domain = frame.domain, .name = frame.name});
      if (!frame.shown.empty())
        path.back() = {frame.domain, frame.shown, frame.name};
      included = included || pattern.Matches(path);
      const auto at = std::ranges::find_if(
          selection.exclude(),
          [&](const Pattern& one) { return one.Matches(path); });
      if (exclude == nullptr && at != selection.exclude().end()) exclude = &*at;
    }
    if (!included) continue;
    if (exclude != nullptr)
      return fmt::format("{} leaves {} out: it has {}",
                         selection.KeyOfExclude(*exclude),
                         Quoted(Shown(region)), Quoted(exclude->text()));
    if (!pruned)
      pruned = "regions.domains or regions.start_end leaves ranges out of " +
               Quoted(Shown(region));
  }
  return pruned;
}

}  // namespace rangefinder
