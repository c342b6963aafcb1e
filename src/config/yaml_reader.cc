// YAML's events to a configuration tree, as OmegaConf composes it: anchors and
// aliases, `<<`, keys that stand once.

#include <map>

#include <fmt/format.h>

#include "config/yaml.h"
#include "config/yaml_events.h"
#include "config/yaml_mapping.h"
#include "config/yaml_tags.h"

namespace rangefinder {
namespace {

using enum YamlEventKind;

constexpr int kDeepest = 200;
// Aliases copy: ten lines of them can ask for more memory than there is. So do
// anchors, which may stand in each other.
constexpr std::size_t kMostAliasNodes = 20000;
constexpr std::size_t kMostAnchoredNodes = 200000;

struct Anchored {
  Node node{};
  std::size_t size = 0;  // nodes in it, itself included
};

class YamlComposer {
 public:
  explicit YamlComposer(YamlEvents events) : events_(std::move(events)) {}

  // The one document; null where there is none.
  Result<Node> Document() {
    const YamlEvent start = TRY(events_.Next());
    Node node;
    node.place = start.place;
    if (start.kind == kStreamEnd) return node;
    const YamlEvent root = TRY(events_.Next());
    node = TRY(Value(root));
    TRY(events_.Next());  // the document's end
    const YamlEvent after = TRY(events_.Next());
    if (after.kind != kStreamEnd) {
      return ErrorAt(after.place,
                     "a second document begins here; a configuration file "
                     "has one");
    }
    return node;
  }

 private:
  Result<Node> Value(const YamlEvent& event) {
    if (event.kind == kAlias) return Alias(event);
    if (++depth_ > kDeepest) {
      return ErrorAt(event.place,
                     fmt::format("nested more than {} deep", kDeepest));
    }
    const std::size_t before = nodes_++;
    Node node = TRY(Content(event));
    --depth_;
    if (!event.anchor.empty()) TRY(Keep(event, node, nodes_ - before));
    return node;
  }

  Result<Node> Content(const YamlEvent& event) {
    if (event.kind == kScalar) return ScalarValue(event);
    Result<Node> node = event.kind == kListStart ? List(event) : Map(event);
    if (!node.ok()) return node;
    return TaggedContainer(std::move(node).value(), event);
  }

  Status Keep(const YamlEvent& event, const Node& node, std::size_t size) {
    if (anchors_.contains(event.anchor)) {
      return ErrorAt(event.place,
                     fmt::format("a second anchor '&{}'", event.anchor));
    }
    anchored_nodes_ += size;
    if (anchored_nodes_ > kMostAnchoredNodes) {
      return ErrorAt(event.place,
                     fmt::format("the anchors of this file hold more than {} "
                                 "values",
                                 kMostAnchoredNodes));
    }
    anchors_.emplace(event.anchor, Anchored{node, size});
    return Ok();
  }

  Result<Node> Alias(const YamlEvent& event) {
    const auto known = anchors_.find(event.text);
    if (known == anchors_.end()) {
      return ErrorAt(event.place,
                     fmt::format("no anchor '&{}' before this", event.text));
    }
    nodes_ += known->second.size;
    alias_nodes_ += known->second.size;
    if (alias_nodes_ > kMostAliasNodes) {
      return ErrorAt(event.place,
                     fmt::format("the aliases of this file expand to more "
                                 "than {} values",
                                 kMostAliasNodes));
    }
    return known->second.node;
  }

  Result<Node> List(const YamlEvent& start) {
    Node list = Node::List(start.place);
    while (true) {
      const YamlEvent event = TRY(events_.Next());
      if (event.kind == kListEnd) return list;
      list.items.push_back(TRY(Value(event)));
    }
  }

  Result<Node> Map(const YamlEvent& start) {
    MappingBuilder map(start.place);
    while (true) {
      const YamlEvent event = TRY(events_.Next());
      if (event.kind == kMapEnd) return std::move(map).Finish();
      if (event.kind == kScalar && event.plain && event.text == "<<") {
        const YamlEvent merged = TRY(events_.Next());
        const Node maps = TRY(Value(merged));
        TRY(map.Merge(maps));
        continue;
      }
      Node key = TRY(Value(event));
      if (key.is_container())
        return ErrorAt(key.place, "a list or map cannot be a key");
      if (key.is_null())
        return ErrorAt(key.place, "null cannot be a key; quote it");
      const YamlEvent second = TRY(events_.Next());
      Node value = TRY(Value(second));
      TRY(map.Add(std::move(key), std::move(value)));
    }
  }

  YamlEvents events_;
  int depth_ = 0;
  std::size_t nodes_ = 0;
  std::map<std::string, Anchored> anchors_{};
  std::size_t anchored_nodes_ = 0;
  std::size_t alias_nodes_ = 0;
};

}  // namespace

Result<Node> ReadYaml(std::shared_ptr<const Source> source) {
  YamlEvents events = TRY(YamlEvents::Open(source));
  Node node = TRY(YamlComposer(std::move(events)).Document());
  TRY(CheckStrictYaml(source));
  if (node.is_null()) return Node::Map(node.place);
  if (node.is_string()) {
    Node map = Node::Map(node.place);
    map.Set(node, Node{});
    return map;
  }
  if (node.is_container()) return node;
  return ErrorAt(node.place,
                 fmt::format("a configuration is a map, not the {} '{}'",
                             PythonTypeName(node), PythonStr(node)));
}

}  // namespace rangefinder
