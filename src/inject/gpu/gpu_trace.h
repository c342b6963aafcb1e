// The GPU half: CUPTI's activity records, and the calls that launched them.
//
// A launch is an event in the log of the launching thread, with CUPTI's
// correlation id; a kernel is a record with the same id. A reader finds the
// ranges that were open at the launch by reading the thread's events in order.

#pragma once

#include <cstdint>

namespace rangefinder::inject {

// Called inside the driver's cuInit(), which called the library at `begin_ns`,
// ns since 1970. If the GPU cannot be traced, the trace has the reason, and
// NVTX is recorded alone.
void StartGpuTrace(std::uint64_t begin_ns);

// The following functions are for armed processes. All but SeeGraphs() are
// called on a thread of the library, in this order for each window. CUPTI is
// loaded for the first window, and stays loaded.
//
// Begins sampling, in mode `sample`. False: the GPU cannot be traced, and the
// trace has the reason.
bool PrepareGpuTrace();
// In a window of mode `count`, before threads record.
void PrepareGpuCount();
// In cuInit() of a process that is armed for graphs: loads CUPTI, and sees the
// nodes of graphs and calls of the profiler's start and stop from here on.
// CUPTI records no activity before a window.
void SeeGraphs();
// Launches and the GPU's work are recorded from WakeGpuTrace() to
// RestGpuTrace(). Threads record before and after, so that no kernel lacks its
// launch.
void WakeGpuTrace();
void RestGpuTrace();
// Ends sampling and fetches the last records.
void FinishGpuTrace();

}  // namespace rangefinder::inject
