// Shell completion: scripts that know the commands, flags, keys and presets.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// The script for `bash` or `zsh`, to be sourced. A command completes its own
// options, and the keys and groups that it reads.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace rangefinder
