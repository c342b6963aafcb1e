#include "app/discover_report.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis.h"
#include "app/collection.h"
#include "app/discover_command.h"
#include "app/report_files.h"
#include "base/file.h"
#include "capture/rank.h"
#include "report/terminal.h"

namespace rangefinder {

namespace {

Status ReportTraces(const DiscoverOutcome& outcome, const Notes& notes,
                    const std::filesystem::path& run_dir,
                    const Settings& settings, const Console& console) {
  const auto analysis = outcome.traces.empty()
                            ? EmptyAnalysis()
                            : TRY(Analyze(outcome.traces, settings));
  analysis->notes.Merge(notes);
  const Report report =
      MakeReport(*analysis, settings, Asked::kByTheseSettings);
  TRY(WriteReportFiles(report, run_dir, settings.report.formats,
                       [&](std::string_view text) { console.Progress(text); }));
  console.Progress({});
  std::ostringstream tree;
  WriteTerminal(report,
                {.width = console.width(),
                 .color = console.color_out(),
                 .unicode = console.unicode()},
                tree);
  if (!console.quiet()) console.Out(tree.str());
  console.Out(
      fmt::format("{}\n", (run_dir / "ncu/regions/report.md").string()));
  return Ok();
}

}  // namespace

Status RunDiscover(const Settings& settings,
                   const std::vector<std::string>& program,
                   ProcessRunner& runner, const Console& console) {
  const std::vector<std::string> argv = TRY(ProgramToRun(program, settings));
  const std::filesystem::path run_dir(settings.run_dir);
  TRY(MakeDirectories(run_dir));
  TRY(WriteFile(run_dir / "config.yaml", settings.config_yaml));
  // Of a job's ranks the last reports all: app/rank_report.h.
  const bool rank = DetectRank([](const char* name) {
                      return std::getenv(name);
                    }).has_value();
  Notes notes;
  const DiscoverOutcome outcome = TRY(Discover({.argv = argv,
                                                .trace_dir = run_dir / "trace",
                                                .mode = settings.trace.mode,
                                                .read = !rank},
                                               runner, notes));
  if (!rank) TRY(ReportTraces(outcome, notes, run_dir, settings, console));
  if (outcome.program.ending == Ending::kInterrupted)
    return Error(ErrorCode::kInterrupted,
                 "interrupted; what the program did until then is reported");
  if (outcome.program.status != 0) {
    return Error(ErrorCode::kTarget,
                 fmt::format("the program ended with status {}",
                             outcome.program.status));
  }
  return Ok();
}

}  // namespace rangefinder
