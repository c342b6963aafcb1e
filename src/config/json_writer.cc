#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/json_text.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

// Would a plain object lose the type of a key, or be taken for an escape?
bool NeedsPairs(const Node& map) {
  return std::ranges::any_of(map.entries, [](const Entry& entry) {
    return !entry.key.is_string() || entry.key.text == "$float" ||
           entry.key.text == "$bytes" || entry.key.text == "$pairs";
  });
}

void JsonObject(const Node& node, bool compact, std::size_t indent,
                std::string& out);

void Json(const Node& node, bool compact, std::size_t indent,
          std::string& out) {
  const auto line = [&](std::size_t width) {
    if (!compact) out.append("\n").append(width, ' ');
  };
  const auto separate = [&](bool& first) {
    if (!first) out += compact ? ", " : ",";
    first = false;
    line(indent + 2);
  };
  bool first = true;
  switch (node.kind) {
    case NodeKind::kNull:
      out += "null";
      return;
    case NodeKind::kBool:
      out += node.boolean ? "true" : "false";
      return;
    case NodeKind::kInt:
      out += PythonRepr(node);
      return;
    case NodeKind::kFloat: {
      const std::string text = PythonFloat(node.number);
      if (std::isfinite(node.number)) {
        out += text;
        return;
      }
      Node object = Node::Map();
      object.entries.push_back({Node::String("$float"), Node::String(text)});
      return JsonObject(object, compact, indent, out);
    }
    case NodeKind::kBytes: {
      Node object = Node::Map();
      object.entries.push_back(
          {Node::String("$bytes"), Node::String(Base64(node.text))});
      return JsonObject(object, compact, indent, out);
    }
    case NodeKind::kString:
      AppendJsonText(node.text, out);
      return;
    case NodeKind::kList:
      out += '[';
      for (const Node& item : node.items) {
        separate(first);
        Json(item, compact, indent + 2, out);
      }
      if (!first) line(indent);
      out += ']';
      return;
    case NodeKind::kMap: {
      if (!NeedsPairs(node)) return JsonObject(node, compact, indent, out);
      Node pairs = Node::List();
      for (const Entry& entry : node.entries) {
        Node pair = Node::List();
        pair.items = {entry.key, entry.value};
        pairs.items.push_back(std::move(pair));
      }
      Node object = Node::Map();
      object.entries.push_back({Node::String("$pairs"), std::move(pairs)});
      return JsonObject(object, compact, indent, out);
    }
  }
}

void JsonObject(const Node& node, bool compact, std::size_t indent,
                std::string& out) {
  out += '{';
  for (const Entry& entry : node.entries) {
    if (&entry != &node.entries.front()) out += compact ? ", " : ",";
    if (!compact) out.append("\n").append(indent + 2, ' ');
    AppendJsonText(PythonStr(entry.key), out);
    out += ": ";
    Json(entry.value, compact, indent + 2, out);
  }
  if (!compact && !node.entries.empty()) out.append("\n").append(indent, ' ');
  out += '}';
}

}  // namespace

std::string Base64(std::string_view bytes) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits <<= 8;
      if (i + j < bytes.size())
        bits |= static_cast<unsigned char>(bytes[i + j]);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text +=
          i + j > bytes.size() ? '=' : kAlphabet[(bits >> (18 - 6 * j)) & 63];
    }
  }
  return text;
}

std::string WriteJson(const Node& node, bool compact) {
  std::string out;
  Json(node, compact, 0, out);
  return out + "\n";
}

}  // namespace rangefinder
