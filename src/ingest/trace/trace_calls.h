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

// What threads did on the CPU, by OS thread.
struct ThreadActivity {
  // Nothing if the library that wrote the trace timed no calls.
  std::optional<std::map<std::uint64_t, std::vector<WallCall>>> calls{};
  // Empty without calls, which they divide further.
  std::map<std::uint64_t, std::vector<CpuReading>> cpu_times{};
};
ThreadActivity ThreadActivityOf(const Trace& trace);

// A call that initialised CUDA or made a context, and the time in it in which
// the injection library held the program up. Of the calls around that time it
// is the shortest that may create a context, or the only one; a time without
// such a call is left out.
struct HeldUpCall {
  std::uint64_t thread = 0;
  std::uint64_t call_start_ns = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
};
std::vector<HeldUpCall> HeldUpCallsOf(const Trace& trace);

// Migrations of pages of unified memory.
std::vector<WallInterval> MigrationsOf(const Trace& trace);

}  // namespace rangefinder
