#include "capture/nsys.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/write_file.h"
#include "capture/machine.h"
#include "capture/ncu.h"
#include "capture/ncu_messages.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

struct NsysFiles {
  fs::path report{};  // run.nsys-rep
  fs::path sqlite{};  // run.sqlite
  fs::path commands{};
};

// Under a launcher each rank has its own: run.rank3.nsys-rep.
NsysFiles NsysFilesOf(const CaptureOptions& options) {
  const fs::path folder = options.run_dir / "nsys";
  const std::string stem = RankedStem(options, "run");
  return {.report = folder / (stem + ".nsys-rep"),
          .sqlite = folder / (stem + ".sqlite"),
          .commands = folder / (RankedStem(options, "cmd") + ".txt")};
}

bool IsThere(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) > 0;
}

// Whether an event of the program starts the collection.
bool WaitsForEvent(const NsysOptions& nsys) {
  return !nsys.capture_range.empty() && nsys.capture_range != "none";
}

// Whether nsys ends the program with the collection, which is its default.
bool EndsTheProgram(const NsysOptions& nsys) {
  const std::string end = nsys.capture_range_end.value_or("");
  return WaitsForEvent(nsys) &&
         (end.empty() || end.starts_with("stop-shutdown"));
}

std::optional<Error> JudgeRun(const Finished& finished, bool has_report,
                              const NsysOptions& nsys) {
  if (finished.ending == Ending::kInterrupted) {
    return Error(ErrorCode::kInterrupted,
                 has_report ? "interrupted; the collected data is kept"
                            : "interrupted; there is no data to keep");
  }
  if (!has_report) {
    const bool waits = WaitsForEvent(nsys);
    return Error(
        ErrorCode::kProfiler,
        Explained(
            fmt::format("nsys left no report (exit status {})",
                        finished.status),
            waits ? "the range that starts the collection never began, or nsys "
                    "failed; its output is above"
                  : "its output is above",
            waits ? "see that pipeline.nsys.nvtx_capture names a range of the "
                    "program (range@domain outside the default domain), or "
                    "collect all of it with pipeline.nsys.capture_range=none"
                  : "try `nsys status --environment`, and the command of "
                    "nsys/cmd.txt by itself"));
  }
  if (finished.status == 0 || EndsTheProgram(nsys)) return std::nullopt;
  return Error(ErrorCode::kTarget,
               fmt::format("the program failed under nsys with exit status {}; "
                           "the collected data is kept",
                           finished.status));
}

}  // namespace

Result<fs::path> FindNsys(ProcessRunner& runner, const std::string& name) {
  if (const auto found =
          FindNvidiaTool(runner, name, "nsys", "/",
                         {{"opt/nvidia/nsight-systems", "", "bin/nsys"},
                          {"opt/nvidia/nsight-systems-cli", "", "bin/nsys"}}))
    return *found;
  return Error(
      ErrorCode::kProfiler,
      Explained(
          fmt::format("Nsight Systems was not found ({})", ShellQuote(name)),
          name == "nsys"
              ? "there is no nsys in PATH, in /usr/local/cuda/bin or in "
                "/opt/nvidia/nsight-systems"
              : "pipeline.nsys.path names no such program",
          "install it (NVIDIA's repositories: apt install "
          "nsight-systems-cli), or say where it is with "
          "pipeline.nsys.path=/path/to/nsys, or leave it out with "
          "pipeline.nsys.enable=false: `rangefinder discover` traces without "
          "it"));
}

Command NsysCommand(const CaptureOptions& options, const NsysOptions& nsys) {
  const NsysFiles files = NsysFilesOf(options);
  Command command;
  std::vector<std::string>& argv = command.argv;
  argv = {nsys.nsys, "profile"};
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) argv.push_back(fmt::format("--{}={}", flag, value));
  };
  add("trace", fmt::format("{}", fmt::join(nsys.trace, ",")));
  if (nsys.sample != "none") add("sample", nsys.sample);
  if (WaitsForEvent(nsys)) {
    add("capture-range", nsys.capture_range);
    add("capture-range-end", nsys.capture_range_end.value_or(""));
  }
  if (nsys.capture_range == "nvtx") {
    add("nvtx-capture", nsys.nvtx_capture.value_or(""));
    // Otherwise only registered names would start the collection.
    argv.emplace_back("--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0");
  }
  argv.emplace_back("--force-overwrite=true");
  // nsys adds the extension.
  add("output", PercentEscaped(fs::path(files.report).replace_extension()));
  argv.insert(argv.end(), options.program.begin(), options.program.end());
  command.cwd = options.cwd;
  command.timeout_s = options.ncu.timeout_s;
  return command;
}

Command NsysExportCommand(const CaptureOptions& options,
                          const NsysOptions& nsys) {
  const NsysFiles files = NsysFilesOf(options);
  Command command;
  command.argv = {nsys.nsys,
                  "export",
                  "--type=sqlite",
                  "--force-overwrite=true",
                  "--output=" + files.sqlite.string(),
                  files.report.string()};
  command.out = Command::Output::kCapture;
  command.err = Command::Output::kCapture;
  return command;
}

Result<NsysCapture> RunNsys(const CaptureOptions& options,
                            const NsysOptions& nsys, ProcessRunner& runner) {
  const NsysFiles files = NsysFilesOf(options);
  TRY(MakeFolderBelow(options.run_dir, "nsys"));
  // Remove the files of earlier captures.
  std::error_code ignored;
  fs::remove(files.report, ignored);
  fs::remove(files.sqlite, ignored);
  const Command profile = NsysCommand(options, nsys);
  const Command to_sqlite = NsysExportCommand(options, nsys);
  TRY(WriteBelow(
      options.run_dir, files.commands.lexically_relative(options.run_dir),
      fmt::format("cd {}\n{}\n{}\n", ShellQuote(options.StartFolder().string()),
                  ShellQuote(profile.argv), ShellQuote(to_sqlite.argv))));

  NsysCapture capture;
  const Finished ran = TRY(runner.Run(profile));
  capture.failure = JudgeRun(ran, IsThere(files.report), nsys);
  if (!IsThere(files.report)) return capture;
  const Finished exported = TRY(runner.Run(to_sqlite));
  capture.exported = exported.ok() && IsThere(files.sqlite);
  if (exported.ending == Ending::kInterrupted && !capture.failure) {
    capture.failure =
        Error(ErrorCode::kInterrupted,
              "interrupted while nsys exported; the collected data is kept");
  }
  if (!capture.exported && !capture.failure) {
    capture.failure = Error(
        ErrorCode::kProfiler,
        Explained(
            fmt::format("nsys could not export {}", files.report.string()),
            Ellipsize(Printable(Trim(exported.out + exported.err)), 400),
            "try it alone: " + ShellQuote(to_sqlite.argv)));
  }
  return capture;
}

}  // namespace rangefinder
