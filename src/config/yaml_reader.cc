#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"
#include "config/yaml_scanner.h"

namespace rangefinder {
namespace {

using enum YamlTokenKind;

constexpr int kDeepest = 200;
// Aliases copy: ten lines of them can ask for more memory than there is.
constexpr std::size_t kMostAliasNodes = 20000;

std::size_t Count(const Node& node) {
  std::size_t n = 1;
  for (const Node& item : node.items) n += Count(item);
  for (const Entry& entry : node.entries) n += 1 + Count(entry.value);
  return n;
}

// Composing looks keys up one by one.
constexpr std::size_t kMostKeys = 10000;

// A map while it is read.
struct MapBuilder {
  Node map{};
  std::vector<Entry> merged{};                        // by `<<`
  std::unordered_map<std::string, std::size_t> at{};  // key -> entry
};

// Equal for keys that are one key to Python: 1, 1.0 and True are.
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

// What a node may carry before its content.
struct Properties {
  std::string anchor{};
  std::string tag{};
  YamlToken at{};
};

class Parser {
 public:
  Parser(std::shared_ptr<const Source> source, std::vector<YamlToken> tokens)
      : source_(std::move(source)), tokens_(std::move(tokens)) {}

  Result<Node> Document() {
    bool explicit_start = false;
    bool directives = false;
    while (Is(kDirective)) {
      directives = true;
      ++at_;
    }
    if (Is(kDocumentStart)) {
      explicit_start = true;
      ++at_;
    } else if (directives) {
      return Fail(fmt::format("expected '---' after a directive, found {}",
                              TokenName(Token().kind)));
    }
    if (Is(kStreamEnd)) return Node::Map(At(Token()));
    Node node;
    if (explicit_start && (Is(kDocumentStart) || Is(kDocumentEnd)))
      node.place = At(Token());
    else
      node = TRY(Value(true, false));
    while (Is(kDocumentEnd)) ++at_;
    if (!Is(kStreamEnd)) {
      return Fail(Is(kDocumentStart)
                      ? "a second document begins here; a configuration file "
                        "has one"
                      : fmt::format("{} is not expected here: is it indented "
                                    "differently from the lines above?",
                                    TokenName(Token().kind)));
    }
    return node;
  }

 private:
  const YamlToken& Token() const { return tokens_[at_]; }
  bool Is(YamlTokenKind kind) const { return Token().kind == kind; }
  bool Take(YamlTokenKind kind) {
    if (!Is(kind)) return false;
    ++at_;
    return true;
  }
  Place At(const YamlToken& token) const {
    return {.source = source_, .line = token.line, .column = token.column};
  }
  Error Fail(std::string_view message) const {
    return ErrorAt(At(Token()), message);
  }

  Result<Node> Value(bool block, bool indentless) {
    if (++depth_ > kDeepest)
      return Fail(fmt::format("nested more than {} deep", kDeepest));
    Result<Node> value = ValueInside(block, indentless);
    --depth_;
    return value;
  }

  Result<Node> ValueInside(bool block, bool indentless) {
    if (Is(kAlias)) return Alias();
    Properties properties{.at = Token()};
    for (int i = 0; i < 2; ++i) {
      if (Is(kAnchor) && properties.anchor.empty()) {
        properties.anchor = Token().text;
        ++at_;
      } else if (Is(kTag) && properties.tag.empty()) {
        properties.tag = Token().text;
        ++at_;
      }
    }
    Node node = TRY(Content(block, indentless, properties));
    if (!properties.anchor.empty()) {
      if (anchors_.contains(properties.anchor)) {
        return ErrorAt(At(properties.at),
                       fmt::format("a second anchor '&{}'", properties.anchor));
      }
      anchors_[properties.anchor] = node;
    }
    return node;
  }

  Result<Node> Alias() {
    const auto it = anchors_.find(Token().text);
    if (it == anchors_.end())
      return Fail(fmt::format("no anchor '&{}' before this", Token().text));
    alias_nodes_ += Count(it->second);
    if (alias_nodes_ > kMostAliasNodes) {
      return Fail(
          fmt::format("the aliases of this file expand to more than {} "
                      "values",
                      kMostAliasNodes));
    }
    ++at_;
    return it->second;
  }

  Result<Node> Content(bool block, bool indentless,
                       const Properties& properties) {
    const YamlToken token = Token();
    switch (token.kind) {
      case kBlockEntry:
        if (!indentless) break;
        return Tagged(TRY(Sequence(kBlockEnd, true)), properties);
      case kScalar:
        ++at_;
        return Scalar(token, properties);
      case kFlowSequenceStart:
        ++at_;
        return Tagged(TRY(FlowSequence(token)), properties);
      case kFlowMappingStart:
        ++at_;
        return Tagged(TRY(FlowMapping(token)), properties);
      case kBlockSequenceStart:
        if (!block) break;
        ++at_;
        return Tagged(TRY(Sequence(kBlockEnd, false)), properties);
      case kBlockMappingStart:
        if (!block) break;
        ++at_;
        return Tagged(TRY(BlockMapping()), properties);
      default:
        break;
    }
    if (!properties.anchor.empty() || !properties.tag.empty())
      return Scalar({.kind = kScalar,
                     .text = "",
                     .plain = true,
                     .line = token.line,
                     .column = token.column},
                    properties);
    if (token.kind == kKey && !block) {
      return Fail("'?' begins a key here: quote the value, as in \"???\"");
    }
    return Fail(
        fmt::format("expected a value, found {}", TokenName(token.kind)));
  }

  Node Empty() const {
    Node node;
    node.place = At(Token());
    return node;
  }

  Result<Node> Sequence(YamlTokenKind end, bool indentless) {
    Node list = Node::List(At(Token()));
    while (Take(kBlockEntry)) {
      if (Is(kBlockEntry) || Is(end) ||
          (indentless && (Is(kKey) || Is(kValue))))
        list.items.push_back(Empty());
      else
        list.items.push_back(TRY(Value(true, false)));
    }
    if (indentless) return list;
    if (!Take(end))
      return Fail(fmt::format("expected '- ' or the end of the list, found {}",
                              TokenName(Token().kind)));
    return list;
  }

  Result<Node> BlockMapping() {
    MapBuilder map{.map = Node::Map(At(Token()))};
    while (Is(kKey) || Is(kValue)) {
      Entry entry;
      entry.key = Empty();
      if (Take(kKey)) {
        if (!Is(kKey) && !Is(kValue) && !Is(kBlockEnd))
          entry.key = TRY(Key(true));
      }
      entry.value = Empty();
      if (Take(kValue)) {
        if (!Is(kKey) && !Is(kValue) && !Is(kBlockEnd))
          entry.value = TRY(Value(true, true));
      }
      TRY(AddEntry(map, std::move(entry)));
    }
    if (!Take(kBlockEnd))
      return Fail(fmt::format("expected a key or the end of the map, found {}",
                              TokenName(Token().kind)));
    return Finish(std::move(map));
  }

  Result<Node> FlowSequence(const YamlToken& start) {
    Node list = Node::List(At(start));
    bool first = true;
    while (!Is(kFlowSequenceEnd)) {
      if (!first) {
        if (!Take(kFlowEntry)) return Unclosed(start, "',' or ']'");
        if (Is(kFlowSequenceEnd)) break;
      }
      first = false;
      if (Is(kKey)) {  // [a: 1] is [{a: 1}]
        const YamlToken token = Token();
        ++at_;
        MapBuilder map{.map = Node::Map(At(token))};
        Entry entry = TRY(FlowEntry(kFlowSequenceEnd));
        TRY(AddEntry(map, std::move(entry)));
        list.items.push_back(TRY(Finish(std::move(map))));
      } else {
        list.items.push_back(TRY(Value(false, false)));
      }
    }
    ++at_;
    return list;
  }

  Result<Node> FlowMapping(const YamlToken& start) {
    MapBuilder map{.map = Node::Map(At(start))};
    bool first = true;
    while (!Is(kFlowMappingEnd)) {
      if (!first) {
        if (!Take(kFlowEntry)) return Unclosed(start, "',' or '}'");
        if (Is(kFlowMappingEnd)) break;
      }
      first = false;
      Entry entry;
      if (Take(kKey)) {
        entry = TRY(FlowEntry(kFlowMappingEnd));
      } else {
        entry.value = Empty();
        entry.key = TRY(Key(false));
      }
      TRY(AddEntry(map, std::move(entry)));
    }
    ++at_;
    return Finish(std::move(map));
  }

  // After kKey in a flow collection: a key, and perhaps a value.
  Result<Entry> FlowEntry(YamlTokenKind end) {
    Entry entry;
    entry.key = Empty();
    if (!Is(kValue) && !Is(kFlowEntry) && !Is(end)) entry.key = TRY(Key(false));
    entry.value = Empty();
    if (Take(kValue) && !Is(kFlowEntry) && !Is(end))
      entry.value = TRY(Value(false, false));
    return entry;
  }

  Error Unclosed(const YamlToken& start, std::string_view expected) const {
    if (Is(kStreamEnd))
      return ErrorAt(At(start), "this bracket is never closed");
    std::string_view hint;
    if (Is(kFlowMappingStart) || Is(kKey))
      hint = "; quote a value with '{', '?' or '$' in it";
    return Fail(fmt::format("expected {}, found {}{}", expected,
                            TokenName(Token().kind), hint));
  }

  // A key: like a value, but `<<` is itself.
  Result<Node> Key(bool block) {
    if (Is(kScalar) && Token().plain && Token().text == "<<") {
      Node key = Node::String("<<", At(Token()));
      key.integer = 1;  // plain: merges
      ++at_;
      return key;
    }
    Node key = TRY(Value(block, block));
    if (key.is_container())
      return ErrorAt(key.place, "a list or map cannot be a key");
    return key;
  }

  Status AddEntry(MapBuilder& map, Entry entry) {
    const Node& key = entry.key;
    if (key.is_null())
      return ErrorAt(key.place, "null cannot be a key; quote it");
    if (key.is_string() && key.integer == 1)
      return Merge(map.merged, entry.value);
    const auto [known, added] =
        map.at.emplace(KeyIdentity(key), map.map.entries.size());
    if (!added) {
      Entry& other = map.map.entries[known->second];
      if (key.is_string()) {
        return ErrorAt(
            key.place,
            fmt::format("found duplicate key '{}' (the first is in line {})",
                        Printable(key.text), other.key.place.line),
            key.text.size());
      }
      other.value = std::move(entry.value);
      return Ok();
    }
    if (map.map.entries.size() >= kMostKeys) {
      return ErrorAt(key.place,
                     fmt::format("more than {} keys in one map", kMostKeys));
    }
    map.map.entries.push_back(std::move(entry));
    return Ok();
  }

  // Adds what `<<` names: of several maps the first wins.
  Status Merge(std::vector<Entry>& merged, const Node& value) {
    std::vector<const Node*> maps;
    if (value.is_map()) maps.push_back(&value);
    if (value.is_list()) {
      for (const Node& item : value.items) maps.insert(maps.begin(), &item);
    }
    if (maps.empty() ||
        !std::ranges::all_of(maps, [](const Node* n) { return n->is_map(); })) {
      return ErrorAt(value.place,
                     "expected a map, or a list of maps, to merge with '<<'");
    }
    for (const Node* map : maps)
      merged.insert(merged.end(), map->entries.begin(), map->entries.end());
    return Ok();
  }

  static Result<Node> Finish(MapBuilder map) {
    if (map.merged.empty()) return std::move(map.map);
    Node out = Node::Map(map.map.place);
    for (Entry& entry : map.merged) out.Set(entry.key, std::move(entry.value));
    for (Entry& entry : map.map.entries)
      out.Set(entry.key, std::move(entry.value));
    return out;
  }

  Result<Node> Tagged(Node node, const Properties& properties) {
    const std::string& tag = properties.tag;
    const Place place = node.place;
    if (tag.empty() || tag == "!") return node;
    if (tag == "!!map" && node.is_map()) return node;
    if (tag == "!!seq" && node.is_list()) return node;
    if (tag == "!!omap" && node.is_list()) {
      for (Node& item : node.items) {  // pairs
        if (!item.is_map() || item.entries.size() != 1)
          return ErrorAt(item.place, "expected one 'key: value' in an !!omap");
        Node pair = Node::List(item.place);
        pair.items = {item.entries[0].key, item.entries[0].value};
        item = std::move(pair);
      }
      return node;
    }
    return UnknownTag(properties);
  }

  Error UnknownTag(const Properties& properties) const {
    return ErrorAt(At(properties.at),
                   fmt::format("the tag '{}' is not supported; quote the value "
                               "if it begins with '!'",
                               Printable(properties.tag)),
                   properties.tag.size());
  }

  Result<Node> Scalar(const YamlToken& token, const Properties& properties) {
    const Place place = At(token);
    const std::string& tag = properties.tag;
    YamlTag type = YamlTag::kString;
    if (tag == "!" || (tag.empty() && token.plain)) {
      type = ResolvePlain(token.text);
    } else if (!tag.empty()) {
      static const std::map<std::string_view, YamlTag> kTags = {
          {"!!null", YamlTag::kNull},
          {"!!bool", YamlTag::kBool},
          {"!!int", YamlTag::kInt},
          {"!!float", YamlTag::kFloat},
          {"!!str", YamlTag::kString}};
      constexpr std::string_view kLong = "!<tag:yaml.org,2002:";
      std::string shorthand = tag;
      if (tag.starts_with(kLong) && tag.ends_with('>'))
        shorthand =
            "!!" + tag.substr(kLong.size(), tag.size() - kLong.size() - 1);
      if (shorthand == "!!binary") return Binary(token.text, place);
      const auto it = kTags.find(shorthand);
      if (it == kTags.end()) return UnknownTag(properties);
      type = it->second;
    }
    if (type == YamlTag::kMerge || type == YamlTag::kValue)
      return ErrorAt(place, fmt::format("'{}' has to be quoted", token.text));
    auto node = MakeScalar(type, token.text);
    if (!node) {
      return ErrorAt(place, fmt::format("'{}' is no value of its type",
                                        Printable(token.text)));
    }
    node->place = place;
    return *std::move(node);
  }

  static Result<Node> Binary(std::string_view text, const Place& place) {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    Node node = Node::String("", place);
    node.kind = NodeKind::kBytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
      const std::size_t value = kAlphabet.find(c);
      if (value == std::string_view::npos) continue;  // padding, blanks
      bits = (bits << 6) | static_cast<std::uint32_t>(value);
      count += 6;
      if (count >= 8) {
        count -= 8;
        node.text += static_cast<char>((bits >> count) & 0xFF);
      }
    }
    return node;
  }

  std::shared_ptr<const Source> source_;
  std::vector<YamlToken> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::map<std::string, Node> anchors_;
  std::size_t alias_nodes_ = 0;
};

}  // namespace

Result<Node> ReadYaml(std::shared_ptr<const Source> source) {
  std::vector<YamlToken> tokens = TRY(ScanYaml(source));
  Node node = TRY(Parser(source, std::move(tokens)).Document());
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
