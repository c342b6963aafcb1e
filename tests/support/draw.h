// Values drawn as text, so that a test states the whole picture at once.

#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "profile/profile.h"
#include "region/path.h"
#include "region/tree.h"

namespace rangefinder::testing {

// Draws a path as "A > A::A1 > LLM@attn", and "(none)" outside all ranges.
inline std::string Draw(const Profile& profile,
                        const std::vector<Frame>& path) {
  std::string text;
  for (const Frame& frame : path) {
    if (!text.empty()) text += " > ";
    text += Printable(FrameText(profile, frame));
  }
  return text.empty() ? "(none)" : text;
}

// Counts the kernels of a region and its inner regions.
inline std::size_t KernelsInside(const RegionTree& tree, RegionId id) {
  std::size_t count = tree[id].kernels.size();
  for (const RegionId child : tree[id].children)
    count += KernelsInside(tree, child);
  return count;
}

// A line a region, in order of first appearance: its name, its kernels
// inclusive/exclusive, and how many ranges were measured over it as a whole.
//
//   A 6/3
//     A::A1 3/3 1r
inline std::string Draw(const Profile& profile, const RegionTree& tree,
                        RegionId id = RegionTree::kRoot) {
  std::string text;
  for (const RegionId child : tree[id].children) {
    const Region& region = tree[child];
    text += std::string(2 * static_cast<std::size_t>(region.depth), ' ');
    text += region.unattributed ? std::string(RegionTree::kUnattributed)
                                : Printable(FrameText(profile, region.frame));
    text += fmt::format(" {}/{}", KernelsInside(tree, child),
                        region.kernels.size());
    if (!region.ranges.empty())
      text += fmt::format(" {}r", region.ranges.size());
    text += '\n' + Draw(profile, tree, child);
  }
  return text;
}

}  // namespace rangefinder::testing
