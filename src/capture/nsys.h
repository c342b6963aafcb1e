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

// The options of nsys; empty texts are not passed.
struct NsysOptions {
  std::string nsys = "nsys";  // a name in PATH, or a file
  std::string trace{};        // "cuda,nvtx,osrt"
  std::string sample{};
  std::string capture_range{};  // "nvtx" "cudaProfilerApi" "hotkey"
  std::string capture_range_end{};
  std::string nvtx_capture{};  // with capture_range "nvtx": "range@domain"
};

struct NsysFiles {
  std::filesystem::path report{};  // run.nsys-rep
  std::filesystem::path sqlite{};  // run.sqlite
  std::filesystem::path commands{};
};
// Under a launcher each rank has its own: run.rank3.nsys-rep.
NsysFiles NsysFilesOf(const CaptureOptions& options);

// The program `name`: a file, or a program in PATH; "nsys" is also searched
// where NVIDIA installs it, the newest version first. kProfiler if there is
// none.
Result<std::filesystem::path> FindNsys(ProcessRunner& runner,
                                       const std::string& name,
                                       const std::filesystem::path& root = "/");

// These use the program, the run directory and the rank of `options`.
Command NsysCommand(const CaptureOptions& options, const NsysOptions& nsys);
Command NsysExportCommand(const CaptureOptions& options,
                          const NsysOptions& nsys);

// Runs both commands, and writes them to nsys/cmd.txt. `failure` is an error of
// nsys (kProfiler) or of the program (kTarget), or an interruption; `exported`
// tells whether the export exists nevertheless.
struct NsysCapture {
  bool exported = false;
  std::optional<Error> failure{};
};
Result<NsysCapture> RunNsys(const CaptureOptions& options, NsysOptions nsys,
                            ProcessRunner& runner);

}  // namespace rangefinder
