#include "config/yaml_mapping.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// Composing looks keys up one by one.
constexpr std::size_t kMostKeys = 10000;

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

Error TooManyKeys(const Place& place) {
  return ErrorAt(place, fmt::format("more than {} keys in one map", kMostKeys));
}

}  // namespace

Status MappingBuilder::Add(Node key, Node value) {
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

Status MappingBuilder::Merge(const Node& value) {
  std::vector<const Node*> maps;  // the last wins
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

Result<Node> MappingBuilder::Finish() && {
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

}  // namespace rangefinder
