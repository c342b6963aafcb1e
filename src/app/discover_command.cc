#include "app/discover_command.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "librangefinder_inject.so";
constexpr const char* kSuffix = ".rftrace";
constexpr const char* kHooks[] = {"NVTX_INJECTION64_PATH",
                                  "CUDA_INJECTION64_PATH"};

std::vector<fs::path> TracesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == kSuffix) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> NewTraces(const fs::path& folder,
                                const std::vector<fs::path>& before) {
  std::vector<fs::path> files = TracesIn(folder);
  std::erase_if(files, [&](const fs::path& file) {
    return std::ranges::binary_search(before, file);
  });
  return files;
}

bool SameFile(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

Result<fs::path> Absolute(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error) {
    return Error(ErrorCode::kSystem,
                 fmt::format("{}: {}", path.string(), error.message()));
  }
  return absolute.lexically_normal();
}

}  // namespace

Result<fs::path> FindTracer() {
  std::error_code error;
  const char* wish = std::getenv("RANGEFINDER_INJECT_LIBRARY");
  if (wish != nullptr && *wish != '\0') {
    if (!fs::is_regular_file(wish, error)) {
      return Error(ErrorCode::kProfiler,
                   fmt::format("{} is not a file (RANGEFINDER_INJECT_LIBRARY "
                               "names it)",
                               wish));
    }
    return Absolute(wish);
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = self.parent_path();
  const fs::path places[] = {folder, folder.parent_path() / "lib",
                             folder.parent_path() / "lib64"};
  std::string looked;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place / kLibrary, error)) return place / kLibrary;
    looked += (looked.empty() ? "" : ", ") + place.string();
  }
  return Error(ErrorCode::kProfiler,
               fmt::format("{} was not found (looked in {}); set "
                           "RANGEFINDER_INJECT_LIBRARY to it",
                           kLibrary, looked));
}

Result<std::map<std::string, std::optional<std::string>>> TracerEnvironment(
    const fs::path& library, const fs::path& trace_dir,
    const std::string& mode) {
  for (const char* hook : kHooks) {
    const char* there = std::getenv(hook);
    if (there == nullptr || *there == '\0' || SameFile(there, library))
      continue;
    return Error(ErrorCode::kProfiler,
                 fmt::format("another tool is to be loaded into the program "
                             "({} is {}), and two cannot share it; unset the "
                             "variable, or run without that tool",
                             hook, there));
  }
  // Where only NVTX is wanted the driver loads nothing.
  std::map<std::string, std::optional<std::string>> environment{
      {"NVTX_INJECTION64_PATH", library.string()},
      {"CUDA_INJECTION64_PATH", std::nullopt},
      {"RANGEFINDER_INJECT_DIR", trace_dir.string()},
      {"RANGEFINDER_INJECT_MODE", mode}};
  if (mode != "regions")
    environment["CUDA_INJECTION64_PATH"] = library.string();
  return environment;
}

Result<DiscoverOutcome> Discover(const DiscoverRequest& request,
                                 ProcessRunner& runner, Notes& notes) {
  const fs::path library = request.library.empty()
                               ? TRY(FindTracer())
                               : TRY(Absolute(request.library));
  TRY(MakeDirectories(request.trace_dir));
  const fs::path folder = TRY(Absolute(request.trace_dir));
  const std::vector<fs::path> before = TracesIn(folder);

  Command command{.argv = request.argv, .cwd = request.cwd};
  command.environment = TRY(TracerEnvironment(library, folder, request.mode));
  DiscoverOutcome outcome;
  outcome.program = TRY(runner.Run(command));
  outcome.seconds = outcome.program.seconds;

  outcome.traces = NewTraces(folder, before);
  if (outcome.traces.empty()) {
    notes.Add(Severity::kWarning, "no_trace",
              "the program called neither NVTX nor CUDA, so there is nothing "
              "to show (static programs and such with another user's rights "
              "cannot be traced)");
    return outcome;
  }
  if (!request.read) return outcome;
  outcome.profile = TRY(ReadArtifacts(outcome.traces, notes));
  return outcome;
}

}  // namespace rangefinder
