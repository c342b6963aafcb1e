#include "ingest/ncu/ncu_depth.h"

#include <algorithm>
#include <vector>

namespace rangefinder {
namespace {

// Keeps those of `all` that have a level, in order. `name_of`: what tells
// whether two are alike.
template <typename Range, typename NameOf>
std::uint64_t KeepLevels(std::vector<Range>& all, NameOf name_of) {
  std::vector<Range> kept;
  for (Range& range : all) {
    const auto name = name_of(range);
    if (!IsTooDeep(kept,
                   [&](const Range& other) { return name_of(other) == name; }))
      kept.push_back(std::move(range));
  }
  const std::uint64_t left_out = all.size() - kept.size();
  all = std::move(kept);
  return left_out;
}

}  // namespace

void NcuDepth::LeaveOut(NvtxState& state) {
  std::uint64_t left_out = 0;
  for (NvtxStack& stack : state.stacks) {
    if (stack.ranges.size() <= kDeepestOfOneName) continue;
    std::map<Name, std::uint64_t> open;
    for (const NvtxRange& range : stack.ranges)
      ++open[{FrameKind::kPushPop, stack.thread,
              state.domains[stack.domain].name, range.name}];
    See(open);
    left_out += KeepLevels(stack.ranges,
                           [](const NvtxRange& range) { return range.name; });
  }
  if (state.start_end.size() > kDeepestOfOneName) {
    std::map<Name, std::uint64_t> open;
    for (const NvtxStartEnd& range : state.start_end)
      ++open[{FrameKind::kStartEnd, 0, state.domains[range.domain].name,
              range.range.name}];
    See(open);
    // Ids count up.
    std::ranges::stable_sort(state.start_end, {},
                             [](const auto& one) { return one.range.id; });
    left_out += KeepLevels(state.start_end, [](const NvtxStartEnd& one) {
      return std::pair(one.domain, one.range.name);
    });
  }
  most_left_out_ = std::max(most_left_out_, left_out);
}

void NcuDepth::See(const std::map<Name, std::uint64_t>& open) {
  for (const auto& [name, count] : open) {
    if (count <= kDeepestOfOneName) continue;
    std::uint64_t& most = most_open_[name];
    most = std::max(most, count);
  }
}

void NcuDepth::Finish(Profile& profile, Notes& notes,
                      std::string_view where) const {
  LeakFinder leaks;
  for (const auto& [key, count] : most_open_) {
    const auto& [kind, thread, domain, name] = key;
    leaks.Add(kind, thread, domain, name, count);
  }
  leaks.Finish(profile, most_left_out_, true, notes, where);
}

}  // namespace rangefinder
