// Regions and their kernels as one tree, over all processes, threads and
// devices: folded stacks, speedscope's file and Hatchet's literal graph frames.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
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
  std::string name{};      // never empty
  std::string line{};      // of a kernel, "file:line"; empty: not known
  bool is_kernel = false;  // else a region
  // Of this kernel, or of all kernels in this region and its inner regions, as
  // far as they have a duration. Absent if none has.
  std::optional<std::uint64_t> gpu_ns{};
  std::uint64_t kernels = 0;  // launches
  // Of this region, inner regions included; absent without a trace.
  std::optional<std::uint64_t> instances{};
  std::optional<std::uint64_t> cpu_ns{};  // of closed instances
  std::vector<ExportNode> children{};     // regions before kernels
};

void AddTo(std::optional<std::uint64_t>& sum,
           const std::optional<std::uint64_t>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

std::string NodeName(std::string_view name) {
  return name.empty() ? "(no name)" : ValidUtf8(name);
}

void AddKernels(ExportNode& node, const Profile& profile,
                const std::vector<MeasurementId>& kernels) {
  std::map<StringId, std::size_t> places;
  for (const MeasurementId id : kernels) {
    const Measurement& m = profile.measurements[Index(id)];
    const auto [place, is_new] =
        places.emplace(m.demangled_name, node.children.size());
    if (is_new) {
      node.children.push_back({.name = NodeName(profile.Name(m.demangled_name)),
                               .is_kernel = true});
      const auto* source =
          profile.kernel_sources.Find(profile.Name(m.demangled_name));
      if (source != nullptr && !source->lines.empty())
        node.children.back().line = source->lines[0];
    }
    ExportNode& kernel = node.children[place->second];
    kernel.kernels += LaunchesOf(profile, m);
    if (const auto ns = DurationNs(profile, m))
      AddTo(kernel.gpu_ns,
            static_cast<std::uint64_t>(std::clamp(*ns, 0.0, 9e18)));
  }
}

// A region and its inner regions. The recursion is as deep as the region tree,
// whose depth is limited. The root has the kernels outside of all regions.
ExportNode NodeOf(const Profile& profile, const RegionTree& tree,
                  RegionId id = RegionTree::kRoot) {
  const Region& region = tree[id];
  ExportNode node{.name = NodeName(FrameText(profile, region.frame))};
  for (const std::uint32_t index : region.visits) {
    const RangeVisits& visits = profile.visits[index];
    AddTo(node.instances, visits.instances);
    if (visits.cpu_ns.count() > 0) AddTo(node.cpu_ns, visits.cpu_ns.sum());
    // A trace says if a region has no kernel.
    if (profile.processes[Index(visits.process)].gpu_recorded)
      AddTo(node.gpu_ns, 0);
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
  for (const ExportNode& child : node.children) {
    AddTo(node.gpu_ns, child.gpu_ns);
    node.kernels += child.kernels;
  }
  return node;
}

// ---- Folded stacks ----------------------------------------------------------

// A frame ends at a semicolon, a stack at the last space of its line.
std::string FrameName(const ExportNode& node) {
  std::string text = Printable(node.name);
  std::ranges::replace(text, ';', ':');
  return text;
}

void WriteStacks(const ExportNode& node, const std::string& stack,
                 std::ostream& out) {
  if (node.is_kernel && node.gpu_ns.value_or(0) > 0)
    out << fmt::format("{} {}\n", stack, *node.gpu_ns);
  for (const ExportNode& child : node.children) {
    WriteStacks(
        child,
        stack.empty() ? FrameName(child) : stack + ";" + FrameName(child), out);
  }
}

Json FrameOf(const ExportNode& node) {
  Json frame = {{"name", node.name}};
  const std::size_t colon = node.line.rfind(':');
  if (colon == std::string::npos) return frame;
  frame["file"] = ValidUtf8(node.line.substr(0, colon));
  frame["line"] = std::strtoull(node.line.c_str() + colon + 1, nullptr, 10);
  return frame;
}

// ---- Speedscope -------------------------------------------------------------

// Stacks weighted by one number, each with its exclusive part.
struct Weighed {
  Json samples = Json::array();
  Json weights = Json::array();
  std::uint64_t total = 0;

  void Add(const std::vector<std::size_t>& stack, std::uint64_t ns) {
    if (ns == 0 || stack.empty()) return;
    samples.push_back(stack);
    weights.push_back(ns);
    total += ns;
  }
  Json Profile(std::string_view name) {
    return {{"type", "sampled"},
            {"name", name},
            {"unit", "nanoseconds"},
            {"startValue", 0},
            {"endValue", total},
            {"samples", std::move(samples)},
            {"weights", std::move(weights)}};
  }
};

struct Stacks {
  Json frames = Json::array();
  std::map<std::string, std::size_t> places{};  // of frames, by name
  Weighed gpu{}, wall{};

  void Add(const ExportNode& node, std::vector<std::size_t>& stack) {
    std::uint64_t inner_ns = 0;
    for (const ExportNode& child : node.children) {
      const auto [place, is_new] = places.emplace(child.name, places.size());
      if (is_new) frames.push_back(FrameOf(child));
      stack.push_back(place->second);
      Add(child, stack);
      stack.pop_back();
      inner_ns += child.cpu_ns.value_or(0);
    }
    if (node.is_kernel) gpu.Add(stack, node.gpu_ns.value_or(0));
    // Inner instances may be on other threads.
    const std::uint64_t wall_ns = node.cpu_ns.value_or(0);
    wall.Add(stack, wall_ns - std::min(inner_ns, wall_ns));
  }
};

// ---- Hatchet ----------------------------------------------------------------

// Null for an unknown time: not a number in Hatchet.
Json Seconds(const std::optional<std::uint64_t>& ns) {
  return ns ? Json(static_cast<double>(*ns) / 1e9) : Json(nullptr);
}

Json ToJson(const ExportNode& node) {
  Json json;
  json["frame"] = FrameOf(node);
  json["frame"]["type"] = node.is_kernel ? "kernel" : "region";
  // All GPU time of a region is that of the nodes below it.
  json["metrics"] = {
      {"time",
       node.is_kernel || !node.gpu_ns ? Seconds(node.gpu_ns) : Json(0.0)},
      {"time (inc)", Seconds(node.gpu_ns)},
      {"kernels", node.kernels},
      {"instances", node.instances ? Json(*node.instances) : Json(nullptr)},
      {"cpu_time (inc)", Seconds(node.cpu_ns)}};
  for (const ExportNode& child : node.children)
    json["children"].push_back(ToJson(child));
  return json;
}

}  // namespace

void WriteFolded(const Report& report, std::ostream& out) {
  WriteStacks(NodeOf(*report.profile, *report.tree), "", out);
}

void WriteSpeedscope(const Report& report, std::ostream& out) {
  Stacks stacks;
  std::vector<std::size_t> stack;
  stacks.Add(NodeOf(*report.profile, *report.tree), stack);
  Json profiles = Json::array({stacks.gpu.Profile("GPU time of kernels")});
  if (stacks.wall.total > 0)
    profiles.push_back(stacks.wall.Profile("wall time of regions"));
  const Json file = {
      {"$schema", "https://www.speedscope.app/file-format-schema.json"},
      {"exporter", "rangefinder"},
      {"shared", {{"frames", std::move(stacks.frames)}}},
      {"profiles", std::move(profiles)}};
  out << JsonDocument(file) << "\n";
}

void WriteHatchet(const Report& report, std::ostream& out) {
  const ExportNode root = NodeOf(*report.profile, *report.tree);
  Json roots = Json::array();
  for (const ExportNode& node : root.children) roots.push_back(ToJson(node));
  out << JsonDocument(roots, 1) << "\n";
}

}  // namespace rangefinder
