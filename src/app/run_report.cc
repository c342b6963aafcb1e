#include "app/run_report.h"

#include <ostream>

#include <fmt/format.h>

#include "analysis/report_files.h"
#include "app/report_settings.h"
#include "base/interrupt.h"
#include "report/sentences.h"
#include "report/documents.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

void ShowReport(const Report& report, const Settings& settings,
                const Console& console) {
  const Document document =
      ShowDocument(report, {.view = settings.report.table,
                            .verbose = console.verbose(),
                            .rollup = AnalysisOptionsOf(settings).rollup});
  console.Out([&](std::ostream& out) {
    WriteTerminal(document, console.style(), out);
  });
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
    ShowReport(report, settings, console);
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
      TRY(AnalyzePaths({run_dir.string()}, AnalysisOptionsOf(settings)));
  return ReportAnalysis(*analysis, run_dir, tree, settings, console);
}

}  // namespace rangefinder
