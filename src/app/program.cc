#include "app/program.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace rangefinder {
namespace {

std::filesystem::path ThisProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

Result<std::vector<std::string>> ProgramToRun(
    const std::vector<std::string>& program, const Settings& settings) {
  if (!program.empty()) return program;
  if (!settings.workload_argv.empty()) return settings.workload_argv;
  std::vector<std::filesystem::path> folders;
  if (const char* examples = std::getenv("RANGEFINDER_EXAMPLES"))
    folders.emplace_back(examples);
  const std::filesystem::path here = ThisProgram().parent_path();
  folders.insert(folders.end(),
                 {here, here / "examples",
                  here.parent_path() / "share/rangefinder/examples"});
  std::error_code error;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path path = folder / settings.bundled.program;
    if (settings.bundled.program.empty() ||
        !std::filesystem::is_regular_file(path, error))
      continue;
    std::vector<std::string> argv = {path.string()};
    argv.insert(argv.end(), settings.bundled.arguments.begin(),
                settings.bundled.arguments.end());
    return argv;
  }
  return Error(
      ErrorCode::kUsage,
      fmt::format(
          "no program to profile: put it after --, as in `rangefinder "
          "profile -- ./program`, or name it in pipeline.workload.argv; "
          "the bundled {} is not beside this program (build it with "
          "examples/build.sh, and say where in RANGEFINDER_EXAMPLES)",
          settings.bundled.program));
}

}  // namespace rangefinder
