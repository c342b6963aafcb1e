// A server's tools for captured runs. Each tool runs this program again as a
// separate command: a capture that crashes a reader, or takes too long, does
// not end the server.

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/process.h"
#include "mcp/folders.h"
#include "mcp/server.h"

namespace rangefinder {

struct RunToolsOptions {
  std::string program{};   // this one
  bool allow_run = false;  // offers `profile`
  // Whether a path is a run directory or a file that the commands read.
  std::function<bool(const std::filesystem::path&)> is_run{};
};

// `folders`, `options` and `runner` must outlive the tools.
std::vector<McpTool> RunTools(const ServedFolders& folders,
                              const RunToolsOptions& options,
                              ProcessRunner& runner);

}  // namespace rangefinder
