// `report`: writes the reports of existing captures again.

#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/report_files.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "capture/run_dir.h"

namespace rangefinder {

// Writes into the run directory where that is the only path, else into the run
// directory of the settings.
Status DoReport(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedPaths(asked, "report"));
  const RunSettings run = TRY(SettingsOfRun(asked));
  console.Progress("reading the captures");
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(paths, run.settings.analysis)));
  const Report report =
      MakeReport(analysis, ReportOptionsOf(run.settings, run.asked));
  std::string folder = run.settings.run_dir;
  if (paths.size() == 1 && IsRunDirectory(paths[0]))
    folder = paths[0];
  else if (run.settings.new_run_dir)
    folder = TRY(MakeNewFolder(folder));
  TRY(WriteReportFiles(report, folder,
                       [&](std::string_view text) { console.Progress(text); }));
  console.SayNotes(analysis.notes);
  console.Out(fmt::format("{}\n", MainReport(report, folder).string()));
  return Ok();
}

}  // namespace rangefinder
