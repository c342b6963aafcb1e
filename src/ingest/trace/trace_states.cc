#include "ingest/trace/trace_states.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rangefinder {

// `frames`: the outermost first.
NvtxStateId TraceStates::Add(const std::vector<Open>& frames,
                             std::uint64_t thread) {
  if (frames.empty()) return {};
  NvtxState state{.order = NvtxState::Order::kTime};
  for (const Open& frame : frames) {
    const TraceLabel label = trace_.names.Label(frame.label);
    const std::uint32_t domain = DomainOf(state, label.domain);
    const NvtxRange range{
        .name = NameOf(label.string), .order = frame.order, .id = frame.id};
    if (frame.kind == FrameKind::kStartEnd) {
      state.start_end.push_back({domain, frame.thread, range});
      continue;
    }
    auto stack = std::ranges::find(state.stacks, domain, &NvtxStack::domain);
    if (stack == state.stacks.end()) {
      state.stacks.push_back({domain, thread, {}});
      stack = std::prev(state.stacks.end());
      stack->ranges.reserve(frames.size());
    }
    stack->ranges.push_back(range);
  }
  profile_.nvtx_states.push_back(std::move(state));
  return static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
}

StringId TraceStates::NameOf(std::uint32_t string) {
  const auto [name, is_new] = range_names_.try_emplace(string);
  if (is_new) name->second = profile_.strings.Intern(trace_.names.Text(string));
  return name->second;
}

std::uint32_t TraceStates::DomainOf(NvtxState& state, std::uint32_t domain) {
  const auto there = std::ranges::find(state.domains, domain, &NvtxDomain::id);
  if (there != state.domains.end())
    return static_cast<std::uint32_t>(there - state.domains.begin());
  state.domains.push_back(
      {domain, profile_.strings.Intern(trace_.names.DomainName(domain))});
  return static_cast<std::uint32_t>(state.domains.size() - 1);
}

NvtxStateId TraceStates::OfContext(std::uint32_t id) {
  contexts_.resize(regions_.contexts.size());
  std::optional<NvtxStateId>& state = contexts_[id];
  if (state) return *state;
  const TraceContext& context = regions_.contexts[id];
  frames_.clear();
  for (const std::uint32_t open : regions_.OpenIn(context)) {
    const TraceInstance& i = regions_.instances[open];
    frames_.push_back({i.label, i.kind, i.open_ns, i.id, i.thread});
  }
  state = Add(frames_, ThreadOf(context.row));
  return *state;
}

// A row has no times, so positions in the path serve as times of opening.
NvtxStateId TraceStates::OfRow(std::uint32_t id) {
  rows_.resize(regions_.rows.size());
  if (rows_[id]) return *rows_[id];
  std::vector<Open> frames;
  for (std::uint32_t row = id; !regions_.rows[row].root;
       row = regions_.rows[row].parent) {
    frames.push_back({.label = regions_.rows[row].label,
                      .kind = regions_.rows[row].kind,
                      .thread = ThreadOf(id)});
  }
  std::ranges::reverse(frames);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].order = i + 1;
    if (frames[i].kind == FrameKind::kStartEnd) frames[i].id = i + 1;
  }
  return *(rows_[id] = Add(frames, ThreadOf(id)));
}

}  // namespace rangefinder
