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
  std::optional<std::string> unknown_key{};  // its path; nothing: a conflict
  std::string message{};  // of the conflict, such as a list over a map
  Place place{};          // of the conflict
};

// Lays the map `over` over the map `root`. Maps are merged; lists and scalars
// replace; `???` over an existing value changes nothing.
std::optional<MergeFailure> MergeTree(Node& root, const Node& over,
                                      const Surroundings& surroundings);

// Sets the value at a dotted path; a map is merged into a map. A missing key is
// added if `add` is set, and a failure otherwise.
std::optional<MergeFailure> UpdatePath(Node& root, std::string_view path,
                                       const Node& value, bool add,
                                       const Surroundings& surroundings);

// Sets the value at a dotted path without merging; adds missing maps on the
// way.
void MountAt(Node& root, std::string_view path, Node value);

}  // namespace rangefinder
