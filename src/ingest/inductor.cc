#include "ingest/inductor.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/lists.h"

namespace rangefinder {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMappings =
    "inductor_provenance_tracking_node_mappings";
constexpr std::string_view kStackTraces =
    "inductor_provenance_tracking_kernel_stack_traces";

// `triton_poi_fused_add_0:3` is the third call of that kernel.
std::string WithoutCall(const std::string& kernel) {
  const std::size_t colon = kernel.rfind(':');
  if (colon == std::string::npos || colon + 1 == kernel.size()) return kernel;
  const bool number =
      kernel.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return number ? kernel.substr(0, colon) : kernel;
}

// The texts of a JSON list; empty if `json` is no list.
std::vector<std::string> TextsOf(const Json& json) {
  std::vector<std::string> texts;
  if (!json.is_array()) return texts;
  for (const Json& one : json) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

const Json& Member(const Json& json, std::string_view key) {
  static const Json none = Json::object();
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : none;
}

// Adds the nodes before Inductor's passes, if the file has them.
void AddMappings(const Json& json, KernelSources& sources) {
  if (!json.is_object()) return;
  const Json& before = Member(json, "postToPre");
  const Json& kernels =
      json.contains("cppCodeToPost") ? Member(json, "cppCodeToPost") : json;
  for (const auto& [kernel, nodes] : kernels.items()) {
    if (!nodes.is_array()) continue;
    auto& operators = sources.by_kernel[WithoutCall(kernel)].operators;
    for (const std::string& node : TextsOf(nodes)) {
      const auto known = before.find(node);
      const std::vector<std::string> earlier =
          known != before.end() ? TextsOf(*known) : std::vector<std::string>();
      if (earlier.empty()) AddOnce(operators, node);
      for (const std::string& one : earlier) AddOnce(operators, one);
    }
  }
}

// "file:line" of the innermost frame of a stack trace as Python prints it;
// empty: there is none.
std::string InnermostLine(std::string_view trace) {
  constexpr std::string_view kFrame = "  File \"", kLine = "\", line ";
  const std::size_t frame = trace.rfind(kFrame);
  if (frame == std::string_view::npos) return {};
  trace.remove_prefix(frame + kFrame.size());
  const std::size_t end = trace.find(kLine);
  if (end == std::string_view::npos) return {};
  const std::string_view line = trace.substr(end + kLine.size());
  return fmt::format("{}:{}", trace.substr(0, end),
                     line.substr(0, line.find_first_not_of("0123456789")));
}

void AddStackTraces(const Json& json, KernelSources& sources) {
  if (!json.is_object()) return;
  for (const auto& [kernel, traces] : json.items()) {
    for (const std::string& trace : TextsOf(traces)) {
      if (const std::string line = InnermostLine(trace); !line.empty())
        AddOnce(sources.by_kernel[WithoutCall(kernel)].model_lines, line);
    }
  }
}

// A log of TORCH_TRACE: records begin with a letter, and the lines of their
// payload with a tab.
void AddTorchTrace(std::string_view text, KernelSources& sources) {
  std::string_view artifact;
  std::string payload;
  const auto finish = [&] {
    if (artifact.empty()) return;
    const Json json = Json::parse(payload, nullptr, false);
    (artifact == kMappings ? AddMappings : AddStackTraces)(json, sources);
    payload.clear();
    artifact = {};
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with('\t')) {
      if (!artifact.empty()) payload += line.substr(1);
      continue;
    }
    finish();
    if (line.find(R"({"artifact": )") == std::string_view::npos) continue;
    for (const std::string_view name : {kMappings, kStackTraces}) {
      if (line.find(fmt::format(R"("name": "{}")", name)) !=
          std::string_view::npos)
        artifact = name;
    }
  }
  finish();
}

void AddOurs(const Json& kernels, KernelSources& sources) {
  for (const auto& [kernel, lists] : kernels.items()) {
    if (!lists.is_object()) continue;
    KernelSource& source = sources.by_kernel[kernel];
    source.operators = TextsOf(lists.value("operators", Json()));
    source.model_lines = TextsOf(lists.value("model_lines", Json()));
  }
}

}  // namespace

Result<KernelSources> ParseInductor(std::string_view text) {
  KernelSources sources;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object()) {
    json.contains("kernels") ? AddOurs(Member(json, "kernels"), sources)
                             : AddMappings(json, sources);
  } else if (text.find("{\"artifact\": ") != std::string_view::npos) {
    AddTorchTrace(text, sources);
  } else {
    return Error(ErrorCode::kCorrupt,
                 "this is neither a JSON object nor a log of TORCH_TRACE");
  }
  if (sources.by_kernel.empty()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("no kernel is in it; Inductor's file is {}.json",
                             kMappings));
  }
  return sources;
}

std::string InductorText(const KernelSources& sources) {
  Json kernels = Json::object();
  for (const auto& [kernel, source] : sources.by_kernel) {
    kernels[kernel] = {{"operators", source.operators},
                       {"model_lines", source.model_lines}};
  }
  return Json{{"kernels", kernels}}.dump(1, ' ', false,
                                         Json::error_handler_t::replace) +
         "\n";
}

}  // namespace rangefinder
