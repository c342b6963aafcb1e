// Laying one tree over another, and setting and deleting by path, as
// OmegaConf's merge, update and select do.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/node.h"
#include "config/resolve.h"

namespace rangefinder {

struct MergeFailure {
  enum class Kind {
    kUnknownKey,  // a closed tree has no such key
    kConflict,  // a list over a map, or the reverse; an index that is not there
  };
  Kind kind = Kind::kUnknownKey;
  std::string message{};
  std::string path{};  // of the value concerned
  Place place{};
};

// Lays `over`, a map, over `root`, a map. Maps are merged, lists and scalars
// replace; `???` over an existing value changes nothing. `closed`: a key that
// `root` does not have is a failure.
std::optional<MergeFailure> MergeTree(Node& root, const Node& over, bool closed,
                                      const Surroundings& surroundings);

struct UpdateMode {
  bool add = false;  // make what is not there
};

// Sets the value at a dotted path; a map is merged into a map.
std::optional<MergeFailure> UpdatePath(Node& root, std::string_view path,
                                       const Node& value, UpdateMode mode,
                                       const Surroundings& surroundings);

// Makes the maps of a dotted path, and puts `value` there without merging.
void MountAt(Node& root, std::string_view path, Node value);

}  // namespace rangefinder
