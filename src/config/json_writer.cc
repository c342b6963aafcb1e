// Writes a configuration tree as JSON. WriteJson() in yaml.h lists the
// notations for values that JSON lacks.

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/lists.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kNotations = {"$bytes", "$float",
                                                        "$int", "$pairs"};

// Whether a plain object would lose the type of a key, or be read as a
// notation.
bool NeedsPairs(const Node& map) {
  return std::ranges::any_of(map.entries, [](const Entry& entry) {
    return !entry.key.is_string() || Has(kNotations, entry.key.text);
  });
}

// nlohmann's own insertion searches all keys before it.
void Append(Json::object_t& object, const std::string& key, Json value) {
  object.Container::emplace_back(key, std::move(value));
}

Json JsonOf(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return nullptr;
    case NodeKind::kBool:
      return node.boolean;
    case NodeKind::kInt:
      if (!node.text.empty()) return Json::object({{"$int", node.text}});
      return node.integer;
    case NodeKind::kFloat:
      if (!std::isfinite(node.number))
        return Json::object({{"$float", PythonFloat(node.number)}});
      return node.number;
    case NodeKind::kBytes: {
      std::string text;
      AppendBase64(node.text, text);
      return Json::object({{"$bytes", std::move(text)}});
    }
    case NodeKind::kString:
      return node.text;
    case NodeKind::kList: {
      Json list = Json::array();
      for (const Node& item : node.items) list.push_back(JsonOf(item));
      return list;
    }
    case NodeKind::kMap:
      break;
  }
  if (!NeedsPairs(node)) {
    Json::object_t object;
    for (const Entry& entry : node.entries)
      Append(object, entry.key.text, JsonOf(entry.value));
    return object;
  }
  Json pairs = Json::array();
  for (const Entry& entry : node.entries)
    pairs.push_back(Json::array({JsonOf(entry.key), JsonOf(entry.value)}));
  return Json::object({{"$pairs", std::move(pairs)}});
}

}  // namespace

std::string WriteJson(const Node& node, bool compact) {
  return JsonDocument(JsonOf(node), compact ? -1 : 2) + "\n";
}

}  // namespace rangefinder
