// Regions and their kernels as one tree, over all processes, threads and
// devices: folded stacks, speedscope's file and Hatchet's literal graph frames.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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
  std::string line{};  // of a kernel, "file:line"; empty: not known
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
      const auto* source =
          profile.kernel_sources.Find(profile.Name(m.demangled_name));
      if (source != nullptr && !source->lines.empty())
        node.children.back().line = source->lines[0];
    }
    ExportNode& kernel = node.children[place->second];
    ++kernel.kernels;
    const double ns = DurationNs(profile, m).value_or(0);
    kernel.gpu_ns += static_cast<std::uint64_t>(std::clamp(ns, 0.0, 9e18));
  }
}

// No deeper than the region tree, whose depth is limited.
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

// The root has no name; its kernels are the ones outside all regions.
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

// `line`: "file:line", or empty.
Json FrameOf(const std::string& name, const std::string& line) {
  Json frame = {{"name", name}};
  const std::size_t colon = line.rfind(':');
  if (colon == std::string::npos) return frame;
  frame["file"] = ValidUtf8(line.substr(0, colon));
  frame["line"] = std::strtoull(line.c_str() + colon + 1, nullptr, 10);
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
      const std::string name = child.name.empty() ? "(no name)" : child.name;
      const auto [place, is_new] = places.emplace(name, places.size());
      if (is_new) frames.push_back(FrameOf(name, child.line));
      stack.push_back(place->second);
      Add(child, stack);
      stack.pop_back();
      inner_ns += child.cpu_ns;
    }
    gpu.Add(stack, node.gpu_ns);
    // Inner instances may be on other threads.
    wall.Add(stack, node.cpu_ns - std::min(inner_ns, node.cpu_ns));
  }
};

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
  json["frame"] =
      FrameOf(node.name.empty() ? "(no name)" : node.name, node.line);
  json["frame"]["type"] = kernel ? "kernel" : "region";
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

void WriteSpeedscope(const Profile& profile, const RegionTree& tree,
                     std::ostream& out) {
  Stacks stacks;
  std::vector<std::size_t> stack;
  stacks.Add(BuildExportTree(profile, tree), stack);
  Json profiles = Json::array({stacks.gpu.Profile("GPU time of kernels")});
  if (stacks.wall.total > 0)
    profiles.push_back(stacks.wall.Profile("wall time of regions"));
  const Json file = {
      {"$schema", "https://www.speedscope.app/file-format-schema.json"},
      {"exporter", "rangefinder"},
      {"shared", {{"frames", std::move(stacks.frames)}}},
      {"profiles", std::move(profiles)}};
  out << EscapedJson(file.dump(-1, ' ', false, Json::error_handler_t::replace))
      << "\n";
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
