#include "region/path.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// An open range with its domain and thread.
struct OpenRange {
  const NvtxRange* range = nullptr;
  const NvtxDomain* domain = nullptr;
  std::uint64_t thread = 0;
};

// Ranges in their final order, to be merged with other queues by their heads.
// The ranges of a stack are in the order of nesting, whatever their keys.
struct Queue {
  FrameKind kind = FrameKind::kPushPop;
  std::vector<OpenRange> ranges{};
  std::size_t next = 0;

  const OpenRange& head() const { return ranges[next]; }
  bool done() const { return next == ranges.size(); }
};

// A step of splitmix64.
std::uint64_t Mix(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) + 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBU;
  return hash ^ hash >> 31;
}

// A hash that identifies an execution of a range.
std::uint64_t ExecutionNumber(std::uint64_t thread, const NvtxRange& range,
                              FrameKind kind, std::size_t depth) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t part) { hash = Mix(hash, part); };
  mix(kind == FrameKind::kStartEnd ? 1 : 2);
  // A start/end range has an id. A push/pop range is identified by its thread,
  // its place in the stack and the last call before it.
  if (kind == FrameKind::kStartEnd) {
    mix(range.id);
  } else {
    mix(thread);
    mix(depth);
  }
  mix(range.order);
  return hash;
}

// Ranges opened earlier have lower keys (docs/attribution.md, rule 2).
auto KeyOf(FrameKind kind, const OpenRange& open) {
  return std::make_tuple(open.range->order,
                         kind == FrameKind::kStartEnd ? 0 : 1, open.domain->id,
                         open.range->id);
}

auto HeadKey(const Queue& queue) {
  return KeyOf(queue.kind, queue.head());
}

// The start/end ranges of the process. A time stamp orders ranges of all
// threads; the id of a call orders ranges of one thread. Without time stamps,
// ranges of other threads go to `foreign`.
Queue StartEndsOf(const NvtxState& state, const Measurement& m,
                  std::vector<OpenRange>& foreign) {
  Queue queue{.kind = FrameKind::kStartEnd};
  for (const NvtxStartEnd& open : state.start_end) {
    const bool comparable = state.order != NvtxState::Order::kLastApiCall ||
                            open.thread == m.thread;
    (comparable ? queue.ranges : foreign)
        .push_back({&open.range, &state.domains[open.domain], open.thread});
  }
  std::ranges::stable_sort(queue.ranges, {}, [](const OpenRange& open) {
    return KeyOf(FrameKind::kStartEnd, open);
  });
  std::ranges::stable_sort(
      foreign, {}, [](const OpenRange& open) { return open.range->id; });
  return queue;
}

std::vector<Queue> StacksOf(const NvtxState& state, const Measurement& m) {
  std::vector<Queue> queues;
  for (const NvtxStack& stack : state.stacks) {
    const bool counts = state.process_scope || stack.thread == m.thread;
    if (!counts || stack.ranges.empty()) continue;
    Queue& queue = queues.emplace_back();
    queue.ranges.reserve(stack.ranges.size());
    for (const NvtxRange& range : stack.ranges)
      queue.ranges.push_back(
          {&range, &state.domains[stack.domain], stack.thread});
  }
  return queues;
}

Frame FrameOf(FrameKind kind, const OpenRange& open, std::size_t depth) {
  const NvtxRange& range = *open.range;
  return {.domain = open.domain->name,
          .name = range.name,
          .kind = kind,
          .execution = ExecutionNumber(open.thread, range, kind, depth),
          .given = range.name};
}

}  // namespace

std::string FrameText(const Profile& profile, const Frame& frame) {
  const std::string name(profile.Name(frame.name));
  if (frame.domain == StringId{}) return name;
  return std::string(profile.Name(frame.domain)) + "@" + name;
}

bool IsOfLibrary(std::string_view domain) {
  return domain == "NCCL" || domain == "CCCL" || domain == "TensorRT";
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
  std::vector<Queue> queues = StacksOf(state, m);
  if (start_end) {
    std::vector<OpenRange> foreign;
    queues.push_back(StartEndsOf(state, m, foreign));
    for (const OpenRange& open : foreign)
      path.push_back(FrameOf(FrameKind::kStartEnd, open, 0));
  }
  const auto is_later = [&](std::size_t a, std::size_t b) {
    return std::pair(HeadKey(queues[b]), b) < std::pair(HeadKey(queues[a]), a);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)>
      heads(is_later);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    if (!queues[i].done()) heads.push(i);
  }
  while (!heads.empty()) {
    const std::size_t first = heads.top();
    heads.pop();
    Queue& queue = queues[first];
    path.push_back(FrameOf(queue.kind, queue.head(), queue.next));
    ++queue.next;
    if (!queue.done()) heads.push(first);
  }
  return path;
}

std::vector<Frame> PathOf(const Profile& profile, const Measurement& m,
                          bool start_end) {
  if (profile.merged.empty()) return GivenPathOf(profile, m, start_end);
  // The outer frames, including start/end ranges, decide how a name is merged.
  std::vector<Frame> path = GivenPathOf(profile, m);
  MergedNames::Node node = 0;
  for (Frame& frame : path) {
    const auto step = profile.merged.Find(
        {.parent = node, .domain = frame.domain, .name = frame.name});
    if (!step) break;  // unknown when the names were merged
    frame.name = step->shown;
    // Two names are two executions, even without a CUDA call between them.
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

std::vector<const Measurement*> InLaunchOrder(const Profile& profile) {
  std::vector<const Measurement*> order;
  order.reserve(profile.measurements.size());
  for (const Measurement& m : profile.measurements) order.push_back(&m);
  std::ranges::stable_sort(order, {}, &Measurement::launch_ns);
  return order;
}

void Executions::Add(const Measurement& m) {
  std::string place = Root(m);
  for (const Frame& frame : PathOf(profile_, m)) {
    Extend(place, frame);
    auto& seen = seen_[place];
    seen.try_emplace(frame.execution, seen.size());
    place += fmt::format("#{:x}", frame.execution);
  }
}

std::optional<std::uint64_t> Executions::Ordinal(
    const Measurement& m, std::span<const Frame> path) const {
  std::string place = Root(m);
  for (const Frame& frame : path) {
    Extend(place, frame);
    const auto& seen = seen_.at(place);
    if (seen.size() > 1) return seen.at(frame.execution);
    place += fmt::format("#{:x}", frame.execution);
  }
  return std::nullopt;
}

std::string Executions::Root(const Measurement& m) {
  return fmt::format("{}.{}", m.artifact, Index(m.process));
}

void Executions::Extend(std::string& place, const Frame& frame) {
  place += fmt::format("/{}.{}", Index(frame.domain), Index(frame.name));
}

}  // namespace rangefinder
