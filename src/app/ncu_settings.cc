#include <algorithm>

#include <fmt/format.h>

#include "app/setting.h"
#include "app/settings.h"
#include "base/lists.h"
#include "base/text.h"
#include "capture/ncu_options.h"

namespace rangefinder {
namespace {

// "nvtx", "replay_mode": keys of ncu_cli with a row in the settings table, in
// the order of the table.
std::vector<std::string> KeysOfTable() {
  std::vector<std::string> keys;
  for (const Setting& setting : SettingsTable()) {
    if (!setting.key.starts_with(kNcuKeys)) continue;
    std::string key = Split(setting.key.substr(kNcuKeys.size()), '.').front();
    if (keys.empty() || keys.back() != key) keys.push_back(std::move(key));
  }
  return keys;
}

Result<NcuScalar> Scalar(const std::string& path, const Node& node) {
  if (node.kind == NodeKind::kBool)
    return NcuScalar{node.boolean ? "true" : "false", true};
  if (node.kind == NodeKind::kFloat)
    return NcuScalar{fmt::format("{}", node.number)};
  if (node.kind == NodeKind::kInt || node.is_string())
    return NcuScalar{PythonStr(node)};
  return KeyError(path, node, "expected a value, got {} '{}'",
                  PythonTypeName(node), Printable(PythonStr(node)));
}

Error UnknownOption(const Entry& entry) {
  const std::string name = PythonStr(entry.key);
  std::vector<std::string> names = KeysOfTable();
  for (const NcuOption& option : NcuOptionTable()) names.push_back(option.name);
  std::string message = "ncu has no such option";
  std::string underscored = name;
  std::ranges::replace(underscored, '-', '_');
  if (FindNcuOption(underscored) != nullptr)
    message += fmt::format("; write '{}'", underscored);
  else
    message += DidYouMean(name, names);
  return KeyError(std::string(kNcuKeys) + name, entry.key, "{}", message);
}

// `nvtx` and `export` are options of ncu, and maps here.
Status CheckMap(const Node& cli, std::string_view name) {
  const Node* map = cli.Find(name);
  if (map == nullptr || map->is_null()) return Ok();
  const std::string path = std::string(kNcuKeys) + std::string(name);
  std::vector<std::string> known;
  for (const Setting& setting : SettingsTable())
    if (setting.key.starts_with(path + ".")) known.emplace_back(setting.key);
  if (!map->is_map()) {
    return KeyError(path, *map, "--{} {}; this key is a map of {}", name,
                    ReservedNcuOption(name), JoinedAsList(known, "and"));
  }
  for (const Entry& entry : map->entries) {
    if (!Has(known, path + "." + PythonStr(entry.key)))
      return NoSuchKey(path, entry, known);
  }
  return Ok();
}

Status ReadOption(const Entry& entry, NcuSettings& out) {
  const std::string name = PythonStr(entry.key);
  const std::string path = std::string(kNcuKeys) + name;
  const Node& node = entry.value;
  const NcuOption* option = FindNcuOption(name);
  if (option == nullptr) return UnknownOption(entry);
  if (node.is_null()) return Ok();
  const std::string_view reserved = ReservedNcuOption(name);
  if (!reserved.empty()) {
    return KeyError(path, node, "{} cannot be set: it {}", option->flag,
                    reserved);
  }
  if (node.is_missing())
    return KeyError(path, node, "a value has to be given: it still is ???");
  NcuValue value{.is_list = node.is_list()};
  if (!value.is_list) value.items.push_back(TRY(Scalar(path, node)));
  for (const Node& item : node.items)
    value.items.push_back(TRY(Scalar(path, item)));
  Result<NcuWords> words = MakeNcuWords(*option, value);
  if (!words.ok()) return KeyError(path, node, "{}", words.error().message());
  if (!words.value().passed) return Ok();
  if (name == "section") {  // ncu's own name: adds to the sections
    for (std::string& word : words.value().words)
      out.sections.push_back(std::move(word));
    return Ok();
  }
  out.options[name] = std::move(words.value().words);
  return Ok();
}

// Metrics with names of nvprof are computed from counts of instructions by now
// (conf/derived/default.yaml).
std::string PresentName(const std::string& metric) {
  if (metric == "flop_count_hp") return "flop_fp16";
  if (metric == "flop_count_sp") return "flop_fp32";
  if (metric == "flop_count_dp") return "flop_fp64";
  return metric;
}

}  // namespace

Status ReadNcuOptions(const Node& tree, NcuSettings& out) {
  const Node* cli = tree.FindPath("pipeline.ncu.ncu_cli");
  if (cli == nullptr || cli->is_null()) return Ok();
  if (!cli->is_map()) {
    return KeyError("pipeline.ncu.ncu_cli", *cli,
                    "expected a map of ncu's options, got '{}'",
                    Printable(PythonStr(*cli)));
  }
  TRY(CheckMap(*cli, "nvtx"));
  TRY(CheckMap(*cli, "export"));
  for (std::string& metric : out.metrics) metric = PresentName(metric);
  const std::vector<std::string> of_table = KeysOfTable();
  for (const Entry& entry : cli->entries) {
    if (!Has(of_table, PythonStr(entry.key))) TRY(ReadOption(entry, out));
  }
  return CheckNcuOptions(
      out.replay_mode, out.options,
      !out.nvtx_exclude.empty() || out.options.contains("nvtx_exclude"));
}

}  // namespace rangefinder
