#include "region/path.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "base/text.h"

namespace rangefinder {
namespace {

// Ranges whose order among themselves is settled; merged with others by the
// heads. Of a stack that is the order of nesting, whatever the keys say.
struct Queue {
  FrameKind kind = FrameKind::kPushPop;
  std::uint64_t domain_id = 0;
  StringId domain{};
  std::uint64_t thread = 0;
  std::vector<const NvtxRange*> ranges{};
  std::size_t next = 0;

  const NvtxRange& head() const { return *ranges[next]; }
  bool done() const { return next == ranges.size(); }
};

// A step of splitmix64.
std::uint64_t Mix(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) + 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBU;
  return hash ^ hash >> 31;
}

// 64 bits for what tells one execution of a range from another.
std::uint64_t Execution(std::uint64_t thread, const NvtxRange& range,
                        FrameKind kind, std::size_t depth) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t part) { hash = Mix(hash, part); };
  mix(kind == FrameKind::kStartEnd ? 1 : 2);
  // A start/end range has an id of its own; a push/pop range is known by its
  // thread, its place in the stack and the last call before it.
  if (kind == FrameKind::kStartEnd) {
    mix(range.id);
  } else {
    mix(thread);
    mix(depth);
  }
  mix(range.order);
  return hash;
}

// What is opened earlier sorts lower (docs/attribution.md, rule 2).
auto HeadKey(const Queue& queue) {
  return std::make_tuple(queue.head().order,
                         queue.kind == FrameKind::kStartEnd ? 0 : 1,
                         queue.domain_id, queue.head().id);
}

bool Counts(const NvtxState& state, std::uint64_t thread,
            const Measurement& m) {
  return state.process_scope || thread == m.thread;
}

}  // namespace

std::string FrameText(const Profile& profile, const Frame& frame) {
  const std::string name(profile.Name(frame.name));
  if (frame.domain == StringId{}) return name;
  return std::string(profile.Name(frame.domain)) + "@" + name;
}

std::string PathText(const Profile& profile, std::span<const Frame> path) {
  std::string text;
  for (const Frame& frame : path) {
    if (!text.empty()) text += '/';
    text += FrameText(profile, frame);
  }
  return text;
}

std::string RegionLabel(const Profile& profile, std::span<const Frame> path) {
  return Printable(PathText(profile, path));
}

std::vector<Frame> GivenPathOf(const Profile& profile, const Measurement& m,
                               bool start_end) {
  const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
  std::vector<Frame> path;
  std::vector<Queue> queues;
  std::vector<const NvtxStartEnd*> foreign;
  if (start_end) {
    for (const NvtxStartEnd& open : state.start_end) {
      // The id of a call on another thread says nothing about this thread's
      // order; a time stamp does.
      if (state.order == NvtxState::Order::kLastApiCall &&
          open.thread != m.thread) {
        foreign.push_back(&open);
        continue;
      }
      const NvtxDomain& domain = state.domains[open.domain];
      queues.push_back({.kind = FrameKind::kStartEnd,
                        .domain_id = domain.id,
                        .domain = domain.name,
                        .ranges = {&open.range}});
    }
  }
  std::ranges::sort(foreign, [](const NvtxStartEnd* a, const NvtxStartEnd* b) {
    return a->range.id < b->range.id;
  });
  for (const NvtxStartEnd* open : foreign) {
    path.push_back({.domain = state.domains[open->domain].name,
                    .name = open->range.name,
                    .kind = FrameKind::kStartEnd,
                    .execution = Execution(open->thread, open->range,
                                           FrameKind::kStartEnd, 0),
                    .given = open->range.name});
  }
  for (const NvtxStack& stack : state.stacks) {
    if (!Counts(state, stack.thread, m) || stack.ranges.empty()) continue;
    Queue& queue = queues.emplace_back();
    queue.domain_id = state.domains[stack.domain].id;
    queue.domain = state.domains[stack.domain].name;
    queue.thread = stack.thread;
    for (const NvtxRange& range : stack.ranges) queue.ranges.push_back(&range);
  }
  while (true) {
    Queue* first = nullptr;
    for (Queue& queue : queues) {
      if (queue.done()) continue;
      if (first == nullptr || HeadKey(queue) < HeadKey(*first)) first = &queue;
    }
    if (first == nullptr) return path;
    const NvtxRange& range = first->head();
    path.push_back(
        {.domain = first->domain,
         .name = range.name,
         .kind = first->kind,
         .execution = Execution(first->thread, range, first->kind, first->next),
         .given = range.name,
         .open_ns = range.close_ns != 0 ? range.order : 0,
         .close_ns = range.close_ns});
    ++first->next;
  }
}

std::vector<Frame> PathOf(const Profile& profile, const Measurement& m,
                          bool start_end) {
  if (profile.merged.empty()) return GivenPathOf(profile, m, start_end);
  // The names are merged by all that is open around them.
  std::vector<Frame> path = GivenPathOf(profile, m);
  MergedNames::Node node = 0;
  for (Frame& frame : path) {
    const auto step = profile.merged.Find(
        {.parent = node, .domain = frame.domain, .name = frame.name});
    if (!step) break;  // not seen when it was decided
    frame.name = step->shown;
    // Two names are two executions, whatever was called between them.
    if (frame.is_merged())
      frame.execution = Mix(frame.execution, Index(frame.given));
    node = step->node;
  }
  if (!start_end) {
    std::erase_if(path, [](const Frame& frame) {
      return frame.kind == FrameKind::kStartEnd;
    });
  }
  return path;
}

}  // namespace rangefinder
