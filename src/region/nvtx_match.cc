#include "region/nvtx_match.h"

#include <algorithm>

#include "region/pattern.h"

namespace rangefinder::ncu {
namespace {

// Whether steps[step...] can stand for stack[frame...], in one piece.
bool MatchesFrom(const NvtxExpression& expression, std::size_t step,
                 std::span<const std::string_view> stack, std::size_t frame) {
  // reached[i]: the steps so far end right before stack[i].
  std::vector<bool> reached(stack.size() + 1, false);
  reached[frame] = true;
  for (; step < expression.steps.size(); ++step) {
    const NvtxStep& wanted = expression.steps[step];
    if (wanted.kind == NvtxStep::Kind::kAnyFrames) {
      std::fill(std::ranges::find(reached, true), reached.end(), true);
      continue;
    }
    for (std::size_t i = stack.size(); i > 0; --i) {
      reached[i] =
          reached[i - 1] && (wanted.kind == NvtxStep::Kind::kOneFrame ||
                             wanted.name.Matches(stack[i - 1]));
    }
    reached[0] = false;
  }
  if (expression.top) return reached.back();
  return std::ranges::find(reached, true) != reached.end();
}

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
  const std::size_t last_start = expression.bottom ? 0 : stack.size();
  for (std::size_t frame = 0; frame <= last_start; ++frame) {
    if (MatchesFrom(expression, 0, stack, frame)) return true;
  }
  return false;
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
