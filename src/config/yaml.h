// Reads and writes YAML as OmegaConf does; writes JSON.

#pragma once

#include <memory>
#include <string>

#include "base/embedded.h"
#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// The only document of `source`: a map or a list. An empty file is an empty
// map, a lone string `a` is {a: null}. Interpolations stay text.
Result<Node> ReadYaml(std::shared_ptr<const Source> source);
// The same for a file of this program, which a test has read before.
Node ReadEmbeddedYaml(const EmbeddedFile& file);

// Block style in the order of the tree, 80 columns, as PyYAML's dump.
std::string WriteYaml(const Node& node);

// Indented by two spaces, or `compact` in one line. A value that JSON lacks is
// an object of one key: {"$float": "inf"}, {"$int": digits} beyond 64 bits,
// {"$bytes": base64}, and {"$pairs": [[key, value], ...]} for a map with keys
// that are no strings.
std::string WriteJson(const Node& node, bool compact = false);

}  // namespace rangefinder
