// Conformance vectors: JSON lines as configuration trees, so that one kind of
// comparison serves all. `{"$float": ...}`, `{"$bytes": ...}` and `{"$pairs":
// ...}` stand for values that JSON cannot express.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/node.h"
#include "config/scalar.h"
#include "config/yaml.h"

namespace rangefinder::vectors {

// Builds a Node from JSON events: keeps the order of keys, and integers of any
// length.
class NodeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Put(Node{}); }
  bool boolean(bool value) override { return Put(Node::Bool(value)); }
  bool number_integer(std::int64_t value) override {
    return Put(Node::Int(value));
  }
  bool number_unsigned(std::uint64_t value) override {
    return Put(PythonInt(std::to_string(value)).value());
  }
  bool number_float(double value, const std::string& text) override {
    if (text.find_first_of(".eE") == std::string::npos) {
      return Put(PythonInt(text).value());
    }
    return Put(Node::Float(value));
  }
  bool string(std::string& value) override { return Put(Node::String(value)); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Node::Map()); }
  bool key(std::string& value) override {
    keys_.push_back(value);
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Node::List()); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception&) override {
    return false;
  }

  Node root{};

 private:
  bool Open(Node node) {
    open_.push_back(std::move(node));
    return true;
  }
  bool Close() {
    Node node = std::move(open_.back());
    open_.pop_back();
    return Put(Special(std::move(node)));
  }
  bool Put(Node node) {
    if (open_.empty()) {
      root = std::move(node);
    } else if (open_.back().is_list()) {
      open_.back().items.push_back(std::move(node));
    } else {
      open_.back().Set(keys_.back(), std::move(node));
      keys_.pop_back();
    }
    return true;
  }
  static Node Special(Node node) {
    if (!node.is_map() || node.entries.size() != 1) return node;
    const std::string& name = node.entries[0].key.text;
    const Node& value = node.entries[0].value;
    if (name == "$float") {
      const double infinity = std::numeric_limits<double>::infinity();
      return Node::Float(value.text == "nan"   ? std::nan("")
                         : value.text == "inf" ? infinity
                                               : -infinity);
    }
    if (name == "$bytes") {
      const auto source = std::make_shared<const Source>(
          Source{.text = "a: !!binary " + value.text + "\n"});
      return *ReadYaml(source).value().Find("a");
    }
    if (name == "$pairs") {
      Node map = Node::Map();
      for (const Node& pair : value.items)
        map.Set(pair.items[0], pair.items[1]);
      return map;
    }
    return node;
  }

  std::vector<Node> open_;
  std::vector<std::string> keys_;
};

inline std::vector<Node> ReadLines(const std::filesystem::path& path) {
  std::vector<Node> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    NodeBuilder builder;
    if (nlohmann::json::sax_parse(line, &builder))
      rows.push_back(std::move(builder.root));
  }
  return rows;
}

// Where the shared material lies, or an empty path.
inline std::filesystem::path Shared() {
  if (const char* path = std::getenv("RANGEFINDER_SHARED")) return path;
  const std::filesystem::path beside =
      std::filesystem::path(RANGEFINDER_SOURCE_DIR) / ".." / "shared";
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside
                                                : std::filesystem::path();
}

// The same data; maps in any order.
inline bool SameData(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  if (a.is_list()) {
    if (a.items.size() != b.items.size()) return false;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      if (!SameData(a.items[i], b.items[i])) return false;
    }
    return true;
  }
  if (!a.is_map()) return Identical(a, b);
  if (a.entries.size() != b.entries.size()) return false;
  for (const Entry& entry : a.entries) {
    bool found = false;
    for (const Entry& other : b.entries)
      found |=
          Identical(entry.key, other.key) && SameData(entry.value, other.value);
    if (!found) return false;
  }
  return true;
}

inline std::string Text(const Node& row, std::string_view key) {
  const Node* node = row.Find(key);
  return node == nullptr || node->is_null() ? "" : PythonStr(*node);
}

inline bool Flag(const Node& row, std::string_view key) {
  const Node* node = row.Find(key);
  return node != nullptr && node->kind == NodeKind::kBool && node->boolean;
}

}  // namespace rangefinder::vectors
