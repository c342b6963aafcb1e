#include "app/ncu_settings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/settings_keys.h"
#include "base/text.h"
#include "capture/ncu_options.h"

namespace rangefinder {
namespace {

constexpr std::string_view kPrefix = "pipeline.ncu.ncu_cli.";

// Keys that are not options by their own name; NcuSettings has a field for
// each.
constexpr std::array<std::string_view, 6> kOwn = {
    "replay_mode", "nvtx", "set", "sections", "metrics", "export"};

Result<NcuScalar> Scalar(const std::string& path, const Node& node) {
  switch (node.kind) {
    case NodeKind::kBool:
      return NcuScalar(node.boolean);
    case NodeKind::kInt:
      if (node.text.empty()) return NcuScalar(node.integer);
      return NcuScalar(node.text);
    case NodeKind::kFloat:
      return NcuScalar(node.number);
    case NodeKind::kString:
      return NcuScalar(node.text);
    default:
      return KeyError(
          path, node,
          fmt::format("expected a value, got {} '{}'", PythonTypeName(node),
                      Printable(PythonStr(node))));
  }
}

Error UnknownOption(const Entry& entry) {
  const std::string name = PythonStr(entry.key);
  std::vector<std::string> names(kOwn.begin(), kOwn.end());
  for (const NcuOption& option : NcuOptionTable()) names.push_back(option.name);
  std::string message = "ncu has no such option";
  std::string underscored = name;
  std::ranges::replace(underscored, '-', '_');
  if (FindNcuOption(underscored) != nullptr)
    message += fmt::format("; write '{}'", underscored);
  else if (const auto near = Nearest(name, names))
    message += fmt::format("; did you mean '{}'?", *near);
  return KeyError(std::string(kPrefix) + name, entry.key, message);
}

Status CheckOwnMap(const Node& cli, std::string_view name,
                   std::string_view keys) {
  const Node* map = cli.Find(name);
  if (map == nullptr || map->is_null()) return Ok();
  const std::string path = std::string(kPrefix) + std::string(name);
  if (!map->is_map()) {
    const std::string_view reserved = ReservedNcuOption(name);
    return KeyError(
        path, *map,
        fmt::format("--{} {}; this key is a map of {}", name, reserved, keys));
  }
  const std::vector<std::string> known = Split(keys, '|');
  for (const Entry& entry : map->entries) {
    const std::string key = PythonStr(entry.key);
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto near = Nearest(key, known);
    return KeyError(path + "." + key, entry.key,
                    near
                        ? fmt::format("there is no such key; did you mean "
                                      "'{}'?",
                                      *near)
                        : fmt::format("there is no such key; it has {}", keys));
  }
  return Ok();
}

Status ReadOption(const Entry& entry, NcuSettings& out) {
  const std::string name = PythonStr(entry.key);
  const std::string path = std::string(kPrefix) + name;
  const Node& node = entry.value;
  const NcuOption* option = FindNcuOption(name);
  if (option == nullptr) return UnknownOption(entry);
  if (node.is_null()) return Ok();
  const std::string_view reserved = ReservedNcuOption(name);
  if (!reserved.empty()) {
    return KeyError(
        path, node,
        fmt::format("{} cannot be set: it {}", option->flag, reserved));
  }
  if (node.is_missing())
    return KeyError(path, node, "a value has to be given: it still is ???");
  NcuValue value;
  if (node.is_list()) {
    std::vector<NcuScalar> items;
    for (const Node& item : node.items)
      items.push_back(TRY(Scalar(path, item)));
    value = std::move(items);
  } else {
    value = TRY(Scalar(path, node));
  }
  Result<NcuWords> words = MakeNcuWords(*option, value);
  if (!words.ok()) return KeyError(path, node, words.error().message());
  if (!words.value().passed) return Ok();
  if (name == "section") {  // by ncu's own name: one more of the sections
    for (std::string& word : words.value().words)
      out.sections.push_back(std::move(word));
    return Ok();
  }
  out.options[name] = std::move(words.value().words);
  return Ok();
}

// Metrics of nvprof's time are counted by instructions now, and added up as
// conf/derived/default.yaml has it.
std::string PresentName(const std::string& metric) {
  if (metric == "flop_count_hp") return "flop_fp16";
  if (metric == "flop_count_sp") return "flop_fp32";
  if (metric == "flop_count_dp") return "flop_fp64";
  return metric;
}

}  // namespace

Status ReadNcuSettings(const Node& tree, NcuSettings& out) {
  const Node* cli = tree.FindPath("pipeline.ncu.ncu_cli");
  if (cli == nullptr || cli->is_null()) return Ok();
  if (!cli->is_map()) {
    return KeyError("pipeline.ncu.ncu_cli", *cli,
                    fmt::format("expected a map of ncu's options, got '{}'",
                                Printable(PythonStr(*cli))));
  }
  TRY(CheckOwnMap(*cli, "nvtx", "include|exclude|native"));
  TRY(CheckOwnMap(*cli, "export", "csv"));
  const auto texts = [&](std::string_view path, char separator) {
    const Node* node = cli->FindPath(path);
    return node == nullptr ? std::vector<std::string>()
                           : TextsOf(*node, separator);
  };
  out.nvtx_include = texts("nvtx.include", ';');
  out.nvtx_exclude = texts("nvtx.exclude", ';');
  out.sections = texts("sections", ',');
  out.metrics = texts("metrics", ',');
  for (std::string& metric : out.metrics) metric = PresentName(metric);
  if (const Node* mode = cli->Find("replay_mode"))
    out.replay_mode = PythonStr(*mode);
  if (const Node* native = cli->FindPath("nvtx.native"))
    out.nvtx_native = native->boolean;
  if (const Node* csv = cli->FindPath("export.csv"))
    out.export_csv = csv->boolean;
  if (const Node* set = cli->Find("set"); set != nullptr && !set->is_null())
    out.set = PythonStr(*set);
  for (const Entry& entry : cli->entries) {
    if (std::ranges::find(kOwn, PythonStr(entry.key)) == kOwn.end())
      TRY(ReadOption(entry, out));
  }
  return CheckNcuOptions(
      out.replay_mode, out.options,
      !out.nvtx_exclude.empty() || out.options.contains("nvtx_exclude"));
}

}  // namespace rangefinder
