// The GPU half: CUPTI's activity records, and the calls that launched them.
//
// A launch is an event in the log of the launching thread, with CUPTI's
// correlation id; a kernel is a record with the same id. A reader finds the
// ranges that were open at the launch by reading the thread's events in order.

#pragma once

namespace rangefinder::inject {

// Called from the driver's cuInit(). If the GPU cannot be traced, the trace has
// the reason, and NVTX is recorded alone.
void StartGpuTrace();

}  // namespace rangefinder::inject
