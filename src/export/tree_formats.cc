// Regions and the kernels in them as one tree, over all processes, threads and
// devices: folded stacks and Hatchet's literal graph frames.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "export/formats.h"
#include "region/path.h"

namespace rangefinder {
namespace {

using Json = nlohmann::ordered_json;

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

void AddKernels(ExportNode& node, const Profile& profile,
                const std::vector<MeasurementId>& kernels) {
  std::map<StringId, std::size_t> places;
  for (const MeasurementId id : kernels) {
    const Measurement& m = profile.measurements[Index(id)];
    const auto [place, is_new] =
        places.emplace(m.demangled_name, node.children.size());
    if (is_new) {
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

// The root has no name; its kernels are those outside all regions.
ExportNode BuildExportTree(const Profile& profile, const RegionTree& tree) {
  return NodeOf(profile, tree, RegionTree::kRoot);
}

// ---- Folded stacks ----------------------------------------------------------

// A frame ends at a semicolon, a stack at the last space of its line.
std::string FrameName(const ExportNode& node) {
  std::string text = Printable(node.name);
  for (char& c : text) {
    if (c == ';') c = ':';
  }
  return text.empty() ? "(no name)" : text;
}

void WriteStacks(const ExportNode& node, const std::string& stack,
                 std::ostream& out) {
  if (node.gpu_ns > 0) out << fmt::format("{} {}\n", stack, node.gpu_ns);
  for (const ExportNode& child : node.children) {
    WriteStacks(
        child,
        stack.empty() ? FrameName(child) : stack + ";" + FrameName(child), out);
  }
}

// ---- Hatchet ----------------------------------------------------------------

double Seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

Json ToJson(const ExportNode& node, std::uint64_t& inclusive_ns,
            std::uint64_t& kernels) {
  inclusive_ns = node.gpu_ns;
  kernels = node.kernels;
  Json children = Json::array();
  for (const ExportNode& child : node.children) {
    std::uint64_t child_ns = 0, child_kernels = 0;
    children.push_back(ToJson(child, child_ns, child_kernels));
    inclusive_ns += child_ns;
    kernels += child_kernels;
  }
  const bool kernel = node.kind == ExportNode::Kind::kKernel;
  Json json;
  json["frame"] = {{"name", node.name.empty() ? "(no name)" : node.name},
                   {"type", kernel ? "kernel" : "region"}};
  json["metrics"] = {{"time", Seconds(node.gpu_ns)},
                     {"time (inc)", Seconds(inclusive_ns)},
                     {"kernels", kernels},
                     {"instances", node.instances},
                     {"cpu_time (inc)", Seconds(node.cpu_ns)}};
  if (!children.empty()) json["children"] = std::move(children);
  return json;
}

}  // namespace

void WriteFolded(const Profile& profile, const RegionTree& tree,
                 std::ostream& out) {
  WriteStacks(BuildExportTree(profile, tree), "", out);
}

void WriteHatchet(const Profile& profile, const RegionTree& tree,
                  std::ostream& out) {
  const ExportNode root = BuildExportTree(profile, tree);
  Json roots = Json::array();
  for (const ExportNode& node : root.children) {
    std::uint64_t ns = 0, kernels = 0;
    roots.push_back(ToJson(node, ns, kernels));
  }
  out << EscapedJson(roots.dump(1, ' ', false, Json::error_handler_t::replace))
      << "\n";
}

}  // namespace rangefinder
