// Where the kernels of a CUDA graph stand in the tree of regions. They run
// under the launch of the graph; where the graph was captured, they were
// written in regions of their own, which a trace knows (Measurement::captured).

#pragma once

#include <optional>
#include <string_view>

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

enum class GraphPlacement : std::uint8_t {
  kNested,   // launch / "graph launch" / regions of the capture
  kLaunch,   // the launch alone
  kCapture,  // the capture alone
};

// "nested" "launch" "capture".
std::optional<GraphPlacement> FindGraphPlacement(std::string_view word);

// The frame between launch and capture.
inline constexpr std::string_view kGraphLaunch = "graph launch";

// Gives graph kernels of traces the NVTX states that say their place. Of the
// regions of a capture those count that tell its kernels apart: ranges around
// the whole capture say how the graph was made and not what it does, and a
// graph without others stays in the region of its launch, with a note.
//
// Changes nothing where another profiler measured the same kernels: it knows
// the launch alone.
void PlaceGraphKernels(GraphPlacement placement, Profile& profile,
                       Notes& notes);

}  // namespace rangefinder
