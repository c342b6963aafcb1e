// Which value a YAML node is: by its tag, or by YAML 1.1's reading of its text.

#pragma once

#include "base/error.h"
#include "config/node.h"
#include "config/yaml_events.h"

namespace rangefinder {

Result<Node> ScalarValue(const YamlEvent& event);

// `node`, a list or map that began with `event`, as its tag says.
Result<Node> TaggedContainer(Node node, const YamlEvent& event);

}  // namespace rangefinder
