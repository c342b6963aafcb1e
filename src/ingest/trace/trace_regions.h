// Playing a trace's events back: which ranges were open at every launch, and
// what every region did on the CPU.
//
// Threads are played one after the other. The ranges of a thread's own stack
// and the start/end ranges of the whole process, in the order in which they
// were opened, are the context of what it launches (docs/attribution.md).
//
// What is kept grows with regions, launches, and the ranges that launched
// something; not with events.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "ingest/trace/trace_events.h"
#include "profile/profile.h"

namespace rangefinder {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFF;
inline constexpr std::uint64_t kNoOrdinal = ~std::uint64_t{0};

// A range that was open when something was launched: one instance of a region.
struct TraceInstance {
  std::uint32_t label = 0;
  std::uint32_t row = kNoRow;
  FrameKind kind = FrameKind::kPushPop;
  std::uint64_t ordinal = kNoOrdinal;  // in its row
  std::uint64_t id = 0;                // of a start/end range
  std::uint64_t thread = 0;
  std::uint64_t open_ns = 0;
  std::uint64_t cpu_ns = 0;
  bool closed = false;
  // What it launched.
  std::uint64_t kernel_ns = 0;
  std::uint64_t first_ns = 0, last_ns = 0;
  std::uint64_t busy_ns = 0;
};

// One context in which something was launched.
struct TraceContext {
  std::uint32_t row = 0;  // its path
  std::uint32_t count = 0;
  std::size_t first = 0;  // of its instances, into TraceRegions::open
};

struct TraceLaunch {
  std::uint32_t correlation = 0;
  std::uint32_t context = 0;  // into TraceRegions::contexts
  std::uint64_t ns = 0;
};

// A node of a CUDA graph, and where it came to be: by capture or by hand.
struct TraceNode {
  std::uint32_t row = kNoRow;
  std::uint64_t copy_of = 0;  // the id of a node, 0: of none
};

// A path in one thread, and what is known of it. The root of a thread is a row
// without a label whose parent is itself.
struct TraceRow {
  std::uint32_t parent = 0;
  std::uint32_t path = 0;  // into TraceRegions::paths
  std::uint32_t label = 0;
  FrameKind kind = FrameKind::kPushPop;
  bool root = false;
  RangeVisits visits{};
};

// The same path in all threads. 0 is the empty one, and its own parent.
struct TracePath {
  std::uint32_t parent = 0;
  std::uint32_t row = kNoRow;  // a row of it
  std::vector<GpuUse> gpu{};
  std::vector<std::uint64_t> busy_until{};  // of gpu's devices
};

// Start/end ranges of one region.
struct StartEndCount {
  std::uint64_t open = 0;  // when the trace ended
  std::uint64_t ended = 0;
};

struct TraceRegions {
  std::vector<TraceRow> rows{};
  std::vector<TracePath> paths{TracePath{}};
  std::vector<TraceInstance> instances{};
  std::vector<TraceContext> contexts{};
  // Into `instances`: those open in each context, outermost first.
  std::vector<std::uint32_t> open{};
  std::vector<TraceLaunch> launches{};
  std::unordered_map<std::uint64_t, TraceNode> nodes{};  // by id
  // Push/pop ranges that were open at the end, by thread and label; start/end
  // ranges by label.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> unclosed{};
  std::map<std::uint32_t, StartEndCount> start_end{};
  std::uint64_t too_deep = 0;  // ranges without a level of their own

  std::span<const std::uint32_t> OpenIn(const TraceContext& context) const {
    return std::span(open).subspan(context.first, context.count);
  }
};

// Puts `instance` among the RangeVisits::kSlowest largest by `key`.
void KeepLargest(std::vector<InstanceTimes>& list,
                 const InstanceTimes& instance,
                 std::uint64_t InstanceTimes::*key);

TraceRegions ReplayRegions(const Trace& trace, Notes& notes,
                           std::string_view where);

}  // namespace rangefinder
