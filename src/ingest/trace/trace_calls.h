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

// Migrations of pages of unified memory.
std::vector<WallInterval> MigrationsOf(const Trace& trace);

}  // namespace rangefinder
