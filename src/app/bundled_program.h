// The workload that comes with Rangefinder. It travels as CUDA source in the
// binary, and is compiled where it is first run: by the machine's own nvcc, for
// the machine's own GPU, into the user's cache.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/console.h"
#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

// The program called `name` where it has been built: in RANGEFINDER_EXAMPLES,
// beside this program, where examples/build.sh puts it, or in the cache.
std::optional<std::filesystem::path> FindBundled(const std::string& name);

// Where BuildBundled() would leave it, or has.
std::filesystem::path CachedBundled(const std::string& name);

// Compiles it where FindBundled() has nothing. kUsage where there is no nvcc or
// it fails, with what to do.
Status BuildBundled(const std::string& name, ProcessRunner& runner,
                    const Console& console);

}  // namespace rangefinder
