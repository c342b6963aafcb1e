// Ranges of a `.ncu-rep` file that are open too deep to have a level
// (profile/range_depth.h). Each result has all that is open at its launch, so a
// missing pop makes every state larger than the one before.

#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "profile/profile.h"
#include "profile/range_depth.h"

namespace rangefinder {

class NcuDepth {
 public:
  // Takes them out of a state: of each stack, and of the process.
  void LeaveOut(NvtxState& state);
  // Says what is never closed, as far as such a file can tell: what was open
  // too often at once.
  void Finish(Profile& profile, Notes& notes, std::string_view where) const;

 private:
  using Name = std::tuple<FrameKind, std::uint64_t, StringId, StringId>;

  // What `most_open_` has of each name; the name's thread is 0 of the process.
  void See(const std::map<Name, std::uint64_t>& open);

  std::map<Name, std::uint64_t> most_open_;  // at one launch
  std::uint64_t most_left_out_ = 0;          // at one launch
};

}  // namespace rangefinder
