// The part of Hydra's own configuration that means something here: the `hydra`
// node, its groups, and the types of its keys.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// Hydra's own configs as texts by path: "hydra/config.yaml" and its groups.
const std::map<std::string, std::string, std::less<>>& HydraConfigs();

// `value`, about to be set at a dotted path that begins with "hydra": converted
// to the type of that key (run.dir=5 is "5"). Unknown keys pass where
// `unknown_ok`.
Result<Node> ConvertHydraValue(std::string_view path, const Node& value,
                               bool unknown_ok);

// Whether Hydra's schema has a key of its own at this path, which can therefore
// not be deleted.
bool IsHydraField(std::string_view path);

}  // namespace rangefinder
