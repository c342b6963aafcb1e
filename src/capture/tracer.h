// One run of the program under our own injection library: its regions,
// instances, times and kernels, nothing counted and nothing replayed.
//
// The program keeps its standard streams and its exit status; every process of
// it that calls NVTX or CUDA leaves a trace in one folder.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "capture/rank.h"

namespace rangefinder {

// Counters that the library samples beside its trace, in mode "sample".
struct SampleRequest {
  std::vector<std::string> metrics{};  // of one pass
  std::uint64_t interval_ns = 0;
  std::size_t run = 0;  // of several, each with other metrics: from 0
};

// Counters that the library counts exactly, in mode "count".
struct CountRequest {
  std::vector<std::string> metrics{};
  std::filesystem::path plan{};  // a file; see plan/count_plan.h
};

struct TracerOptions {
  std::vector<std::string> program{};             // PROGRAM ARG…
  std::filesystem::path trace_dir{};              // made when it is not there
  std::string mode = "trace";                     // or "regions": NVTX alone
  std::optional<SampleRequest> samples{};         // then the mode is "sample"
  std::optional<CountRequest> counts{};           // then it is "count"
  std::filesystem::path library{};                // empty: FindTracer()
  std::filesystem::path cwd{};                    // empty: ours
  std::function<void(double seconds)> on_tick{};  // while the program runs
};

struct TracerOutcome {
  Finished program{};
  std::vector<std::filesystem::path> traces{};  // of this run, by name
};

// librangefinder_inject.so: RANGEFINDER_INJECT_LIBRARY, else beside this
// program, else in the `lib` folder beside its own. kProfiler, with the places
// that were looked at, when it is in none.
Result<std::filesystem::path> FindTracer(const Getenv& getenv);

// The variables that put a program under the tracer. kProfiler when they name
// another tool's library already: two of them cannot share a program.
Result<std::map<std::string, std::optional<std::string>>> TracerEnvironment(
    const std::filesystem::path& library,
    const std::filesystem::path& trace_dir, const std::string& mode,
    const Getenv& getenv);

// A program that fails is an outcome with its status; an Error means that it
// could not be started under the tracer.
Result<TracerOutcome> RunTracer(const TracerOptions& options,
                                const Getenv& getenv, ProcessRunner& runner);

}  // namespace rangefinder
