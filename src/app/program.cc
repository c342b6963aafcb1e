#include "app/program.h"

#include <system_error>

#include <fmt/format.h>

#include "app/bundled_program.h"
#include "base/text.h"
#include "capture/ncu_messages.h"

namespace rangefinder {
namespace {

std::vector<std::string> BundledArgv(const BundledWorkload& bundled) {
  const auto found = FindBundled(bundled.program);
  std::vector<std::string> argv = {
      found.value_or(CachedBundled(bundled.program)).string()};
  argv.insert(argv.end(), bundled.arguments.begin(), bundled.arguments.end());
  return argv;
}

}  // namespace

bool RunsBundled(const std::vector<std::string>& program,
                 const Settings& settings) {
  return program.empty() && settings.workload_argv.empty();
}

Result<ProgramToStart> ProgramToRun(const std::vector<std::string>& program,
                                    const Settings& settings) {
  ProgramToStart start;
  if (RunsBundled(program, settings)) {
    start.argv = BundledArgv(settings.bundled);
  } else {
    if (!settings.bundled.device.empty()) {
      return Error(
          ErrorCode::kUsage,
          Explained(fmt::format("device={} has no effect on this program",
                                Printable(settings.bundled.device)),
                    "it is where the bundled workload runs; a program of your "
                    "own chooses its device itself",
                    "leave it out; CUDA_VISIBLE_DEVICES chooses what a program "
                    "sees, pipeline.ncu.ncu_cli.devices what ncu measures"));
    }
    start.argv = program.empty() ? settings.workload_argv : program;
  }
  if (!settings.start_in_run_dir) return start;
  start.cwd = settings.run_dir;
  std::error_code error;
  std::string& name = start.argv.front();
  if (name.find('/') != std::string::npos)
    name = std::filesystem::absolute(name, error).lexically_normal().string();
  return start;
}

}  // namespace rangefinder
