// Lays one tree over another, and sets values by path, as OmegaConf's merge and
// update do.

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
    kConflict,    // a list over a map or the reverse; an index out of range
  };
  Kind kind = Kind::kUnknownKey;
  std::string message{};
  std::string path{};  // of the value concerned
  Place place{};
};

// Lays the map `over` over the map `root`. Maps are merged; lists and scalars
// replace; `???` over an existing value changes nothing. In a `closed` tree a
// new key is a failure.
std::optional<MergeFailure> MergeTree(Node& root, const Node& over, bool closed,
                                      const Surroundings& surroundings);

struct UpdateMode {
  bool add = false;  // adds missing keys
};

// Sets the value at a dotted path; a map is merged into a map.
std::optional<MergeFailure> UpdatePath(Node& root, std::string_view path,
                                       const Node& value, UpdateMode mode,
                                       const Surroundings& surroundings);

// Sets the value at a dotted path without merging; adds missing maps on the
// way.
void MountAt(Node& root, std::string_view path, Node value);

}  // namespace rangefinder
