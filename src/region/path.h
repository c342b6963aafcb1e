// The path of a measurement: which ranges were open at its launch, outermost
// first. The rules are docs/attribution.md.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// One step of a path.
struct Frame {
  StringId domain{};  // empty: the default domain
  StringId name{};    // of a merged range: what they all are shown as
  FrameKind kind = FrameKind::kPushPop;
  // Tells executions of one range apart within its process: equal for equal
  // executions, and (unless no CUDA call lay between two) different for others.
  std::uint64_t execution = 0;
  // The name as the program gave it; where ranges are merged, not `name`.
  StringId given{};
  // Of this execution, where times are known; else both are 0.
  std::uint64_t open_ns = 0;
  std::uint64_t close_ns = 0;

  bool is_merged() const { return given != name; }

  // Kind and execution do not tell regions apart: a region is (domain, name)s.
  friend bool operator==(const Frame& a, const Frame& b) {
    return a.domain == b.domain && a.name == b.name;
  }
};

// `domain@name`, or `name` in the default domain.
std::string FrameText(const Profile& profile, const Frame& frame);

// The frames joined by `/`; of no frame, nothing.
std::string PathText(const Profile& profile, std::span<const Frame> path);
// The same made printable: a region's name in plans, manifests and notes.
std::string RegionLabel(const Profile& profile, std::span<const Frame> path);

// The ranges open at the launch of `m`, outermost first: the push/pop ranges of
// its thread in every domain, and the start/end ranges of its process unless
// `start_end` is off. Names are merged (region/merge.h).
std::vector<Frame> PathOf(const Profile& profile, const Measurement& m,
                          bool start_end = true);

// The same with the names that the program gave.
std::vector<Frame> GivenPathOf(const Profile& profile, const Measurement& m,
                               bool start_end = true);

}  // namespace rangefinder
