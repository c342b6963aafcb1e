#include "app/run_report.h"

#include <sstream>

#include <fmt/format.h>

#include "analysis/report_files.h"
#include "app/report_settings.h"
#include "report/terminal.h"

namespace rangefinder {

Status ReportAnalysis(const Analysis& analysis,
                      const std::filesystem::path& run_dir, bool tree,
                      const Settings& settings, const Console& console) {
  const Report report =
      MakeReport(analysis, ReportOptionsOf(settings, Asked::kByTheseSettings));
  const ReportFiles files = ReportFilesOf(settings);
  TRY(WriteReportFiles(report, run_dir, files,
                       [&](std::string_view text) { console.Progress(text); }));
  console.Progress({});
  if (tree && !console.quiet()) {
    std::ostringstream text;
    WriteTerminal(report,
                  {.width = console.width(),
                   .color = console.color_out(),
                   .unicode = console.unicode()},
                  text);
    console.Out(text.str());
  }
  console.Out(fmt::format("{}\n", MainReport(run_dir, files).string()));
  return Ok();
}

Status ReportRunDirectory(const std::filesystem::path& run_dir, bool tree,
                          const Settings& settings, const Console& console) {
  const auto analysis =
      TRY(AnalyzePaths({run_dir.string()}, AnalysisOptionsOf(settings)));
  return ReportAnalysis(*analysis, run_dir, tree, settings, console);
}

}  // namespace rangefinder
