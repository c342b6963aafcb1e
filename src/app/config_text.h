// The output of `config`: the composed configuration, its sources, groups and
// keys.

#pragma once

#include <string>
#include <string_view>

#include "app/settings.h"
#include "base/error.h"
#include "capture/ncu_options.h"
#include "config/node.h"

namespace rangefinder {

struct ConfigRequest {
  SettingsRequest settings{};
  std::string format = "yaml";  // yaml | json
  // --cfg as in Hydra: job, hydra, or all (--hydra)
  std::string part = "job";
  bool resolve = false;   // --resolve: no interpolation is left
  std::string package{};  // --package P: only the part below P
  bool sources = false;   // --sources: where each value was written
  std::string explain{};  // --explain KEY: the meaning of a key
  bool groups = false;    // --groups: groups and their options
};

// The text for standard output.
Result<std::string> ConfigCommand(const ConfigRequest& request);

// The completion script for `bash` or `zsh`, to be sourced. A command completes
// its own options, and the keys and groups that it reads.
Result<std::string> CompletionScript(std::string_view shell);

// A value as JSON on one line.
std::string OneLine(const Node& node);
// "bool", "one of: base, none, reset"
std::string TypeText(const NcuOption& option);

}  // namespace rangefinder
