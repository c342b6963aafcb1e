#include "app/export_tree.h"

#include <algorithm>

#include "base/text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

ExportNode& Child(ExportNode& parent, std::string name, ExportNode::Kind kind) {
  // Regions have few children; kernels of one region rarely exceed hundreds.
  for (ExportNode& child : parent.children) {
    if (child.kind == kind && child.name == name) return child;
  }
  ExportNode& child = parent.children.emplace_back();
  child.name = std::move(name);
  child.kind = kind;
  return child;
}

ExportNode& Descend(ExportNode& root, const Profile& profile,
                    const Measurement& m) {
  ExportNode* node = &root;
  for (const Frame& frame : PathOf(profile, m)) {
    node = &Child(*node, ValidUtf8(FrameText(profile, frame)),
                  ExportNode::Kind::kRegion);
  }
  return *node;
}

}  // namespace

ExportNode BuildExportTree(const Profile& profile) {
  ExportNode root;
  for (const RangeVisits& row : profile.visits) {
    Measurement inside{};
    inside.process = row.process;
    inside.thread = row.thread;
    inside.nvtx = row.nvtx;
    ExportNode& node = Descend(root, profile, inside);
    node.instances += row.instances;
    node.cpu_ns += row.cpu_ns.sum();
  }
  for (const Measurement& m : profile.measurements) {
    // A range measured as a whole is not one more kernel.
    if (m.kind == MeasurementKind::kRange) continue;
    const auto ns = DurationNs(profile, m);
    ExportNode& kernel = Child(Descend(root, profile, m),
                               ValidUtf8(profile.Name(m.demangled_name)),
                               ExportNode::Kind::kKernel);
    ++kernel.kernels;
    kernel.gpu_ns += static_cast<std::uint64_t>(std::max(0.0, ns.value_or(0)));
  }
  return root;
}

}  // namespace rangefinder
