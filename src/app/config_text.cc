#include "app/config_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/setting.h"
#include "base/text.h"
#include "capture/ncu_options.h"
#include "config/yaml.h"

namespace rangefinder {

namespace {

// The tree that the flags select.
Result<Node> TreeOf(const ConfigRequest& request,
                    const Composition& composition) {
  Node tree = composition.task();
  Node hydra;
  if (request.resolve) {
    tree = TRY(composition.ResolvedTask());
    // Resolved even if it is not shown: a run would fail on an error in it.
    hydra = TRY(composition.ResolvedHydra());
  } else if (const Node* written = composition.full().Find("hydra")) {
    hydra = *written;
  }
  if (request.part == "job") return tree;
  if (request.part == "hydra") {
    tree = Node::Map();
    // Hydra leaves these out of `--cfg hydra` only.
    for (const std::string_view key : {"help", "hydra_help"}) hydra.Erase(key);
  }
  tree.Set("hydra", std::move(hydra));
  return tree;
}

Error NoSuchKey(const std::string& key, const std::vector<std::string>& known) {
  return UsageError("'{}' is no key of this configuration{}", Printable(key),
                    DidYouMeanLine(key, known));
}

// Why the tree of `request` lacks its package.
Error NoSuchPackage(ConfigRequest request, const Composition& composition) {
  request.part = "all";
  const Result<Node> all = TreeOf(request, composition);
  if (!all.ok()) return all.error();
  if (all.value().FindPath(request.package) != nullptr)
    return UsageError("'{}' is a key of Hydra: show it with --hydra",
                      Printable(request.package));
  return NoSuchKey(request.package, PathsOf(all.value()));
}

// ---- sources ---------------------------------------------------------------

std::string Where(const Place& place) {
  if (!place.source) return "set by Rangefinder";
  if (place.source->name == "command line")
    return "command line: " + Printable(place.source->text);
  return fmt::format("{}:{}", place.source->name, place.line);
}

std::string SourcesText(const Node& tree, bool json) {
  const std::vector<Leaf> leaves = LeavesOf(tree);
  if (json) {
    Node out = Node::Map();
    for (const Leaf& leaf : leaves) {
      Node row = Node::Map();
      row.Set("value", *leaf.node);
      const Place& place = leaf.node->place;
      row.Set("file", place.source ? Node::String(place.source->name) : Node{});
      row.Set("line", place.source ? Node::Int(place.line) : Node{});
      out.Set(leaf.path, std::move(row));
    }
    return WriteJson(out);
  }
  std::size_t width = 0;
  std::vector<std::string> lines;
  for (const Leaf& leaf : leaves) {
    lines.push_back(
        leaf.path + ": " +
        (leaf.node->is_string() ? leaf.node->text : OneLine(*leaf.node)));
    lines.back() = Ellipsize(Printable(lines.back()), 100);
    width = std::max(width, DisplayWidth(lines.back()));
  }
  width = std::min<std::size_t>(width, 72);
  std::string out;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    out += PadRight(lines[i], width) + "  # " + Where(leaves[i].node->place) +
           "\n";
  }
  return out;
}

// ---- explain ---------------------------------------------------------------

Result<std::string> Explain(const ConfigRequest& request,
                            const Composition& composition) {
  std::string_view key = request.explain;
  const Node tree = TRY(composition.ResolvedTask());
  const Node* value = tree.FindPath(key);
  const Setting* known = FindSetting(key);
  const NcuOption* option = key.starts_with(kNcuKeys)
                                ? FindNcuOption(key.substr(kNcuKeys.size()))
                                : nullptr;
  if (value == nullptr && known == nullptr && option == nullptr) {
    std::vector<std::string> keys = PathsOf(tree);
    for (const Setting& one : SettingsTable()) keys.emplace_back(one.key);
    return NoSuchKey(request.explain, keys);
  }
  Node out = Node::Map();
  const auto add = [&](std::string_view name, std::string text) {
    if (!text.empty()) out.Set(name, Node::String(std::move(text)));
  };
  out.Set("key", Node::String(request.explain));
  if (known != nullptr) {
    add("means", std::string(known->about));
    add("type", TypeText(*known));
    add("flag", std::string(known->flag));
  } else if (option != nullptr) {
    add("means", fmt::format("{} of ncu ({})", option->flag, option->group));
    add("type", TypeText(*option));
    add("flag", option->flag);
    add("default of ncu", option->default_text);
    if (option->repeatable) add("repeatable", "yes, as a list");
    add("reserved", std::string(ReservedNcuOption(option->name)));
  }
  if (value != nullptr) {
    out.Set("value", *value);
    add("from", Where(value->place));
  }
  if (value != nullptr && value->is_map()) {
    std::string keys;
    for (const Entry& entry : value->entries)
      keys += (keys.empty() ? "" : ", ") + PythonStr(entry.key);
    out.Set("value", Node::String("a map of " + keys));
  }
  if (request.format == "json") return WriteJson(out);
  std::string text;
  for (const Entry& entry : out.entries) {
    text += fmt::format("{:15} {}\n", entry.key.text + ":",
                        entry.value.is_string() ? Printable(entry.value.text)
                                                : OneLine(entry.value));
  }
  return text;
}

// ---- groups ----------------------------------------------------------------

void WalkGroups(const ConfigSources& sources, const std::string& group,
                Node& out) {
  for (const std::string& inner : sources.Groups(group)) {
    const std::string path = group.empty() ? inner : group + "/" + inner;
    if (path.size() > 400) continue;  // a folder that contains a link to itself
    const auto options = sources.Options(path);
    if (!options.empty()) {
      Node list = Node::List();
      for (const std::string& option : options)
        list.items.push_back(Node::String(option));
      out.Set(path, std::move(list));
    }
    WalkGroups(sources, path, out);
  }
}

Result<std::string> GroupsText(const ConfigRequest& request,
                               const Composition& composition) {
  const ConfigSources sources = TRY(ConfigSourcesOf(request.settings));
  Node groups = Node::Map();
  WalkGroups(sources, "", groups);
  if (request.format == "json") return WriteJson(groups);
  std::string out = "Groups and their options (GROUP[@PACKAGE]=OPTION):\n\n";
  for (const Entry& entry : groups.entries) {
    std::vector<std::string> names;
    for (const Node& option : entry.value.items) names.push_back(option.text);
    out += fmt::format("{}: {}\n", entry.key.text, fmt::join(names, ", "));
  }
  out += "\nChosen now:\n\n";
  for (const auto& [key, option] : composition.defaults().choices) {
    if (!key.starts_with("hydra/"))
      out += fmt::format("{}={}\n", key, option.value_or("null"));
  }
  return out;
}

}  // namespace

Result<std::string> ConfigCommand(const ConfigRequest& request) {
  if (request.format != "yaml" && request.format != "json") {
    return UsageError("--format {}: expected yaml or json",
                      Printable(request.format));
  }
  const Composition composition = TRY(ComposeConfiguration(request.settings));
  if (request.groups) return GroupsText(request, composition);
  if (!request.explain.empty()) return Explain(request, composition);
  Node tree = TRY(TreeOf(request, composition));
  std::string header;
  if (!request.package.empty() && request.package != "_global_") {
    const Node* part = tree.FindPath(request.package);
    if (part == nullptr) return NoSuchPackage(request, composition);
    Node copy = *part;
    tree = std::move(copy);
    header = fmt::format("# @package {}\n", request.package);
  }
  if (request.sources) return SourcesText(tree, request.format == "json");
  if (request.format == "json") return WriteJson(tree);
  return header + WriteYaml(tree);
}

std::string OneLine(const Node& node) {
  std::string text = WriteJson(node, true);
  text.pop_back();
  return text;
}

std::string TypeText(const NcuOption& option) {
  if (option.type == NcuOptionType::kFlag) return "bool";
  if (option.values.empty()) return option.type_text;
  return fmt::format("{}: {}",
                     option.type == NcuOptionType::kList ? "list of" : "one of",
                     fmt::join(option.values, ", "));
}

}  // namespace rangefinder
