// Kernels that other threads launch: PyTorch's backward pass runs on a thread
// of its own while the thread that called it waits. By default such a kernel
// stands under the ranges of the thread that launched it; here it is put where
// a person looks for it (regions.threads).

#pragma once

#include <optional>
#include <string_view>

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

enum class ThreadPlacement : std::uint8_t {
  kOwn,  // the launching thread's ranges
  // Under the ranges of the thread that waits for it: one that has a range open
  // from before the work began until after it ended, and neither opens, closes
  // nor launches anything in that time. The main thread first, then the one
  // whose range opened last. The main thread's own work stays.
  kAdopt,
  // Under the forward region, in "backward", where PyTorch's names (emit_nvtx:
  // `seq = N` of both passes) tell it; the rest as kAdopt.
  kForward,
};

// "own" "adopt" "forward".
std::optional<ThreadPlacement> FindThreadPlacement(std::string_view word);

// The frame between a forward region and its backward work.
inline constexpr std::string_view kBackward = "backward";

// The number that PyTorch gives an operation and its backward function in the
// names of their ranges: "aten::mm, seq = 7, op_id = 9". Nothing where there is
// none.
std::optional<std::uint64_t> SequenceOf(std::string_view name);

// Rewrites the NVTX states of kernels, instances and GPU times of a traced run.
// What was busy inside an adopting range is no longer known and left out.
// Changes nothing where another profiler measured the kernels, which knows the
// launching threads alone; that is noted.
void PlaceThreads(ThreadPlacement placement, Profile& profile, Notes& notes);

}  // namespace rangefinder
