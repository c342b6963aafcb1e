#include "report/kernel_sources.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace rangefinder {
namespace {

using Json = nlohmann::ordered_json;

void AddOnce(std::vector<std::string>& nodes, const std::string& node) {
  if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

// `triton_poi_fused_add_0:3` is the third call of that kernel.
std::string WithoutCall(const std::string& kernel) {
  const std::size_t colon = kernel.rfind(':');
  if (colon == std::string::npos || colon + 1 == kernel.size()) return kernel;
  const bool number =
      kernel.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return number ? kernel.substr(0, colon) : kernel;
}

// What the node was before Inductor's passes, or the node itself.
void AddNode(const Json& before, const Json& node,
             std::vector<std::string>& nodes) {
  if (!node.is_string()) return;
  const std::string name = node.get<std::string>();
  const auto known = before.find(name);
  bool any = false;
  if (known != before.end() && known->is_array()) {
    for (const Json& one : *known) {
      if (!one.is_string()) continue;
      AddOnce(nodes, one.get<std::string>());
      any = true;
    }
  }
  if (!any) AddOnce(nodes, name);
}

}  // namespace

Result<KernelSources> ParseKernelSources(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return Error(ErrorCode::kCorrupt, "this is not a JSON object");
  const auto mapping = json.find("cppCodeToPost");
  const Json& kernels = mapping != json.end() ? *mapping : json;
  const auto pre = json.find("postToPre");
  const Json none = Json::object();
  const Json& before = pre != json.end() && pre->is_object() ? *pre : none;
  KernelSources sources;
  if (kernels.is_object()) {
    for (const auto& [kernel, nodes] : kernels.items()) {
      if (!nodes.is_array()) continue;
      std::vector<std::string>& all = sources[WithoutCall(kernel)];
      for (const Json& node : nodes) AddNode(before, node, all);
    }
  }
  if (sources.empty()) {
    return Error(ErrorCode::kUsage,
                 "no kernel is in it; Inductor's file is "
                 "inductor_provenance_tracking_node_mappings.json");
  }
  return sources;
}

}  // namespace rangefinder
