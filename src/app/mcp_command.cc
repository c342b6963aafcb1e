// `mcp FOLDER…`: answers about runs over the Model Context Protocol.

#include <filesystem>
#include <ostream>
#include <system_error>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "app/command_settings.h"
#include "app/commands.h"
#include "app/version.h"
#include "base/process.h"
#include "ingest/reader.h"
#include "mcp/run_tools.h"
#include "mcp/server.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Decides by the name: a server does not open each file of a folder.
bool IsRun(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return IsRunDirectory(path.string());
  return IsNamedAsCapture(path) ||
         path.filename().string().ends_with("report.json");
}

constexpr const char* kInstructions =
    "Rangefinder measures CUDA programs by their NVTX regions. Call list_runs, "
    "then explain with a run: the first cause names the region to change and "
    "what to do. A cause with certain=true is supported by the measurements; "
    "any other one is a question: measure before you change code. After a "
    "change, call diff with the runs before and after it; only a verdict of "
    "FASTER or SLOWER is one.";

}  // namespace

Status DoMcp(const Invocation& asked) {
  if (asked.paths.empty())
    return UsageError(
        "mcp needs the folders that it may read: rangefinder mcp FOLDER…");
  const ServedFolders folders = TRY(ServedFolders::Open(asked.paths));
  const std::string self = TRY(OwnProgram());
  const RunToolsOptions options{
      .program = self, .allow_run = asked.line.allow_run, .is_run = IsRun};
  SystemRunner runner;
  Status status = Ok();
  asked.console.Out([&](std::ostream& out) {
    status = ServeMcp({.version = VersionText(),
                       .instructions = kInstructions,
                       .tools = RunTools(folders, options, runner)},
                      STDIN_FILENO, out);
  });
  return status;
}

void AddMcpOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--allow-run", line.allow_run,
                   "also offer to profile programs: a client can then run "
                   "anything that you can");
}

}  // namespace rangefinder
