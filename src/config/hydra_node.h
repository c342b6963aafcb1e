// Hydra's own configuration as far as Rangefinder uses it: the `hydra` node,
// its groups, and the types of its keys.

#pragma once

#include <span>
#include <string_view>

#include "base/embedded.h"
#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// Hydra's own configs: "hydra/config.yaml" and its groups, of src/config/hydra.
std::span<const EmbeddedFile> EmbeddedHydra();

// `value` converted to the type of the key at `path`, which begins with "hydra"
// (run.dir=5 is "5"). An unknown key is an error unless `unknown_ok`.
Result<Node> ConvertHydraValue(std::string_view path, const Node& value,
                               bool unknown_ok);

// Whether Hydra's schema has a key at this path, which can then not be deleted.
bool IsHydraField(std::string_view path);

}  // namespace rangefinder
