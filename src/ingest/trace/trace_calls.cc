#include "ingest/trace/trace_calls.h"

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
