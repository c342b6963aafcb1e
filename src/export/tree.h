// Regions and the kernels in them as one tree, over all processes, threads and
// devices: what folded stacks and literal graph frames are written from.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

struct ExportNode {
  enum class Kind { kRegion, kKernel };
  std::string name{};
  Kind kind = Kind::kRegion;
  std::uint64_t gpu_ns = 0;            // of this kernel
  std::uint64_t kernels = 0;           // launches of this kernel
  std::uint64_t instances = 0;         // of this region
  std::uint64_t cpu_ns = 0;            // of this region, inner ones included
  std::vector<ExportNode> children{};  // regions before kernels
};

// The root has no name; what is outside all regions are its kernels.
ExportNode BuildExportTree(const Profile& profile, const RegionTree& tree);

}  // namespace rangefinder
