// Reading and writing YAML as OmegaConf does, and JSON.

#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// The one document of `source`: a map, or a list. An empty file is an empty map
// and a lone string `a` is {a: null}. Interpolations stay text.
Result<Node> ReadYaml(std::shared_ptr<const Source> source);

// Block style, as PyYAML's dump: order kept, 80 columns.
std::string WriteYaml(const Node& node);

std::string Base64(std::string_view bytes);

// Indented by two spaces unless `compact`. What JSON cannot say is an object of
// one key: {"$float": "inf"}, {"$bytes": base64}, and {"$pairs": [[key, value],
// ...]} for a map with keys that are no strings.
std::string WriteJson(const Node& node, bool compact = false);

}  // namespace rangefinder
