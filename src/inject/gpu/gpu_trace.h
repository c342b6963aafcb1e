// The GPU half: CUPTI's activity records, and the calls that launched them.
//
// A launch is an event of the launching thread's log, with CUPTI's correlation
// id; a kernel is a record with the same id. Which ranges were open at the
// launch is then a matter of reading the thread's events in order.

#pragma once

namespace rangefinder::inject {

// Called from the driver's cuInit(). Where it cannot work, the trace says why
// and NVTX goes on alone.
void StartGpuTrace();

}  // namespace rangefinder::inject
