#include "app/run_report.h"

#include <ostream>

#include <fmt/format.h>

#include "analysis/ranks.h"
#include "analysis/report_files.h"
#include "app/command_settings.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "report/documents.h"
#include "report/sentences.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

Reporting ReportingOf(const Settings& settings) {
  return {.analysis = settings.analysis,
          .report = ReportOptionsOf(settings),
          .table = settings.report.table};
}

void ShowReport(const Report& report, const TableView& view,
                const RollupOptions& rollup, const Console& console) {
  const Document document = ShowDocument(
      report, {.view = view, .verbose = console.verbose(), .rollup = rollup});
  console.Out([&](std::ostream& out) {
    WriteTerminal(document, console.style(), out);
  });
}

Status ReportAnalysis(const Analysis& analysis,
                      const std::filesystem::path& run_dir, bool tree,
                      const Reporting& reporting, const Console& console) {
  const InterruptEnds interrupts;  // the report can be made again
  ReportOptions options = reporting.report;
  options.files.of_run_dir = true;
  const Report report = MakeReport(analysis, std::move(options));
  TRY(WriteReportFiles(report, run_dir,
                       [&](std::string_view text) { console.Progress(text); }));
  console.Progress({});
  if (tree && !console.quiet()) {
    // After a long run, an unknown column must not be an error.
    const Status view = CheckView(report, reporting.table);
    if (!view.ok()) console.Say("warning: " + view.error().message());
    ShowReport(report, reporting.table, reporting.analysis.rollup, console);
    if (const std::string check = CheckText(report); !check.empty())
      console.Out(check + "\n");
  }
  console.Out(fmt::format("{}\n", MainReport(report, run_dir).string()));
  return Ok();
}

Status ReportRunDirectory(const std::filesystem::path& run_dir, bool tree,
                          const Reporting& reporting, const Console& console) {
  const InterruptEnds interrupts;
  if (InterruptGuard::Count() > 0) {
    console.Say("reporting the captures so far; Ctrl-C again ends at once");
  }
  const auto analysis =
      TRY(AnalyzePaths({run_dir.string()}, reporting.analysis));
  return ReportAnalysis(*analysis, run_dir, tree, reporting, console);
}

void ReportRank(const Rank& rank, const std::filesystem::path& run_dir,
                const Reporting& reporting, const Console& console) {
  const std::string again =
      fmt::format("`rangefinder report {}` puts the ranks together",
                  ShellQuote(std::string_view(run_dir.native())));
  const auto report = [&](const RanksDone& done) {
    console.Say(fmt::format("rank {} is the last of {}: reporting them all",
                            rank.rank, done.world));
    Status status = ReportRunDirectory(run_dir, true, reporting, console);
    if (!status.ok()) {
      console.Say(
          fmt::format("no report: {}\n{}", status.error().message(), again));
    }
    return status;
  };
  const RanksDone done = FinishRank(run_dir, rank, report);
  if (!done.known()) {
    console.Say(again);
  } else if (!done.all()) {
    console.Say(fmt::format(
        "rank {}: {} of {} ranks are done; the last one writes the report, and "
        "{}",
        rank.rank, done.finished, done.world, again));
  }
}

}  // namespace rangefinder
