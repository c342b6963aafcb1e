// The defaults list: the files of a configuration in their order, each with the
// package that it is mounted at.
//
// The tree of files is walked depth first, children last to first, so that an
// `override` in a later entry reaches the earlier entries; the command line
// always wins. docs/configuration.md explains it to users.

#pragma once

#include <map>
#include <optional>
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
  bool is_self = false;   // the entry is the `_self_` of the file
  bool primary = false;
  std::string key{};  // "group@package" of a group's option, else empty
};

struct DefaultsList {
  std::vector<MountedConfig> configs{};
  // Every group with its option; null for `group: null`.
  std::vector<std::pair<std::string, std::optional<std::string>>> choices{};
  // Overrides of keys that are no groups, in order.
  std::vector<const Override*> config_overrides{};
  std::vector<std::string> warnings{};
};

// Without `config_name` there is no primary config. `overrides` must outlive
// the result.
Result<DefaultsList> BuildDefaultsList(
    ConfigSources& sources, const std::optional<std::string>& config_name,
    const std::vector<Override>& overrides, const Surroundings& surroundings);

}  // namespace rangefinder
