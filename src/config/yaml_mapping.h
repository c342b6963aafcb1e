// A map while it is read: keys once, and what `<<` merges into it.

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

class MappingBuilder {
 public:
  explicit MappingBuilder(Place place) : map_(Node::Map(std::move(place))) {}

  // A string a second time is an error; any other key takes the later value.
  Status Add(Node key, Node value);
  // A map, or a list of maps of which the first wins. Own keys win over all.
  Status Merge(const Node& value);

  Result<Node> Finish() &&;

 private:
  using Index = std::unordered_map<std::string, std::size_t>;  // key -> entry

  Node map_;
  Index index_{};
  std::vector<Entry> merged_{};
};

}  // namespace rangefinder
