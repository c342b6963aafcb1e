// Finding CUPTI in somebody else's process.

#pragma once

#include "inject/cupti_functions.h"
#include "inject/range_abi.h"

namespace rangefinder::inject {

// The copy that the program has mapped already, else the one named by
// RANGEFINDER_CUPTI_PATH, else the one the loader finds, else those of
// installed toolkits, newest first as far as the driver goes. False, with why
// in `reason`.
bool OpenCupti(cupti::Functions& functions, const char** reason);

// Those of the profiler and of PM sampling, from the copy that OpenCupti()
// found. False: it lacks one of them.
bool FindCounterFunctions(cupti::CounterFunctions& functions);

// Those of the Range Profiler, and of `host` those of the profiler alone.
bool FindRangeFunctions(cupti::CounterFunctions& host,
                        cupti::RangeFunctions& functions);

// The driver's function of this name, from the libcuda that is mapped.
void* DriverFunction(const char* name);

}  // namespace rangefinder::inject
