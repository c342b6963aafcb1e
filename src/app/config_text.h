// The output of `config`: the composed configuration, its sources, groups and
// keys.

#pragma once

#include <string>

#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

struct ConfigRequest {
  SettingsRequest settings{};
  std::string format = "yaml";  // yaml | json
  // --cfg, as Hydra has it: job, or hydra alone, or all (--hydra)
  std::string part = "job";
  bool resolve = false;   // --resolve: no interpolation is left
  std::string package{};  // --package P: the part below P alone
  bool sources = false;   // --sources: where each value was written
  std::string explain{};  // --explain KEY: what a key means
  bool groups = false;    // --groups: groups and their options
};

// The text for standard output.
Result<std::string> ConfigCommand(const ConfigRequest& request);

}  // namespace rangefinder
