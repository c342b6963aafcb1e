#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "export/export.h"
#include "export/tree.h"

namespace rangefinder {
namespace {

using Json = nlohmann::ordered_json;

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
