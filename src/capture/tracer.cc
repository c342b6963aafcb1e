#include "capture/tracer.h"

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/limits.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu_messages.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "librangefinder_inject.so";
constexpr const char* kSuffix = ".rftrace";
constexpr std::size_t kTraceName =
    80;  // of "/rank<N>-<time>-<pid>.rftrace.part"
constexpr const char* kHooks[] = {"NVTX_INJECTION64_PATH",
                                  "CUDA_INJECTION64_PATH"};

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

// PyTorch's variables change how a program compiles: variables that the user
// has set stay.
void AskForSources(const fs::path& folder, const Getenv& getenv,
                   Command& command) {
  command.environment["RANGEFINDER_INJECT_SOURCE"] = "1";
  for (const auto& [name, value] :
       {std::pair<const char*, std::string>{"TORCH_TRACE",
                                            TorchTraceFolder(folder)},
        {"INDUCTOR_PROVENANCE", "1"},
        {"TORCHINDUCTOR_UNIQUE_KERNEL_NAMES", "1"}}) {
    if (getenv(name) == nullptr) command.environment[name] = value;
  }
}

}  // namespace

std::vector<fs::path> TraceFilesIn(const fs::path& folder) {
  std::vector<fs::path> files = PathsIn(folder);
  std::erase_if(
      files, [](const fs::path& file) { return file.extension() != kSuffix; });
  return files;
}

std::vector<fs::path> NewTraces(const fs::path& folder,
                                const std::vector<fs::path>& before,
                                std::string_view prefix) {
  std::vector<fs::path> files = TraceFilesIn(folder);
  std::erase_if(files, [&](const fs::path& file) {
    return !file.filename().native().starts_with(prefix) ||
           std::ranges::binary_search(before, file);
  });
  return files;
}

Result<fs::path> FindTracer(const Getenv& getenv) {
  std::error_code error;
  const char* wish = getenv("RANGEFINDER_INJECT_LIBRARY");
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
  // Next to the program in builds and wheels; below the prefix in packages.
  const fs::path places[] = {folder,
                             folder.parent_path() / "lib" / "rangefinder"};
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

std::map<std::string, std::string> TracerSettings(
    const fs::path& trace_dir, const std::string& mode, const std::string& api,
    const std::optional<SampleRequest>& samples,
    const std::optional<CountRequest>& counts) {
  std::map<std::string, std::string> settings = {{"DIR", trace_dir.string()},
                                                 {"MODE", mode}};
  if (!api.empty()) settings["API"] = api;
  if (counts) {
    settings["METRICS"] = fmt::format("{}", fmt::join(counts->metrics, ","));
    settings["COUNT_PLAN"] = counts->plan.string();
  }
  if (!samples) return settings;
  settings["METRICS"] = fmt::format("{}", fmt::join(samples->metrics, ","));
  if (!samples->optional.empty())
    settings["OPTIONAL"] = fmt::format("{}", fmt::join(samples->optional, ","));
  settings["SAMPLE_NS"] =
      fmt::format("{}{}", samples->interval_ns, samples->widens ? "+" : "");
  if (samples->run > 0) settings["RUN"] = std::to_string(samples->run);
  return settings;
}

Result<std::map<std::string, std::optional<std::string>>> TracerEnvironment(
    const fs::path& library, const std::string& mode, const Getenv& getenv) {
  for (const char* hook : kHooks) {
    const char* there = getenv(hook);
    if (there == nullptr || *there == '\0' || SameFile(there, library))
      continue;
    return Error(ErrorCode::kProfiler,
                 fmt::format("{} names another tool's library ({}), and two "
                             "tools cannot share a program; unset the "
                             "variable, or run without that tool",
                             hook, there));
  }
  // Mode "regions" records NVTX only, so the driver loads nothing.
  std::map<std::string, std::optional<std::string>> environment{
      {"NVTX_INJECTION64_PATH", library.string()},
      {"CUDA_INJECTION64_PATH", std::nullopt}};
  if (mode != "regions")
    environment["CUDA_INJECTION64_PATH"] = library.string();
  return environment;
}

Result<fs::path> FindProgram(const std::vector<std::string>& program,
                             const fs::path& cwd, ProcessRunner& runner) {
  if (program.empty()) {
    return Error(ErrorCode::kUsage,
                 "no program to profile; write it after --, as in: "
                 "rangefinder profile -- ./program arguments");
  }
  const std::string& name = program[0];
  const auto found = runner.Find(name);
  std::error_code error;
  if (found && (name.find('/') == std::string::npos ||
                fs::is_regular_file(cwd / *found, error))) {
    if (::access((cwd / *found).c_str(), X_OK) == 0) return *found;
    return Error(ErrorCode::kUsage,
                 Explained(fmt::format("cannot run {}", ShellQuote(name)),
                           "it is not executable",
                           "give a program after --, or chmod +x"));
  }
  const bool here = name.find('/') == std::string::npos &&
                    fs::is_regular_file(cwd / name, error);
  return Error(
      ErrorCode::kUsage,
      Explained(
          fmt::format("there is no program {}", ShellQuote(name)),
          name.find('/') == std::string::npos   ? "it is in no folder of PATH"
          : fs::is_directory(cwd / name, error) ? "it is a folder"
                                                : "there is no such file",
          here ? "did you mean ./" + name + "?" : "give its path after --"));
}

fs::path TorchTraceFolder(const fs::path& trace_dir) {
  return trace_dir / fmt::format("torch_trace.{}", ::getpid());
}

Result<TracerOutcome> RunTracer(const TracerOptions& options,
                                const Getenv& getenv, ProcessRunner& runner) {
  TRY(FindProgram(options.program, options.cwd, runner));
  const fs::path library = TRY(FindTracer(getenv));
  const fs::path folder = TRY(Absolute(options.trace_dir));
  if (const std::size_t size = folder.string().size();
      size + kTraceName >= PATH_MAX) {
    return Error(ErrorCode::kSystem,
                 fmt::format("the path of the trace folder has {} bytes; the "
                             "system allows {}; choose a shorter path",
                             size, PATH_MAX - kTraceName - 1));
  }
  TRY(MakeDirectories(options.trace_dir));
  const std::vector<fs::path> before = TraceFilesIn(folder);

  Command command{.argv = options.program, .cwd = options.cwd};
  const std::string mode = options.samples  ? "sample"
                           : options.counts ? "count"
                                            : options.mode;
  command.environment = TRY(TracerEnvironment(library, mode, getenv));
  for (const auto& [name, value] : TracerSettings(
           folder, mode, options.api, options.samples, options.counts))
    command.environment[kTracerVariable + name] = value;
  std::string prefix;
  if (options.rank) {
    prefix = fmt::format("rank{}-", options.rank->rank);
    command.environment[std::string(kTracerVariable) + "NAME"] = prefix;
  }
  if (options.source) AskForSources(folder, getenv, command);
  Watch watch;
  if (options.on_tick) {
    watch.on_tick = [&](double seconds) {
      options.on_tick(seconds);
      return true;
    };
  }
  TracerOutcome outcome;
  outcome.program = TRY(runner.Run(command, watch));
  outcome.traces = NewTraces(folder, before, prefix);
  return outcome;
}

}  // namespace rangefinder
