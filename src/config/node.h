// A configuration tree: ordered, every value with the place where it was
// written.
//
// A tree is a plain value: copying a node copies all below it. Interpolations
// are text here; config/resolve.h evaluates them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/place.h"

namespace rangefinder {

enum class NodeKind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kFloat,
  kString,
  kBytes,
  kList,
  kMap
};

struct Entry;

struct Node {
  NodeKind kind = NodeKind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;  // strings, bytes; digits of an int beyond 64 bits
  std::vector<Node> items;
  std::vector<Entry> entries;
  Place place;
  bool literal = false;  // a string whose "${" is text, not an interpolation

  static Node Bool(bool value, Place place = {});
  static Node Int(std::int64_t value, Place place = {});
  static Node Float(double value, Place place = {});
  static Node String(std::string value, Place place = {});
  static Node Literal(std::string value, Place place = {});  // see `literal`
  static Node List(Place place = {});
  static Node Map(Place place = {});

  bool is_null() const { return kind == NodeKind::kNull; }
  bool is_string() const { return kind == NodeKind::kString; }
  bool is_list() const { return kind == NodeKind::kList; }
  bool is_map() const { return kind == NodeKind::kMap; }
  bool is_container() const { return is_list() || is_map(); }
  // "???": the user has to give a value.
  bool is_missing() const { return is_string() && text == "???"; }
  // Whether the text has an interpolation, or an escaped "${".
  bool is_interpolation() const {
    return is_string() && !literal && text.find("${") != std::string::npos;
  }

  // The value of a string key; null without the key, or if this is no map.
  const Node* Find(std::string_view key) const;
  Node* Find(std::string_view key);
  // By dotted path, through maps and list indices.
  const Node* FindPath(std::string_view path) const;
  // Replaces the value of `key` in its place, or appends key and value.
  Node& Set(const Node& key, Node value);
  Node& Set(std::string_view key, Node value);
  bool Erase(std::string_view key);
};

struct Entry {
  Node key{};  // a scalar
  Node value{};
};

// The path of `key` in the map at `path`: "path.key"; empty `path`: the root.
std::string PathBelow(const std::string& path, const Node& key);
// The paths of all keys of `tree`, parents before children. Behind 5000 paths,
// the children are left out.
std::vector<std::string> PathsOf(const Node& tree);

struct Leaf {
  std::string path{};
  const Node* node = nullptr;  // no map, or an empty one
};
// In the order of `tree`, which must outlive them.
std::vector<Leaf> LeavesOf(const Node& tree);

// The value of a bool, an int or a float, as Python's float() has it.
std::optional<double> PythonNumber(const Node& node);
// Python's ==: 1 == 1.0 == True, maps equal in any order.
bool PythonEqual(const Node& a, const Node& b);
// The same data of the same types in the same order; places may differ.
bool Identical(const Node& a, const Node& b);

std::string_view PythonTypeName(const Node& node);  // "int" "dict" "NoneType"
std::string PythonStr(const Node& node);   // "True" "None" "{'k': 1}" "text"
std::string PythonRepr(const Node& node);  // PythonStr with strings quoted
std::string PythonFloat(double value);     // "1.0" "1e+22" "inf"

}  // namespace rangefinder
