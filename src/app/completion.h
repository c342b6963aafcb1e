// Shell completion: scripts that know the commands, flags, keys and presets.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// The script for `bash` or `zsh`, to be sourced.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace rangefinder
