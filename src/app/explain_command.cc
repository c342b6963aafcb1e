// `explain`: all causes of a run's wall time, as sentences.

#include <optional>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "base/text.h"
#include "report/documents.h"
#include "writers/markdown/fact_sheet_writer.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

Status DoExplain(const Invocation& asked) {
  TRY(NeedPaths(asked, "explain"));
  const auto tokens = TRY(AgentTokens(asked.line));
  const Settings settings = TRY(SettingsOfRun(asked));
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(asked.paths, settings.analysis)));
  const Report report = MakeReport(analysis, ReportOptionsOf(settings));
  std::optional<RegionId> region;
  if (!asked.line.region.empty())
    region = TRY(RegionNamed(report, asked.line.region)
                     .In("--region " + Printable(asked.line.region)));
  asked.console.Out([&](std::ostream& out) {
    if (tokens)
      WriteFactSheet(ExplainFacts(report, region), *tokens, out);
    else
      WriteTerminal(ExplainDocument(report, region), asked.console.style(),
                    out);
  });
  asked.console.SayNotes(analysis.notes);
  return Ok();
}

Result<std::optional<std::uint64_t>> AgentTokens(const CommandLine& line) {
  using Tokens = std::optional<std::uint64_t>;
  if (line.read_by == "agent")
    return Tokens(line.budget.value_or(kUsualTokens));
  if (!line.budget) return Tokens();
  return UsageError(
      "--budget counts the tokens of --for agent; a person gets all");
}

void AudienceOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--for", line.read_by,
                  "agent: facts in Markdown, with the ids of causes and "
                  "regions, within a budget")
      ->type_name("READER")
      ->check(CLI::IsMember({"agent", "person"}));
  command
      .add_option_function<std::uint64_t>(
          "--budget",
          [&line](const std::uint64_t& tokens) { line.budget = tokens; },
          fmt::format("at most so many tokens for an agent ({}), of four bytes "
                      "each; 0: all facts",
                      kUsualTokens))
      ->type_name("TOKENS")
      ->check([](const std::string& word) {
        const bool small =
            word != "0" && (word.size() < 3 ||
                            word.find_first_not_of("0123456789") != word.npos);
        return small ? fmt::format("expected {} or more, or 0", kLeastTokens)
                     : std::string();
      });
}

void AddExplainOptions(CLI::App& command, CommandLine& line) {
  AudienceOptions(command, line);
  command
      .add_option("--region", line.region,
                  "this region alone, by its name or its path joined by /, and "
                  "its inner ones")
      ->type_name("REGION");
}

}  // namespace rangefinder
