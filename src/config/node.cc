#include "config/node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

Node NodeOf(NodeKind kind, Place place) {
  Node node;
  node.kind = kind;
  node.place = std::move(place);
  return node;
}

void AddPaths(const Node& node, const std::string& path,
              std::vector<std::string>& out) {
  for (const Entry& entry : node.entries) {
    const std::string name = PathBelow(path, entry.key);
    out.push_back(name);
    if (out.size() < 5000) AddPaths(entry.value, name, out);
  }
}

void AddLeaves(const Node& node, const std::string& path,
               std::vector<Leaf>& out) {
  if (node.entries.empty()) out.push_back({path, &node});
  for (const Entry& entry : node.entries)
    AddLeaves(entry.value, PathBelow(path, entry.key), out);
}

}  // namespace

Node Node::Bool(bool value, Place place) {
  Node node = NodeOf(NodeKind::kBool, std::move(place));
  node.boolean = value;
  return node;
}

Node Node::Int(std::int64_t value, Place place) {
  Node node = NodeOf(NodeKind::kInt, std::move(place));
  node.integer = value;
  return node;
}

Node Node::Float(double value, Place place) {
  Node node = NodeOf(NodeKind::kFloat, std::move(place));
  node.number = value;
  return node;
}

Node Node::String(std::string value, Place place) {
  Node node = NodeOf(NodeKind::kString, std::move(place));
  node.text = std::move(value);
  return node;
}

Node Node::Literal(std::string value, Place place) {
  Node node = String(std::move(value), std::move(place));
  node.literal = true;
  return node;
}

Node Node::List(Place place) {
  return NodeOf(NodeKind::kList, std::move(place));
}

Node Node::Map(Place place) {
  return NodeOf(NodeKind::kMap, std::move(place));
}

const Node* Node::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key.is_string() && entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

Node* Node::Find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->Find(key));
}

const Node* Node::FindPath(std::string_view path) const {
  const Node* node = this;
  for (const std::string& part : Split(path, '.')) {
    if (node->is_list()) {
      std::size_t index = 0;
      const char* const end = part.data() + part.size();
      if (std::from_chars(part.data(), end, index).ptr != end ||
          index >= node->items.size())
        return nullptr;
      node = &node->items[index];
    } else {
      node = node->Find(part);
      if (node == nullptr) return nullptr;
    }
  }
  return node;
}

Node& Node::Set(const Node& key, Node value) {
  for (Entry& entry : entries) {
    if (Identical(entry.key, key)) {
      entry.value = std::move(value);
      return entry.value;
    }
  }
  entries.push_back({key, std::move(value)});
  return entries.back().value;
}

Node& Node::Set(std::string_view key, Node value) {
  const Node name = String(std::string(key), value.place);
  return Set(name, std::move(value));
}

bool Node::Erase(std::string_view key) {
  return std::erase_if(entries, [&](const Entry& entry) {
           return entry.key.is_string() && entry.key.text == key;
         }) > 0;
}

std::string PathBelow(const std::string& path, const Node& key) {
  return path.empty() ? PythonStr(key) : path + "." + PythonStr(key);
}

std::vector<std::string> PathsOf(const Node& tree) {
  std::vector<std::string> out;
  AddPaths(tree, "", out);
  return out;
}

std::vector<Leaf> LeavesOf(const Node& tree) {
  std::vector<Leaf> out;
  AddLeaves(tree, "", out);
  return out;
}

std::optional<double> PythonNumber(const Node& node) {
  if (node.kind == NodeKind::kBool) return node.boolean ? 1 : 0;
  if (node.kind == NodeKind::kFloat) return node.number;
  if (node.kind != NodeKind::kInt) return std::nullopt;
  if (!node.text.empty()) return std::strtod(node.text.c_str(), nullptr);
  return static_cast<double>(node.integer);
}

bool PythonEqual(const Node& a, const Node& b) {
  if (a.kind != b.kind) {
    const auto number = PythonNumber(a);
    return number && number == PythonNumber(b);
  }
  switch (a.kind) {
    case NodeKind::kInt:
      return a.integer == b.integer && a.text == b.text;
    case NodeKind::kString:
    case NodeKind::kBytes:
      return a.text == b.text;
    case NodeKind::kList:
      return std::equal(a.items.begin(), a.items.end(), b.items.begin(),
                        b.items.end(), PythonEqual);
    case NodeKind::kMap:
      return a.entries.size() == b.entries.size() &&
             std::ranges::all_of(a.entries, [&](const Entry& entry) {
               return std::ranges::any_of(b.entries, [&](const Entry& other) {
                 return PythonEqual(entry.key, other.key) &&
                        PythonEqual(entry.value, other.value);
               });
             });
    default:
      return PythonNumber(a) == PythonNumber(b);
  }
}

bool Identical(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case NodeKind::kNull:
      return true;
    case NodeKind::kBool:
      return a.boolean == b.boolean;
    case NodeKind::kInt:
      return a.integer == b.integer && a.text == b.text;
    case NodeKind::kFloat:
      return (std::isnan(a.number) && std::isnan(b.number)) ||
             (a.number == b.number &&
              std::signbit(a.number) == std::signbit(b.number));
    case NodeKind::kString:
    case NodeKind::kBytes:
      return a.text == b.text;
    case NodeKind::kList:
      return std::equal(a.items.begin(), a.items.end(), b.items.begin(),
                        b.items.end(), Identical);
    case NodeKind::kMap:
      return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(),
                        b.entries.end(), [](const Entry& x, const Entry& y) {
                          return Identical(x.key, y.key) &&
                                 Identical(x.value, y.value);
                        });
  }
  return false;
}

std::string_view PythonTypeName(const Node& node) {
  constexpr std::array<std::string_view, 8> kNames = {
      "NoneType", "bool", "int", "float", "str", "bytes", "list", "dict"};
  return kNames[static_cast<std::size_t>(node.kind)];
}

std::string PythonFloat(double value) {
  if (std::isnan(value)) return "nan";
  // fmt has Python's shortest digits and bounds of exponents, without ".0".
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string PythonStr(const Node& node) {
  return node.is_string() ? node.text : PythonRepr(node);
}

std::string PythonRepr(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return "None";
    case NodeKind::kBool:
      return node.boolean ? "True" : "False";
    case NodeKind::kInt:
      return node.text.empty() ? std::to_string(node.integer) : node.text;
    case NodeKind::kFloat:
      return PythonFloat(node.number);
    case NodeKind::kString:
    case NodeKind::kBytes: {
      const bool bytes = node.kind == NodeKind::kBytes;
      const char quote = node.text.find('\'') != std::string::npos &&
                                 node.text.find('"') == std::string::npos
                             ? '"'
                             : '\'';
      std::string out = bytes ? "b" : "";
      out += quote;
      for (const char c : node.text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
          out += '\\';
          out += c;
        } else if (c == '\n') {
          out += "\\n";
        } else if (c == '\t') {
          out += "\\t";
        } else if (c == '\r') {
          out += "\\r";
        } else if (byte < 0x20 || byte == 0x7F || (bytes && byte >= 0x80)) {
          out += fmt::format("\\x{:02x}", byte);
        } else {
          out += c;
        }
      }
      return out + quote;
    }
    case NodeKind::kList: {
      std::string out = "[";
      for (const Node& item : node.items) {
        if (out.size() > 1) out += ", ";
        out += PythonRepr(item);
      }
      return out + "]";
    }
    case NodeKind::kMap: {
      std::string out = "{";
      for (const Entry& entry : node.entries) {
        if (out.size() > 1) out += ", ";
        out += PythonRepr(entry.key) + ": " + PythonRepr(entry.value);
      }
      return out + "}";
    }
  }
  return {};
}

}  // namespace rangefinder
