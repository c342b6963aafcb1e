#include "ingest/trace/trace_calls.h"

#include <algorithm>

#include "ingest/trace/trace_counters.h"
#include "ingest/trace/trace_records.h"

namespace rangefinder {
namespace {

// Whether the trace says that calls were recorded. Traces of older libraries
// lack the fact.
bool HasCalls(const Trace& trace) {
  for (const auto& [key, value] : trace.names.facts) {
    if (trace.names.Text(key) == "api")
      return trace.names.Text(value) != "none";
  }
  return false;
}

// From the event of a launch to the event of its return.
void AddLaunches(const Trace& trace, const TraceStream& stream,
                 std::vector<WallCall>& calls) {
  std::size_t hint = 0;
  std::optional<std::uint64_t> launch_ns;
  ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
    if (event.kind == wire::Event::kLaunch) {
      launch_ns = trace.clock.Ns(event.ticks, hint);
    } else if (event.kind == wire::Event::kLaunched && launch_ns) {
      calls.push_back({WallPart::kLaunching, *launch_ns,
                       trace.clock.Ns(event.ticks, hint)});
      launch_ns.reset();
    }
  });
}

// Adds the time to the thread whose call includes its end. This call created
// the context, which is what it took the rest of its time for.
void AddHeldUp(const WallInterval& held_up,
               std::map<std::uint64_t, std::vector<WallCall>>& calls) {
  for (auto& [thread, list] : calls) {
    const auto call = std::ranges::find_if(list, [&](const WallCall& one) {
      return one.start_ns <= held_up.end_ns && held_up.end_ns <= one.end_ns;
    });
    if (call == list.end()) continue;
    call->part = WallPart::kLoading;
    const std::uint64_t start = std::max(held_up.start_ns, call->start_ns);
    list.push_back({WallPart::kProfiler, start, held_up.end_ns});
    return;
  }
}

}  // namespace

WallPart PartOf(wire::TimedCall kind) {
  switch (kind) {
    case wire::TimedCall::kLoad:
      return WallPart::kLoading;
    case wire::TimedCall::kAllocate:
      return WallPart::kAllocating;
    case wire::TimedCall::kSynchronise:
      return WallPart::kSynchronising;
    case wire::TimedCall::kLaunch:
      return WallPart::kLaunching;
    case wire::TimedCall::kOther:
      break;
  }
  return WallPart::kOtherCalls;
}

std::optional<std::map<std::uint64_t, std::vector<WallCall>>> CallsOf(
    const Trace& trace) {
  if (!HasCalls(trace)) return std::nullopt;
  std::map<std::uint64_t, std::vector<WallCall>> calls;
  ForEachTimedCall(trace.gpu, [&](const TraceTimedCall& call) {
    calls[call.thread].push_back(
        {PartOf(call.kind), call.start_ns, call.end_ns});
  });
  for (const TraceStream& stream : trace.threads)
    AddLaunches(trace, stream, calls[stream.thread]);
  for (const WallInterval& held_up : HeldUpIn(trace)) AddHeldUp(held_up, calls);
  return calls;
}

std::vector<WallInterval> MigrationsOf(const Trace& trace) {
  std::vector<WallInterval> migrations;
  ForEachMigration(trace.gpu,
                   [&](std::uint64_t start_ns, std::uint64_t end_ns) {
                     migrations.push_back({start_ns, end_ns});
                   });
  return migrations;
}

}  // namespace rangefinder
