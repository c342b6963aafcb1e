// Shell completion: scripts that know the commands, flags, keys and presets.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/cli.h"
#include "base/error.h"

namespace rangefinder {

// The script for `bash` or `zsh`, to be sourced; `commands` are ours, the
// program first.
Result<std::string> CompletionScript(std::string_view shell,
                                     std::span<const CommandWords> commands);

}  // namespace rangefinder
