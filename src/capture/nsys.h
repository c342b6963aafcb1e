// Running Nsight Systems: the command lines of `nsys profile` and `nsys
// export`, and what they leave in nsys/ of the run directory.

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

// How nsys is to be run; an empty text is not passed.
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

// The nsys that `name` means: a file, or a program in PATH; "nsys" is also
// looked for where NVIDIA installs it, the newest first. kProfiler when there
// is none.
Result<std::filesystem::path> FindNsys(ProcessRunner& runner,
                                       const std::string& name,
                                       const std::filesystem::path& root = "/");

// Of `options` the program, the run directory and the rank count.
Command NsysCommand(const CaptureOptions& options, const NsysOptions& nsys);
Command NsysExportCommand(const CaptureOptions& options,
                          const NsysOptions& nsys);

// Runs both, and keeps the commands in nsys/cmd.txt. The error is that of nsys
// (kProfiler), or, with the export there, that of the program (kTarget) or an
// interruption: `exported` tells.
struct NsysCapture {
  bool exported = false;
  std::optional<Error> failure{};
};
Result<NsysCapture> RunNsys(const CaptureOptions& options, NsysOptions nsys,
                            ProcessRunner& runner);

}  // namespace rangefinder
