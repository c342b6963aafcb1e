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

// Launches from their event to the event of their return, and readings of the
// CPU time.
void AddEvents(const Trace& trace, const TraceStream& stream,
               std::vector<WallCall>& calls,
               std::vector<CpuReading>& cpu_times) {
  std::size_t hint = 0;
  std::optional<std::uint64_t> launch_ns;
  ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
    if (event.kind == wire::Event::kLaunch) {
      launch_ns = trace.clock.Ns(event.ticks, hint);
    } else if (event.kind == wire::Event::kLaunched && launch_ns) {
      calls.push_back({WallPart::kLaunching, *launch_ns,
                       trace.clock.Ns(event.ticks, hint)});
      launch_ns.reset();
    } else if (event.kind == wire::Event::kCpuTime) {
      cpu_times.push_back({trace.clock.Ns(event.ticks, hint), event.extra});
    }
  });
}

// A time in which the injection library worked inside a call of the program
// that initialises CUDA or makes a context.
struct OwnWork {
  std::uint64_t start_ns = 0, end_ns = 0;
  std::optional<std::uint64_t> thread{};  // nothing: not known
};

// At most 256 records of it. Traces of older libraries have only the starts of
// sampling, and sampling that starts in a launch is in no such record.
std::vector<OwnWork> OwnWorkIn(const Trace& trace) {
  constexpr std::size_t kMost = 256;
  std::vector<OwnWork> all;
  ForEachOwnWork(trace.gpu, [&](std::uint64_t start_ns, std::uint64_t end_ns,
                                std::uint64_t thread) {
    if (all.size() < kMost) all.push_back({start_ns, end_ns, thread});
  });
  const std::size_t records = all.size();
  for (const WallInterval& held_up : HeldUpIn(trace)) {
    const bool known = std::any_of(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(records),
        [&](const OwnWork& one) {
          return one.start_ns <= held_up.start_ns &&
                 held_up.end_ns <= one.end_ns;
        });
    if (!known) all.push_back({held_up.start_ns, held_up.end_ns});
  }
  return all;
}

// Whether a call may create a CUDA context.
bool MayCreateContext(wire::TimedCall kind) {
  return kind == wire::TimedCall::kAllocate ||
         kind == wire::TimedCall::kOther || kind == wire::TimedCall::kLoad;
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

ThreadActivity ThreadActivityOf(const Trace& trace) {
  ThreadActivity activity;
  if (!HasCalls(trace)) return activity;
  auto& calls = activity.calls.emplace();
  ForEachTimedCall(trace.gpu, [&](const TraceTimedCall& call) {
    calls[call.thread].push_back(
        {PartOf(call.kind), call.start_ns, call.end_ns});
  });
  for (const TraceStream& stream : trace.threads)
    AddEvents(trace, stream, calls[stream.thread],
              activity.cpu_times[stream.thread]);
  for (const HeldUpCall& held_up : HeldUpCallsOf(trace)) {
    std::vector<WallCall>& list = calls[held_up.thread];
    const auto call =
        std::ranges::find(list, held_up.call_start_ns, &WallCall::start_ns);
    // It took the rest of its time for creating the context.
    if (call != list.end()) call->part = WallPart::kLoading;
    list.push_back({WallPart::kProfiler, held_up.start_ns, held_up.end_ns});
  }
  return activity;
}

std::vector<HeldUpCall> HeldUpCallsOf(const Trace& trace) {
  const std::vector<OwnWork> intervals = OwnWorkIn(trace);
  if (intervals.empty()) return {};
  struct CallsAround {
    std::optional<TraceTimedCall> shortest{};  // that may create a context
    std::optional<TraceTimedCall> other{};     // the last of them
    std::size_t others = 0;
  };
  std::vector<CallsAround> around(intervals.size());
  const auto length = [](const TraceTimedCall& call) {
    return call.end_ns - call.start_ns;
  };
  ForEachTimedCall(trace.gpu, [&](const TraceTimedCall& call) {
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto& [start_ns, end_ns, thread] = intervals[i];
      if (call.start_ns > start_ns || call.end_ns < end_ns ||
          (thread && call.thread != *thread))
        continue;
      auto& [shortest, other, others] = around[i];
      if (!MayCreateContext(call.kind)) {
        other = call;
        ++others;
      } else if (!shortest || length(call) < length(*shortest)) {
        shortest = call;
      }
    }
  });
  std::vector<HeldUpCall> calls;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto& [shortest, other, others] = around[i];
    const auto& call = shortest || others != 1 ? shortest : other;
    if (call)
      calls.push_back({call->thread, call->start_ns, intervals[i].start_ns,
                       intervals[i].end_ns});
  }
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
