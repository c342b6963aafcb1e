// Places kernels that helper threads launch (regions.threads). PyTorch's
// backward pass, for example, runs on its own thread while the calling thread
// waits. By default, a kernel belongs to the ranges of the thread that launched
// it.

#pragma once

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

enum class ThreadPlacement : std::uint8_t {
  kOwn,  // the ranges of the launching thread
  // The ranges of a thread that waits for the work: it has a range open from
  // before the work began until after it ended, and opens, closes and launches
  // nothing in that time. The main thread is preferred, then the thread whose
  // range opened last. Work of the main thread itself is never moved.
  kAdopt,
  // "backward" in the forward region, if PyTorch's names tell it (emit_nvtx:
  // `seq = N` in both passes); other work as kAdopt.
  kForward,
};

// Rewrites the NVTX states of the kernels, instances and GPU uses of a trace.
// The GPU use of ranges that adopt kernels is unknown then. With kOwn, a note
// says how many kernels kAdopt would move. If another profiler measured the
// kernels, nothing changes, and a note says so.
void PlaceThreads(ThreadPlacement placement, Profile& profile, Notes& notes);

}  // namespace rangefinder
