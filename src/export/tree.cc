#include "export/tree.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

void AddKernels(ExportNode& node, const Profile& profile,
                const std::vector<MeasurementId>& kernels) {
  std::map<StringId, std::size_t> places;
  for (const MeasurementId id : kernels) {
    const Measurement& m = profile.measurements[Index(id)];
    const auto [place, fresh] =
        places.emplace(m.demangled_name, node.children.size());
    if (fresh) {
      node.children.push_back(
          {.name = ValidUtf8(profile.Name(m.demangled_name)),
           .kind = ExportNode::Kind::kKernel});
    }
    ExportNode& kernel = node.children[place->second];
    ++kernel.kernels;
    const double ns = DurationNs(profile, m).value_or(0);
    kernel.gpu_ns += static_cast<std::uint64_t>(std::clamp(ns, 0.0, 9e18));
  }
}

// No deeper than the tree, whose depth is limited.
ExportNode NodeOf(const Profile& profile, const RegionTree& tree, RegionId id) {
  const Region& region = tree[id];
  ExportNode node{.name = ValidUtf8(FrameText(profile, region.frame))};
  for (const std::uint32_t index : region.visits) {
    const RangeVisits& visits = profile.visits[index];
    node.instances += visits.instances;
    node.cpu_ns += visits.cpu_ns.sum();
  }
  for (const RegionId child : region.children) {
    if (!tree[child].unattributed)
      node.children.push_back(NodeOf(profile, tree, child));
  }
  AddKernels(node, profile, region.kernels);
  for (const RegionId child : region.children) {
    if (tree[child].unattributed)
      AddKernels(node, profile, tree[child].kernels);
  }
  return node;
}

}  // namespace

ExportNode BuildExportTree(const Profile& profile, const RegionTree& tree) {
  return NodeOf(profile, tree, RegionTree::kRoot);
}

}  // namespace rangefinder
