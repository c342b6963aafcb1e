// Runs Nsight Systems: the command lines of `nsys profile` and `nsys export`,
// and their files in nsys/ of the run directory.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/options.h"

namespace rangefinder {

// The options of nsys. Empty texts are not passed, nor "none" as `sample` or
// `capture_range`.
struct NsysOptions {
  std::string nsys = "nsys";  // a name in PATH, or a file
  std::vector<std::string> trace = {"cuda", "nvtx", "osrt"};
  std::string sample = "none";
  std::string capture_range = "none";  // "nvtx" "cudaProfilerApi" "hotkey"
  std::optional<std::string> capture_range_end{};
  // With capture_range "nvtx": "range@domain".
  std::optional<std::string> nvtx_capture = "prefill";
};

// The program `name`: a file, or a program in PATH; "nsys" is also searched
// where NVIDIA installs it, the newest version first. kProfiler if there is
// none.
Result<std::filesystem::path> FindNsys(ProcessRunner& runner,
                                       const std::string& name);

// These use the program, the run directory and the rank of `options`;
// `nsys.nsys` is the result of FindNsys().
Command NsysCommand(const CaptureOptions& options, const NsysOptions& nsys);
Command NsysExportCommand(const CaptureOptions& options,
                          const NsysOptions& nsys);

// Runs both commands, and writes them to nsys/cmd.txt. `failure` is an error of
// nsys (kProfiler) or of the program (kTarget), or an interruption. The export
// may exist in spite of a failure: `exported`.
struct NsysCapture {
  bool exported = false;
  std::optional<Error> failure{};
};
Result<NsysCapture> RunNsys(const CaptureOptions& options,
                            const NsysOptions& nsys, ProcessRunner& runner);

}  // namespace rangefinder
