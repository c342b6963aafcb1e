#include "app/run_report.h"

#include <sstream>

#include <fmt/format.h>

#include "analysis/report_files.h"
#include "app/report_settings.h"
#include "base/interrupt.h"
#include "report/count_checks.h"

namespace rangefinder {

TerminalOptions TerminalOptionsOf(const Settings& settings,
                                  const Console& console) {
  return {.width = console.width(),
          .color = console.color_out(),
          .unicode = console.unicode(),
          .verbose = console.verbose(),
          .view = settings.report.table,
          .rollup = settings.analysis.rollup};
}

Status ReportAnalysis(const Analysis& analysis,
                      const std::filesystem::path& run_dir, bool tree,
                      const Settings& settings, const Console& console) {
  const InterruptEnds interrupts;  // it can be made again
  const Report report =
      MakeReport(analysis, ReportOptionsOf(settings, Asked::kByTheseSettings));
  TRY(WriteReportFiles(report, run_dir,
                       [&](std::string_view text) { console.Progress(text); }));
  console.Progress({});
  if (tree && !console.quiet()) {
    // After a long run a name that is not there must not be an error.
    const Status view = CheckView(report, settings.report.table);
    if (!view.ok()) console.Say("warning: " + view.error().message());
    std::ostringstream text;
    WriteTerminal(report, TerminalOptionsOf(settings, console), text);
    console.Out(text.str());
    if (const std::string check = CheckText(report); !check.empty())
      console.Out(check + "\n");
  }
  console.Out(fmt::format("{}\n", MainReport(report, run_dir).string()));
  return Ok();
}

Status ReportRunDirectory(const std::filesystem::path& run_dir, bool tree,
                          const Settings& settings, const Console& console) {
  const InterruptEnds interrupts;
  if (InterruptGuard::Count() > 0) {
    console.Say(
        "reporting what was captured until then; Ctrl-C again ends at once");
  }
  const auto analysis =
      TRY(AnalyzePaths({run_dir.string()}, settings.analysis));
  return ReportAnalysis(*analysis, run_dir, tree, settings, console);
}

}  // namespace rangefinder
