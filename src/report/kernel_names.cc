#include "report/kernel_names.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "profile/short_name.h"

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

KernelNames::KernelNames(const Profile& profile, const Rollup& rollup,
                         bool full, const KernelSources& sources)
    : profile_(profile), full_(full), sources_(sources) {
  std::set<StringId> ids;
  for (const ScopeRollup& scope : rollup.scopes) {
    for (const auto& [id, region] : scope.regions.there()) {
      for (const KernelRow& row : region.kernels) ids.insert(row.name);
    }
  }
  // The baseline run may have seen more kernels.
  for (const Measurement& m : profile.traced) ids.insert(m.demangled_name);
  std::vector<std::string_view> names;
  for (const StringId id : ids) names.push_back(profile.Name(id));
  std::vector<std::string> shown = ShortKernelNames(names);
  std::size_t i = 0;
  for (const StringId id : ids) {
    if (shown[i] != names[i])
      short_.emplace(static_cast<std::uint32_t>(id), std::move(shown[i]));
    ++i;
  }
}

std::string_view KernelNames::Short(StringId name) const {
  const auto known = short_.find(static_cast<std::uint32_t>(name));
  return known == short_.end() ? profile_.Name(name)
                               : std::string_view(known->second);
}

std::string KernelNames::Shown(StringId name) const {
  constexpr std::size_t kMostNodes = 6;
  std::string shown(full_ ? profile_.Name(name) : Short(name));
  const std::vector<std::string>* const nodes = Source(name);
  if (nodes == nullptr || nodes->empty()) return shown;
  const bool all = nodes->size() <= kMostNodes;
  const auto end = nodes->begin() + static_cast<std::ptrdiff_t>(
                                        all ? nodes->size() : kMostNodes);
  return fmt::format("{} ({}{})", shown, fmt::join(nodes->begin(), end, ", "),
                     all ? "" : ", …");
}

const std::vector<std::string>* KernelNames::Source(StringId name) const {
  if (sources_.empty()) return nullptr;
  const auto known = sources_.find(std::string(profile_.Name(name)));
  return known == sources_.end() ? nullptr : &known->second;
}

}  // namespace rangefinder
