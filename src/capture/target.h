// The target: the program that a command runs, and where. The default is the
// workload that comes with Rangefinder. Its CUDA source is embedded in the
// binary, and the machine of its first run compiles it: by the machine's own
// nvcc, for the machine's own GPU, into the user's cache.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/options.h"

namespace rangefinder {

// The target, as the configuration describes it.
struct Workload {
  std::vector<std::string> argv{};  // PROGRAM ARG…; empty: the bundled program
  std::optional<std::string> module{};  // `python3 -m MODULE`, before argv
  std::string device = "cuda:0";        // of the bundled program
  std::vector<std::string> bundled_arguments{};
  bool start_in_run_dir = false;

  bool OnFirstDevice() const {  // "cuda:0", "0"
    const std::size_t at = device.find_last_not_of('0');
    return at == std::string::npos || device[at] == ':';
  }
  bool RunsBundled(const std::vector<std::string>& program) const {
    return program.empty() && argv.empty();
  }
};

struct ProgramToStart {
  std::vector<std::string> argv{};
  std::filesystem::path cwd{};  // empty: the current folder
  std::optional<Rank> rank{};
};

// The target: `program`, else the workload, else the bundled program, built or
// not. kUsage: `device` is given, and the program does not take it.
Result<ProgramToStart> ProgramToRun(const std::vector<std::string>& program,
                                    const Workload& workload,
                                    const std::string& run_dir);

// Compiles the bundled program, unless that was done before. kUsage, with a
// remedy: there is no nvcc, or it fails.
Status BuildBundled(ProcessRunner& runner, const Listener& listener);

// ---- Standard input --------------------------------------------------------

// The standard input of a program that is run several times: a file can be read
// again from its first position, a pipe cannot.

class StandardInput {
 public:
  StandardInput();

  // False if a run consumes input that a later run needs.
  bool CanBeReadAgain() const { return !once_; }
  // Returns to the first position.
  void ReadAgain() const;

 private:
  std::optional<std::int64_t> offset_{};  // for a file
  bool once_ = false;
};

}  // namespace rangefinder
