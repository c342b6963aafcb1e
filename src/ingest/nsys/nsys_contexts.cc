#include "ingest/nsys/nsys_contexts.h"

#include <algorithm>
#include <unordered_map>

#include "profile/range_depth.h"

namespace rangefinder {
namespace {

using Open = std::vector<std::uint32_t>;  // indices of ranges, outermost first

class Contexts {
 public:
  Contexts(Profile& profile, const std::vector<TracedRange>& ranges,
           const DomainNames& domains)
      : profile_(profile),
        ranges_(ranges),
        domains_(domains),
        seen_(ranges.size(), false) {}

  // The state of one launch: `own` has the push/pop ranges of its thread,
  // `shared` the start/end ranges of its process.
  NvtxStateId Find(const Open& own, const Open& shared) {
    if (own.empty() && shared.empty()) return NvtxStateId{};
    key_.assign(1, static_cast<std::uint32_t>(own.size()));
    key_.insert(key_.end(), own.begin(), own.end());
    key_.insert(key_.end(), shared.begin(), shared.end());
    const auto [known, is_new] = states_.emplace(
        key_, static_cast<NvtxStateId>(profile_.nvtx_states.size()));
    if (is_new) profile_.nvtx_states.push_back(Make(own, shared));
    return known->second;
  }

  // Counts a range that is too deep to have a level.
  void LeaveOut(std::uint32_t index) {
    seen_[index] = true;
    ++too_deep_;
  }

  UnshownRanges unshown() const {
    return {.open_at_no_launch =
                static_cast<std::uint64_t>(std::ranges::count(seen_, false)),
            .too_deep = too_deep_};
  }

 private:
  NvtxState Make(const Open& own, const Open& shared) {
    NvtxState state{.order = NvtxState::Order::kTime};
    for (const std::uint32_t index : own) {
      const TracedRange& open = ranges_[index];
      seen_[index] = true;
      const std::uint32_t domain = FindOrAddDomain(state, open);
      auto stack = std::ranges::find(state.stacks, domain, &NvtxStack::domain);
      if (stack == state.stacks.end()) {
        state.stacks.push_back({.domain = domain, .thread = open.thread.tid()});
        stack = state.stacks.end() - 1;
      }
      stack->ranges.push_back(open.range);
    }
    for (const std::uint32_t index : shared) {
      const TracedRange& open = ranges_[index];
      seen_[index] = true;
      state.start_end.push_back({.domain = FindOrAddDomain(state, open),
                                 .thread = open.thread.tid(),
                                 .range = open.range});
    }
    return state;
  }

  std::uint32_t FindOrAddDomain(NvtxState& state, const TracedRange& open) {
    const auto known =
        std::ranges::find(state.domains, open.domain, &NvtxDomain::id);
    const auto index =
        static_cast<std::uint32_t>(known - state.domains.begin());
    if (known != state.domains.end()) return index;
    const auto name = domains_.find({open.thread.process(), open.domain});
    state.domains.push_back(
        {.id = open.domain,
         .name = name == domains_.end() ? StringId{} : name->second});
    return index;
  }

  Profile& profile_;
  const std::vector<TracedRange>& ranges_;
  const DomainNames& domains_;
  std::vector<bool> seen_;
  std::uint64_t too_deep_ = 0;
  std::map<Open, NvtxStateId> states_;
  Open key_;
};

}  // namespace

UnshownRanges AttachContexts(Profile& profile, std::vector<TracedRange> ranges,
                             std::vector<TracedLaunch> launches,
                             const DomainNames& domains) {
  // Of two ranges opened at the same moment, the longer range is the outer one.
  std::ranges::stable_sort(ranges, [](const auto& a, const auto& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::ranges::stable_sort(launches, {}, &TracedLaunch::time);

  Contexts contexts(profile, ranges, domains);
  std::unordered_map<std::uint64_t, Open> by_thread;
  std::unordered_map<std::uint64_t, Open> by_process;
  for (const TracedLaunch& launch : launches) by_thread[launch.thread.id];
  const auto close_until = [&](Open& open, std::int64_t time) {
    std::erase_if(
        open, [&](std::uint32_t index) { return ranges[index].end <= time; });
  };
  const auto put = [&](std::uint32_t index, Open& open) {
    const TracedRange& opened = ranges[index];
    if (open.size() >= kDeepestOfOneName) close_until(open, opened.start);
    const bool too_deep = IsTooDeep(open, [&](std::uint32_t other) {
      return ranges[other].domain == opened.domain &&
             ranges[other].range.name == opened.range.name;
    });
    if (too_deep)
      contexts.LeaveOut(index);
    else
      open.push_back(index);
  };
  std::uint32_t next = 0;
  for (const TracedLaunch& launch : launches) {
    for (; next < ranges.size() && ranges[next].start <= launch.time; ++next) {
      const TracedRange& opened = ranges[next];
      if (opened.kind == FrameKind::kStartEnd) {
        put(next, by_process[opened.thread.process()]);
      } else if (const auto of = by_thread.find(opened.thread.id);
                 of != by_thread.end()) {
        put(next, of->second);
      }
    }
    Open& own = by_thread[launch.thread.id];
    Open& shared = by_process[launch.thread.process()];
    close_until(own, launch.time);
    close_until(shared, launch.time);
    profile.measurements[Index(launch.measurement)].nvtx =
        contexts.Find(own, shared);
  }
  return contexts.unshown();
}

}  // namespace rangefinder
