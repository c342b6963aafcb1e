#include "profile/measurement.h"

#include <algorithm>

namespace rangefinder {
namespace {

std::uint32_t DomainOf(NvtxState& state, StringId name) {
  const auto there = std::ranges::find(state.domains, name, &NvtxDomain::name);
  if (there != state.domains.end())
    return static_cast<std::uint32_t>(there - state.domains.begin());
  state.domains.push_back({.id = state.domains.size() + 1, .name = name});
  return static_cast<std::uint32_t>(state.domains.size() - 1);
}

}  // namespace

std::string_view KindName(MeasurementKind kind) {
  switch (kind) {
    case MeasurementKind::kKernel:
      return "kernel";
    case MeasurementKind::kGraph:
      return "graph";
    case MeasurementKind::kCommandList:
      return "cmdlist";
    case MeasurementKind::kRange:
      return "range";
  }
  return "kernel";
}

std::string_view ModeName(ReplayMode mode) {
  switch (mode) {
    case ReplayMode::kUnknown:
      return "unknown";
    case ReplayMode::kKernel:
      return "kernel";
    case ReplayMode::kApplication:
      return "application";
    case ReplayMode::kRange:
      return "range";
    case ReplayMode::kAppRange:
      return "app-range";
    case ReplayMode::kTrace:
      return "trace";
    case ReplayMode::kCounters:
      return "counters";
  }
  return "unknown";
}

NvtxStack& StackOf(NvtxState& state, StringId domain, std::uint64_t thread) {
  const std::uint32_t index = DomainOf(state, domain);
  const auto there = std::ranges::find_if(state.stacks, [&](const auto& stack) {
    return stack.domain == index && stack.thread == thread;
  });
  if (there != state.stacks.end()) return *there;
  return state.stacks.emplace_back(NvtxStack{index, thread, {}});
}

std::uint64_t OpenInside(NvtxState& state, const PathRange& range,
                         std::uint64_t thread) {
  std::uint64_t count = state.start_end.size() + 1;
  for (const NvtxStack& stack : state.stacks) count += stack.ranges.size();
  NvtxStack& stack = StackOf(state, range.domain, thread);
  const NvtxRange open{.name = range.name, .order = count, .id = count};
  if (range.kind == FrameKind::kStartEnd)
    state.start_end.push_back({stack.domain, thread, open});
  else
    stack.ranges.push_back(open);
  return count;
}

}  // namespace rangefinder
