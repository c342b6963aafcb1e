// Makes a configuration tree of YAML events, as OmegaConf does: tags, anchors
// and aliases, `<<`, no key twice.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"
#include "config/yaml_events.h"

namespace rangefinder {
namespace {

using enum YamlEventKind;

// ---- scalars and tags -------------------------------------------------------

constexpr std::string_view kCore = "tag:yaml.org,2002:";

Error UnknownTag(const YamlEvent& event) {
  const std::string_view tag = event.tag;
  const std::string shown = tag.starts_with(kCore)
                                ? "!!" + std::string(tag.substr(kCore.size()))
                                : std::string(tag);
  return ErrorAt(event.place,
                 fmt::format("the tag '{}' is not supported; quote the value "
                             "if it begins with '!'",
                             Printable(shown)),
                 event.anchor.empty() ? shown.size() : 1);
}

// Decodes base64; skips all characters that are no base64 digits.
Node Binary(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Node node = Node::String("");
  node.kind = NodeKind::kBytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) continue;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      node.text += static_cast<char>((bits >> count) & 0xFF);
    }
  }
  return node;
}

// Makes the items of an !!omap, maps of one entry, into pairs.
Status MakePairs(Node& list) {
  for (Node& item : list.items) {
    if (!item.is_map() || item.entries.size() != 1)
      return ErrorAt(item.place, "expected one 'key: value' in an !!omap");
    Node pair = Node::List(item.place);
    pair.items = {item.entries[0].key, item.entries[0].value};
    item = std::move(pair);
  }
  return Ok();
}

Result<Node> ScalarValue(const YamlEvent& event) {
  YamlTag type = YamlTag::kString;
  // An empty text with the tag "!": PyYAML reads it as plain.
  if (event.plain || event.tag == "!") {
    type = ResolvePlain(event.text);
  } else if (!event.tag.empty()) {
    static const std::map<std::string_view, YamlTag> kTags = {
        {"null", YamlTag::kNull},
        {"bool", YamlTag::kBool},
        {"int", YamlTag::kInt},
        {"float", YamlTag::kFloat},
        {"str", YamlTag::kString}};
    std::string_view tag = event.tag;
    if (!tag.starts_with(kCore)) return UnknownTag(event);
    tag.remove_prefix(kCore.size());
    if (tag == "binary") {
      Node node = Binary(event.text);
      node.place = event.place;
      return node;
    }
    const auto known = kTags.find(tag);
    if (known == kTags.end()) return UnknownTag(event);
    type = known->second;
  }
  if (type == YamlTag::kMerge || type == YamlTag::kValue)
    return ErrorAt(event.place,
                   fmt::format("'{}' has to be quoted", event.text));
  auto node = MakeScalar(type, event.text);
  if (!node) {
    return ErrorAt(event.place, fmt::format("'{}' is no value of its type",
                                            Printable(event.text)));
  }
  node->place = event.place;
  return *std::move(node);
}

Result<Node> TaggedContainer(Node node, const YamlEvent& event) {
  std::string_view tag = event.tag;
  if (tag.empty() || tag == "!") return node;
  if (!tag.starts_with(kCore)) return UnknownTag(event);
  tag.remove_prefix(kCore.size());
  if (tag == (node.is_map() ? "map" : "seq")) return node;
  if (tag != "omap" || !node.is_list()) return UnknownTag(event);
  TRY(MakePairs(node));
  return node;
}

// ---- maps -------------------------------------------------------------------

// Composition looks each key up in a list.
constexpr std::size_t kMostKeys = 10000;

// Equal for keys that are one key in Python, such as 1, 1.0 and True.
std::string KeyIdentity(const Node& key) {
  switch (key.kind) {
    case NodeKind::kString:
      return "s" + key.text;
    case NodeKind::kBytes:
      return "b" + key.text;
    case NodeKind::kBool:
      return key.boolean ? "n1" : "n0";
    case NodeKind::kInt:
      return "n" + PythonRepr(key);
    case NodeKind::kFloat:
      if (key.number == std::floor(key.number) && std::abs(key.number) < 1e15)
        return fmt::format("n{:.0f}", key.number);
      return "n" + PythonRepr(key);
    default:
      return "";
  }
}

Error TooManyKeys(const Place& place) {
  return ErrorAt(place, fmt::format("more than {} keys in one map", kMostKeys));
}

class MappingBuilder {
 public:
  explicit MappingBuilder(Place place) : map_(Node::Map(std::move(place))) {}

  // A string that is already a key is an error; another key takes the later
  // value.
  Status Add(Node key, Node value) {
    const auto [known, added] =
        index_.emplace(KeyIdentity(key), map_.entries.size());
    if (!added) {
      Entry& other = map_.entries[known->second];
      if (key.is_string()) {
        return ErrorAt(
            key.place,
            fmt::format("found duplicate key '{}' (the first is in line {})",
                        Printable(key.text), other.key.place.line),
            key.text.size());
      }
      other.value = std::move(value);
      return Ok();
    }
    if (map_.entries.size() >= kMostKeys) return TooManyKeys(key.place);
    map_.entries.push_back({std::move(key), std::move(value)});
    return Ok();
  }

  // `value`: a map, or a list of maps in which the first wins. Own keys win
  // over all.
  Status Merge(const Node& value) {
    std::vector<const Node*> maps;  // later ones win
    if (value.is_map()) maps.push_back(&value);
    if (value.is_list()) {
      for (const Node& item : value.items) maps.push_back(&item);
      std::ranges::reverse(maps);
    }
    if (maps.empty() ||
        !std::ranges::all_of(maps, [](const Node* n) { return n->is_map(); })) {
      return ErrorAt(value.place,
                     "expected a map, or a list of maps, to merge with '<<'");
    }
    for (const Node* map : maps)
      merged_.insert(merged_.end(), map->entries.begin(), map->entries.end());
    return Ok();
  }

  Result<Node> Finish() && {
    if (merged_.empty()) return std::move(map_);
    Node out = Node::Map(map_.place);
    Index index;
    const auto take = [&](std::vector<Entry>& entries) {
      for (Entry& entry : entries) {
        const auto [known, added] =
            index.emplace(KeyIdentity(entry.key), out.entries.size());
        if (added)
          out.entries.push_back(std::move(entry));
        else
          out.entries[known->second].value = std::move(entry.value);
      }
    };
    take(merged_);
    take(map_.entries);
    if (out.entries.size() > kMostKeys) return TooManyKeys(out.place);
    return out;
  }

 private:
  using Index = std::unordered_map<std::string, std::size_t>;  // key -> entry

  Node map_;
  Index index_{};
  std::vector<Entry> merged_{};
};

// ---- documents --------------------------------------------------------------

constexpr int kDeepestYaml = 200;
// An alias copies its anchor's value, so ten lines of aliases can need more
// memory than the machine has. Each level of nested anchors is stored as well,
// with the same effect.
constexpr std::size_t kMostAliasNodes = 20000;
constexpr std::size_t kMostAnchoredNodes = 200000;

struct Anchored {
  Node node{};
  std::size_t size = 0;  // nodes, with `node` itself
};

class YamlComposer {
 public:
  explicit YamlComposer(YamlEvents events) : events_(std::move(events)) {}

  // The only document; null without one.
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
    if (++depth_ > kDeepestYaml) {
      return ErrorAt(event.place,
                     fmt::format("nested more than {} deep", kDeepestYaml));
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
  if (!source->embedded) TRY(CheckStrictYaml(source));
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

Node ReadEmbeddedYaml(const EmbeddedFile& file) {
  Result<Node> read = ReadYaml(
      std::make_shared<const Source>(Source{.name = std::string(file.path),
                                            .text = std::string(file.content()),
                                            .embedded = true}));
  assert(read.ok());
  return std::move(read).value();
}

}  // namespace rangefinder
