#include "region/nvtx_match.h"

#include <algorithm>

#include "region/pattern.h"

namespace rangefinder::ncu {
namespace {

bool MatchesPushPop(const NvtxExpression& expression, const Profile& profile,
                    const Measurement& m, bool all_threads) {
  const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
  return std::ranges::any_of(state.stacks, [&](const NvtxStack& stack) {
    if (!all_threads && stack.thread != m.thread) return false;
    if (!MatchesDomain(expression,
                       profile.Name(state.domains[stack.domain].name)))
      return false;
    std::vector<std::string_view> names;
    for (const NvtxRange& range : stack.ranges)
      names.push_back(profile.Name(range.name));
    return MatchesStack(expression, names);
  });
}

bool MatchesStartEnd(const NvtxExpression& expression, const Profile& profile,
                     const Measurement& m) {
  const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
  const auto all_open_in = [&](std::uint32_t domain) {
    return std::ranges::all_of(expression.names, [&](const NvtxName& name) {
      return std::ranges::any_of(
          state.start_end, [&](const NvtxStartEnd& open) {
            return open.domain == domain &&
                   name.Matches(profile.Name(open.range.name));
          });
    });
  };
  for (std::uint32_t i = 0; i < state.domains.size(); ++i) {
    if (MatchesDomain(expression, profile.Name(state.domains[i].name)) &&
        all_open_in(i))
      return true;
  }
  return false;
}

}  // namespace

bool MatchesDomain(const NvtxExpression& expression, std::string_view domain) {
  if (!expression.domain) return domain.empty();
  return expression.domain->Matches(domain.empty() ? kDefaultDomain : domain);
}

bool MatchesStack(const NvtxExpression& expression,
                  std::span<const std::string_view> stack) {
  // Of a name that is open twice ncu knows the outer range only.
  std::vector<std::string_view> names;
  for (const std::string_view name : stack) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  using Gap = NvtxStep::Gap;
  const std::size_t n = names.size();
  // reached[i]: the steps so far can end with names[i].
  std::vector<bool> reached(n, false);
  Gap gap = Gap::kNone;
  for (std::size_t step = 0; step < expression.steps.size(); ++step) {
    const auto is_reachable = [&](std::size_t i) {
      if (step == 0) return i == 0 || !expression.bottom;
      if (gap == Gap::kNone) return i >= 1 && reached[i - 1];
      if (gap == Gap::kOneFrame) return i >= 2 && reached[i - 2];
      // After it; and an exact A/*/A is found in a stack with one A.
      const auto end = reached.begin() + static_cast<std::ptrdiff_t>(i) +
                       (expression.regex ? 0 : 1);
      return std::find(reached.begin(), end, true) != end;
    };
    std::vector<bool> next(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      next[i] =
          is_reachable(i) && expression.steps[step].name.Matches(names[i]);
    }
    reached = std::move(next);
    gap = expression.steps[step].gap;
  }
  if (expression.top) return n >= 1 && reached[n - 1];
  if (gap == Gap::kOneFrame) return n >= 2 && reached[n - 2];
  return std::ranges::find(reached, true) != reached.end();
}

bool Matches(const NvtxExpression& expression, const Profile& profile,
             const Measurement& m, NvtxScope scope) {
  if (expression.form == NvtxExpression::Form::kStartEnd)
    return MatchesStartEnd(expression, profile, m);
  const bool all_threads = scope == NvtxScope::kProcess ||
                           (scope == NvtxScope::kRecorded &&
                            profile.nvtx_states[Index(m.nvtx)].process_scope);
  return MatchesPushPop(expression, profile, m, all_threads);
}

bool Selects(const NvtxFilter& filter, const Profile& profile,
             const Measurement& m, NvtxScope scope) {
  const auto any = [&](const std::vector<NvtxExpression>& expressions) {
    return std::ranges::any_of(expressions, [&](const auto& expression) {
      return Matches(expression, profile, m, scope);
    });
  };
  return (filter.include.empty() || any(filter.include)) &&
         !any(filter.exclude);
}

}  // namespace rangefinder::ncu
