// `explain`: the causes of a run's wall time, all of them, in words.

#include <ostream>

#include <CLI/CLI.hpp>

#include "analysis/analysis.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "report/documents.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

Status DoExplain(const Invocation& asked) {
  TRY(NeedPaths(asked, "explain"));
  const RunSettings run = TRY(SettingsOfRun(asked));
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(asked.paths, run.settings.analysis)));
  const Report report =
      MakeReport(analysis, ReportOptionsOf(run.settings, run.asked));
  const bool for_agent = asked.line.explain_for == "agent";
  const Document document = ExplainDocument(report, for_agent);
  asked.console.Out([&](std::ostream& out) {
    if (for_agent)
      WriteMarkdown(document, out);
    else
      WriteTerminal(document, asked.console.style(), out);
  });
  asked.console.SayNotes(analysis.notes);
  return Ok();
}

void AddExplainOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--for", line.explain_for,
                  "agent: Markdown, with the ids of causes and regions")
      ->type_name("READER")
      ->check(CLI::IsMember({"agent", "person"}));
}

}  // namespace rangefinder
