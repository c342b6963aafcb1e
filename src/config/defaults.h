// The defaults list: which files make a configuration, in which order, and
// where each is mounted.
//
// The tree of files is walked depth first, children last to first, so that an
// `override` in a later entry reaches the earlier ones; the command line always
// wins. docs/configuration.md tells it to users.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/override.h"
#include "config/resolve.h"
#include "config/sources.h"

namespace rangefinder {

// One file of the flattened list.
struct MountedConfig {
  std::string path{};
  std::string package{};  // dotted; empty: the root
  bool is_self = false;   // the file's own content, by its `_self_`
  bool primary = false;
  std::string key{};  // "group@package" of a group's option, else empty
};

struct DefaultsList {
  std::vector<MountedConfig> configs{};
  // Every group and the option chosen; null for `group: null`.
  std::vector<std::pair<std::string, std::optional<std::string>>> choices{};
  // Overrides that are not about groups, in order.
  std::vector<const Override*> config_overrides{};
  std::vector<std::string> warnings{};
};

// Without `config_name`: no primary config. `overrides` outlive the result.
Result<DefaultsList> BuildDefaultsList(
    ConfigSources& sources, const std::optional<std::string>& config_name,
    const std::vector<Override>& overrides, const Surroundings& surroundings);

}  // namespace rangefinder
