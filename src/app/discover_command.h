// One run of the program under the tracer: its regions, instances, times and
// kernels, nothing counted and nothing replayed.
//
// The program keeps its standard streams and its exit status; every process of
// it that calls NVTX or CUDA leaves a trace in one folder.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "profile/profile.h"

namespace rangefinder {

struct DiscoverRequest {
  std::vector<std::string> argv{};    // PROGRAM ARG…
  std::filesystem::path trace_dir{};  // made when it is not there
  std::string mode = "trace";         // or "regions": NVTX alone
  std::filesystem::path library{};    // empty: FindTracer()
  std::filesystem::path cwd{};        // empty: ours
  // False: leaves them to be read later. Of a job's rank, whose peers are still
  // writing theirs into the same folder.
  bool read = true;
};

struct DiscoverOutcome {
  Finished program{};
  std::vector<std::filesystem::path> traces{};  // of this run, by name
  // What they hold, when they were to be read; nothing when there is none,
  // which is an answer, too.
  std::optional<Profile> profile{};
  double seconds = 0;  // the program's wall time under the tracer
};

// librangefinder_inject.so: RANGEFINDER_INJECT_LIBRARY, else beside this
// program, else in the `lib` folder beside its own. kProfiler, with the places
// that were looked at, when it is in none.
Result<std::filesystem::path> FindTracer();

// The variables that put a program under the tracer. kProfiler when they name
// another tool's library already: two of them cannot share a program.
Result<std::map<std::string, std::optional<std::string>>> TracerEnvironment(
    const std::filesystem::path& library,
    const std::filesystem::path& trace_dir, const std::string& mode);

// A program that fails is an outcome with its status; an Error means that it
// could not be started, or that its traces could not be read.
Result<DiscoverOutcome> Discover(const DiscoverRequest& request,
                                 ProcessRunner& runner, Notes& notes);

}  // namespace rangefinder
