// Places the kernels of CUDA graphs in the tree of regions. The kernels run in
// the region that launches the graph. A trace also knows the regions in which
// they were captured (Measurement::captured).

#pragma once

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

enum class GraphPlacement : std::uint8_t {
  kNested,   // launch / "graph launch" / regions of the capture
  kLaunch,   // the launch alone
  kCapture,  // the capture alone
};

// Rewrites the NVTX states of graph kernels in traces. Of the ranges of a
// capture, only ranges that distinguish its kernels count; ranges around the
// whole capture belong to the making of the graph. A graph without
// distinguishing ranges stays in the region of its launch, with a note.
void PlaceGraphKernels(GraphPlacement placement, Profile& profile,
                       Notes& notes);

}  // namespace rangefinder
