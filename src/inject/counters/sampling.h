// Mode `sample`: the GPU's counters are sampled beside the trace, on every
// device that has a context of the program.
//
// Sampling of a device begins in the call that creates its first context, on
// that thread and before the call returns. So every run is sampled from its
// first kernel on, and the half second that sampling takes to begin falls into
// the program's start, where creating contexts takes as long anyway, and not
// into a measured range. The trace has its duration. A thread of our own
// decodes. The only other call of the program that waits is the destruction of
// a device's last context: CUPTI must release the device before.

#pragma once

#include "inject/gpu/programs_cupti.h"
#include "inject/process/tuning.h"

namespace rangefinder::inject {

// Called once, in cuInit(), when CUPTI is open: reads the settings and finds
// CUPTI's functions. False: sampling is impossible, and the trace has the
// reason.
bool StartSampling(const ProgramsCupti& cupti, const Tuning& tuning);

// The program has created a context, or is about to destroy it.
void OnContextCreated(void* context);
void OnContextDestroyStarting(void* context);

// Whether the sampling of a device begins with the program's next launch
// (tuning.h); and begins this sampling.
bool SamplingIsPending();
void BeginPendingSampling();

// Whether the calling thread is in a call to CUPTI for sampling: calls of CUDA
// in it are not the program's.
bool IsSamplingCall();

// Writes the remaining samples and releases the devices. Called at exit; takes
// a few seconds at most. Sampling never begins again.
void FinishSampling();

// In an armed process, on a thread of the library: sampling begins on all
// devices with a context, after StartSampling(), and ends.
void WakeSampling();
void RestSampling();

}  // namespace rangefinder::inject
