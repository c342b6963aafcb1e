// The calls of a trace that take time on the CPU: launches, and calls that wait
// for the GPU, allocate memory or load code.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ingest/trace/trace_blocks.h"
#include "profile/wall_time.h"

namespace rangefinder {

// kOtherCalls for a kind that only newer libraries write.
WallPart PartOf(wire::TimedCall kind);

// The timed calls by OS thread; nothing if the library that wrote the trace
// recorded none.
std::optional<std::map<std::uint64_t, std::vector<WallCall>>> CallsOf(
    const Trace& trace);

// A time in which the injection library held the program up to start sampling,
// inside the call that created the CUDA context: of the calls around it the
// shortest that may create one, or the only one. Else the time is left out.
struct HeldUpCall {
  std::uint64_t thread = 0;
  std::uint64_t call_start_ns = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
};
std::vector<HeldUpCall> HeldUpCallsOf(const Trace& trace);

// Migrations of pages of unified memory.
std::vector<WallInterval> MigrationsOf(const Trace& trace);

}  // namespace rangefinder
