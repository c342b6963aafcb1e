// Writes a configuration tree as JSON. WriteJson() in yaml.h lists the
// notations for values that JSON lacks.

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 4> kNotations = {"$bytes", "$float",
                                                        "$int", "$pairs"};

// Whether a plain object would lose the type of a key, or be read as a
// notation.
bool NeedsPairs(const Node& map) {
  return std::ranges::any_of(map.entries, [](const Entry& entry) {
    return !entry.key.is_string() ||
           std::ranges::find(kNotations, entry.key.text) != kNotations.end();
  });
}

class NodeJson {
 public:
  explicit NodeJson(bool compact) : compact_(compact) {}

  std::string Document(const Node& node) && {
    Value(node);
    return std::move(out_) + '\n';
  }

 private:
  void Value(const Node& node) {
    switch (node.kind) {
      case NodeKind::kNull:
        out_ += "null";
        break;
      case NodeKind::kBool:
        out_ += node.boolean ? "true" : "false";
        break;
      case NodeKind::kInt:
        if (node.text.empty())
          out_ += std::to_string(node.integer);
        else
          Notation("$int", [&] { AppendJsonText(node.text, out_); });
        break;
      case NodeKind::kFloat:
        if (std::isfinite(node.number))
          out_ += nlohmann::json(node.number).dump();  // 1.0 stays one
        else
          Notation("$float",
                   [&] { AppendJsonText(PythonFloat(node.number), out_); });
        break;
      case NodeKind::kBytes:
        Notation("$bytes", [&] {
          out_ += '"';
          AppendBase64(node.text, out_);
          out_ += '"';
        });
        break;
      case NodeKind::kString:
        AppendJsonText(node.text, out_);
        break;
      case NodeKind::kList:
        Each("[]", node.items, [&](const Node& item) { Value(item); });
        break;
      case NodeKind::kMap:
        if (NeedsPairs(node)) {
          Notation("$pairs", [&] { Pairs(node); });
          break;
        }
        Each("{}", node.entries, [&](const Entry& entry) {
          Key(entry.key.text);
          Value(entry.value);
        });
    }
  }

  void Pairs(const Node& map) {
    Each("[]", map.entries, [&](const Entry& entry) {
      const std::array<const Node*, 2> pair = {&entry.key, &entry.value};
      Each("[]", pair, [&](const Node* part) { Value(*part); });
    });
  }

  void Key(std::string_view key) {
    AppendJsonText(key, out_);
    out_ += compact_ ? ":" : ": ";
  }

  void Notation(std::string_view key, const auto& write) {
    Each("{}", std::array{key}, [&](std::string_view only) {
      Key(only);
      write();
    });
  }

  void Each(std::string_view brackets, const auto& list, const auto& write) {
    out_ += brackets[0];
    ++depth_;
    bool first = true;
    for (const auto& one : list) {
      if (!first) out_ += ',';
      first = false;
      Break();
      write(one);
    }
    --depth_;
    if (!first) Break();
    out_ += brackets[1];
  }

  void Break() {
    if (!compact_) out_.append(1, '\n').append(2 * depth_, ' ');
  }

  bool compact_;
  std::size_t depth_ = 0;
  std::string out_{};
};

}  // namespace

std::string WriteJson(const Node& node, bool compact) {
  return NodeJson(compact).Document(node);
}

}  // namespace rangefinder
