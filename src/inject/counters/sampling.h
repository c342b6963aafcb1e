// Mode `sample`: the GPU's counters, sampled beside the trace on every device
// that the program makes a context on.
//
// A device's sampling begins where its first context is created, on the thread
// that creates it, before that call returns: so whatever the program launches
// is sampled from its first kernel on, in every run alike, and the half second
// that it takes falls into the program's start, where contexts take such times
// anyhow, and not into a range that is measured. How long it was is in the
// trace. A thread of our own decodes; no other call of the program's waits for
// it but the destruction of a device's last context, before which CUPTI must
// let go of the device.

#pragma once

#include "inject/gpu/programs_cupti.h"
#include "inject/process/tuning.h"

namespace rangefinder::inject {

// Once, from cuInit(), when CUPTI is open: reads what is asked for and finds
// CUPTI's functions. False: there is no sampling, and the trace says why.
bool StartSampling(const ProgramsCupti& cupti, const Tuning& tuning);

// The program has created a context, or is about to destroy it.
void OnContextCreated(void* context);
void OnContextDestroyStarting(void* context);

// Whether a device waits for the program's next launch (tuning), and begins it.
bool SamplingIsPending();
void BeginPendingSampling();

// Whether the calling thread is in a call to CUPTI made for sampling: what CUDA
// is asked to do there is not the program's.
bool IsSamplingCall();

// Writes what is left and lets go of the devices; at exit, for a few seconds at
// most. There are no samples from then on.
void FinishSampling();

}  // namespace rangefinder::inject
