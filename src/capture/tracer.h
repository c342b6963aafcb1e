// Runs the target under the injection library, which records regions,
// instances, times and kernels.
//
// The target keeps its standard streams and its exit status. Each of its
// processes that calls NVTX or CUDA writes a trace into one folder.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "capture/rank.h"

namespace rangefinder {

// Counters that the library samples in addition to its trace, in mode "sample".
struct SampleRequest {
  std::vector<std::string> metrics{};  // of one pass
  // Also sampled, unless the device refuses them.
  std::vector<std::string> optional{};
  std::uint64_t interval_ns = 0;
  bool widens = false;  // longer intervals if samples are lost
  std::size_t run = 0;  // from 0, of several runs with different metrics
};

// Counters that the library counts exactly, in mode "count".
struct CountRequest {
  std::vector<std::string> metrics{};
  std::filesystem::path plan{};  // an absolute path; see plan/counter_plan.h
};

struct TracerOptions {
  std::vector<std::string> program{};      // PROGRAM ARG…
  std::filesystem::path trace_dir{};       // created if missing
  std::string mode = "trace";              // or "regions": NVTX only
  std::string api{};                       // empty: the library's choice
  bool source = false;                     // lines of kernels
  std::optional<SampleRequest> samples{};  // sets mode "sample"
  std::optional<CountRequest> counts{};    // sets mode "count"
  std::filesystem::path cwd{};             // empty: the current folder
  // The ranks of a job share `trace_dir`; each knows its traces by their names.
  std::optional<Rank> rank{};
  std::function<void(double seconds)> on_tick{};  // while the program runs
};

struct TracerOutcome {
  Finished program{};
  std::vector<std::filesystem::path> traces{};  // of this run, by name
};

// The traces in a folder, by name; and the traces that are not in `before`, an
// earlier result of TraceFilesIn(), and whose names begin with `prefix`.
std::vector<std::filesystem::path> TraceFilesIn(
    const std::filesystem::path& folder);
std::vector<std::filesystem::path> NewTraces(
    const std::filesystem::path& folder,
    const std::vector<std::filesystem::path>& before,
    std::string_view prefix = {});

// The program's file. kUsage: there is no such program, since a misspelled name
// is the user's error. `cwd`: the folder in which the program runs; empty: the
// current folder.
Result<std::filesystem::path> FindProgram(
    const std::vector<std::string>& program, const std::filesystem::path& cwd,
    ProcessRunner& runner);

// Finds librangefinder_inject.so: RANGEFINDER_INJECT_LIBRARY, next to this
// program, or in the `lib` folder next to the program's folder. kProfiler, with
// the searched folders: there is none.
Result<std::filesystem::path> FindTracer(const Getenv& getenv);

// The folder for PyTorch's logs with TracerOptions::source. One per process,
// since ranks share `trace_dir`.
std::filesystem::path TorchTraceFolder(const std::filesystem::path& trace_dir);

inline constexpr const char* kTracerVariable = "RANGEFINDER_INJECT_";

// The library's settings, by their names without kTracerVariable: the folder of
// the traces, the mode, calls, and samples or counts.
std::map<std::string, std::string> TracerSettings(
    const std::filesystem::path& trace_dir, const std::string& mode,
    const std::string& api, const std::optional<SampleRequest>& samples,
    const std::optional<CountRequest>& counts = std::nullopt);

// The environment variables that load the library, in mode "regions" by NVTX
// alone. kProfiler if they name the library of another tool already: two tools
// cannot share a program.
Result<std::map<std::string, std::optional<std::string>>> TracerEnvironment(
    const std::filesystem::path& library, const std::string& mode,
    const Getenv& getenv);

// A target that fails gives an outcome with its status. An Error means that it
// could not be started with the library.
Result<TracerOutcome> RunTracer(const TracerOptions& options,
                                const Getenv& getenv, ProcessRunner& runner);

}  // namespace rangefinder
