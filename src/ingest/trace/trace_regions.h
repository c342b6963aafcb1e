// Replays a trace's events to find the open ranges at every launch, and the CPU
// times of every region.
//
// Threads are replayed one after the other. The context of a launch is the
// ranges on its thread's stack and the start/end ranges of the process, in the
// order in which they were opened (docs/attribution.md).
//
// Memory grows with regions, launches, and ranges that launched GPU work; it
// does not grow with events.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "ingest/trace/trace_messages.h"
#include "ingest/trace/trace_start_end.h"
#include "profile/profile.h"

namespace rangefinder {

inline constexpr std::uint64_t kNoOrdinal = ~std::uint64_t{0};

// An instance of a region that was open at a launch.
struct TraceInstance {
  std::uint32_t label = 0;
  std::uint32_t row = kNoRow;
  FrameKind kind = FrameKind::kPushPop;
  std::uint64_t ordinal = kNoOrdinal;  // in its row
  std::uint64_t id = 0;                // of a start/end range
  std::uint64_t thread = 0;
  std::uint64_t open_ns = 0;
  bool closed = false;
  // Time of the GPU work that it launched.
  std::uint64_t kernel_ns = 0;
  std::uint64_t first_ns = 0, last_ns = 0;
  std::uint64_t busy_ns = 0;
  OwnGpuWork own{};  // of a closed instance
  WallTime wall{};   // of a closed instance, its GPU work as kOtherGpuWork
};

// A context of launches.
struct TraceContext {
  std::uint32_t row = 0;  // its path
  std::uint32_t count = 0;
  std::size_t first = 0;  // its first instance, into TraceRegions::open
  bool left_out = false;  // in an instance that ReadSelection leaves out
};

struct TraceLaunch {
  std::uint32_t correlation = 0;
  std::uint32_t context = 0;  // into TraceRegions::contexts
  std::uint64_t ns = 0;
};

// A node of a CUDA graph.
struct TraceNode {
  std::uint32_t row = kNoRow;  // open when the node was captured or added
  std::uint64_t copy_of = 0;   // the id of the original node; 0: none
};

// A path in one thread. The root of a thread is a row without a label whose
// parent is itself.
struct TraceRow {
  std::uint32_t parent = 0;
  std::uint32_t path = 0;  // into TraceRegions::paths
  std::uint32_t label = 0;
  FrameKind kind = FrameKind::kPushPop;
  bool root = false;
  RangeVisits visits{};
};

// A path, the same in all threads. Path 0 is empty, and its own parent.
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
  // The open instances of each context, outermost first: into `instances`.
  std::vector<std::uint32_t> open{};
  std::vector<TraceLaunch> launches{};
  std::unordered_map<std::uint64_t, TraceNode> nodes{};  // by id
  TraceMessages messages{};                              // by correlation id
  TraceMessages node_messages{};                         // by id of a node
  // Push/pop ranges that were open at the end, by thread and label; start/end
  // ranges by label.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> unclosed{};
  std::map<std::uint32_t, StartEndCount> start_end{};
  std::uint64_t too_deep = 0;  // ranges without a level of their own
  // Timed calls by row and by name (a string of TraceNames), without the calls
  // of inner rows.
  std::map<std::pair<std::uint32_t, std::uint32_t>, CallUse> calls{};

  std::span<const std::uint32_t> OpenIn(const TraceContext& context) const {
    return std::span(open).subspan(context.first, context.count);
  }
};

// Inserts `instance` into `list` if it is among the RangeVisits::kSlowest
// largest by `key`.
void KeepLargest(std::vector<InstanceTimes>& list,
                 const InstanceTimes& instance,
                 std::uint64_t InstanceTimes::*key);

// `wall`: the activities of the process, for the wall times of rows and
// instances. All GPU work counts as kOtherGpuWork, since the work of an
// instance is not known yet.
TraceRegions ReplayRegions(const Trace& trace, const ProcessWallTimes& wall,
                           Notes& notes, const ReaderInput& input);

}  // namespace rangefinder
