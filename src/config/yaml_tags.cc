#include "config/yaml_tags.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

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

// Base64, of which all that is no digit of it is skipped.
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

// !!omap: its one-entry maps become pairs.
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

}  // namespace

Result<Node> ScalarValue(const YamlEvent& event) {
  YamlTag type = YamlTag::kString;
  // libyaml leaves the tag "!" to an empty text, which PyYAML reads as plain.
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

}  // namespace rangefinder
