#include "app/nsys_stage.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/capture_settings.h"
#include "app/run_report.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/machine.h"
#include "capture/ncu.h"
#include "capture/nsys.h"
#include "capture/provenance.h"

namespace rangefinder {
namespace {

NsysOptions OptionsOf(const NsysSettings& settings) {
  NsysOptions options{
      .nsys = settings.nsys_path,
      .trace = fmt::format("{}", fmt::join(settings.trace, ","))};
  if (settings.sample != "none") options.sample = settings.sample;
  if (settings.capture_range != "none")
    options.capture_range = settings.capture_range;
  options.capture_range_end = settings.capture_range_end.value_or("");
  options.nvtx_capture = settings.nvtx_capture.value_or("");
  return options;
}

Status WriteProvenance(const CaptureOptions& options, ProcessRunner& runner) {
  const auto write = [&](const std::string& stem, const char* extension,
                         const std::string& text) {
    return WriteBelow(options.run_dir, RankedStem(options, stem) + extension,
                      text);
  };
  TRY(write("config", ".yaml", options.config_yaml));
  TRY(write("env", ".json",
            EnvironmentJson(options, ProbeMachine(runner), "", "")));
  const auto program = runner.Find(options.program.front());
  return write("inputs", ".yaml",
               InputsYaml(options, program.value_or(options.program.front())));
}

}  // namespace

Status RunNsysStage(const Settings& settings,
                    const std::vector<std::string>& program, bool dry_run,
                    ProcessRunner& runner, const Console& console) {
  const CaptureOptions options = TRY(RunOptionsOf(settings, program));
  NsysOptions nsys = OptionsOf(settings.nsys);
  nsys.nsys = TRY(FindNsys(runner, nsys.nsys)).string();
  if (dry_run) {
    console.Out(fmt::format("1 run of nsys\n   $ {}\n   $ {}\n\n",
                            ShellQuote(NsysCommand(options, nsys).argv),
                            ShellQuote(NsysExportCommand(options, nsys).argv)));
    return Ok();
  }
  const InterruptGuard guard;  // nothing is lost between two runs
  TRY(WriteProvenance(options, runner));
  console.Say("running the program under Nsight Systems");
  const NsysCapture capture = TRY(RunNsys(options, nsys, runner));
  if (capture.exported && options.rank) {
    console.Say(fmt::format("rank {} is collected", options.rank->rank));
  } else if (capture.exported && (capture.failure || !settings.ncu.enable)) {
    TRY(ReportRunDirectory(settings.run_dir, true, settings, console));
  }
  if (capture.failure) return *capture.failure;
  return Ok();
}

}  // namespace rangefinder
