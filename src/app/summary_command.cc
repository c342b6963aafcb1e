// `summarize` and `merge`: a rank's run as a small summary, and any number of
// summaries as one.

#include <chrono>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/summarize.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "base/file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/write_file.h"
#include "ranks/rank_records.h"
#include "summary/merge_files.h"
#include "summary/summary_file.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// A summary is written next to its final name and renamed, so the output cannot
// be a device or a folder.
Result<fs::path> OutputPath(const std::string& output,
                            std::string_view command) {
  if (output.empty()) {
    return UsageError("{} needs -o FILE: where the summary is written",
                      command);
  }
  std::error_code error;
  const fs::path path(output);
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return UsageError("{}: is no file, and a summary is written as one",
                      Printable(output));
  }
  return path;
}

// The paths that `words` name.
Result<std::vector<fs::path>> Listed(const std::vector<std::string>& words) {
  std::vector<fs::path> files;
  for (const std::string& word : words) {
    if (!word.starts_with('@')) {
      files.emplace_back(word);
      continue;
    }
    const std::string text = TRY(ReadFile(word.substr(1)));
    for (const std::string& line : Split(text, '\n')) {
      const std::string_view name = Trim(line);
      if (!name.empty()) files.emplace_back(std::string(name));
    }
  }
  return files;
}

// Number of left-out summaries that are named one by one.
constexpr std::size_t kNamed = 10;

void SayOutcome(const MergeOutcome& outcome, const Console& console) {
  for (std::size_t i = 0; i < outcome.left_out.size(); ++i) {
    if (i == kNamed && !console.verbose()) {
      console.Say(fmt::format("warning: and {} more (--verbose names them)",
                              outcome.left_out.size() - kNamed));
      break;
    }
    console.Say("warning: left out: " + Printable(outcome.left_out[i]));
  }
  for (const std::string& replaced : outcome.replaced)
    console.Say("warning: " + Printable(replaced));
  for (const std::string& rank : outcome.restarted)
    console.Say(fmt::format("{}: each counts as one", rank));
  std::string line = fmt::format("merged {} of {}", FormatCount(outcome.merged),
                                 Plural(outcome.given, "summary", "summaries"));
  if (!outcome.left_out.empty())
    line += fmt::format(", {} left out", FormatCount(outcome.left_out.size()));
  if (outcome.twice > 0) {
    line += fmt::format(", {} given twice and counted once",
                        FormatCount(outcome.twice));
  }
  console.Say(fmt::format("{}: {}", line,
                          Plural(outcome.ranks, "process", "processes")));
}

}  // namespace

// With --rank, only the files of this rank are opened in a run directory of
// many ranks.
Status DoSummarize(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedPaths(asked, "summarize"));
  const Settings settings = TRY(SettingsOfRun(asked));
  TRY(KeepInputs(asked));
  const fs::path path = TRY(OutputPath(line.output, "summarize"));
  const AnalysisOptions& options = settings.analysis;
  console.Progress("reading the captures");
  const Analysis& analysis =
      KeepToTheEnd(line.rank >= 0 ? TRY(AnalyzeRank(paths, line.rank, options))
                                  : TRY(AnalyzePaths(paths, options)));
  if (HasSummary(analysis.profile)) {
    return UsageError(
        "among these is a summary already; `rangefinder merge` makes one of "
        "several");
  }
  static auto* const kept = new std::vector<Ranks>();  // also never freed
  kept->push_back(RanksOf(analysis.profile, analysis.tree));
  const Ranks& ranks = kept->back();
  const Summary summary = Summarize(analysis, ranks, options.rollup.rules);
  TRY(WriteFileBy(
      path, [&](std::ostream& out) { WriteSummary(out, summary, ranks); }));
  console.Progress("");
  console.SayNotes(analysis.notes);
  std::uint64_t selected = 0;  // measurements in the summary
  for (const SummaryRow& row : summary.rows) selected += row.launches;
  std::error_code error;
  console.Say(fmt::format(
      "summarized {} in {}: {}, {} bytes",
      Plural(selected, "measurement", "measurements"),
      Plural(analysis.tree.regions().size() - 1, "region", "regions"),
      Plural(summary.sources.size(), "process", "processes"),
      FormatCount(fs::file_size(path, error))));
  return Ok();
}

// A name with `=` is a file as well.
Status DoMerge(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  const fs::path path = TRY(OutputPath(line.output, "merge"));
  const std::vector<fs::path> files = TRY(Listed(line.words));
  if (files.empty()) {
    return UsageError(
        "merge needs summaries: rangefinder merge rank*.rfsum -o all.rfsum, or "
        "@LIST, a file with a name a line");
  }
  console.Progress("merging");
  const MergeOutcome outcome = TRY(MergeSummaries(files, path, line.strict));
  console.Progress("");
  SayOutcome(outcome, console);
  return Ok();
}

void AddSummarizeOptions(CLI::App& command, CommandLine& line) {
  OutputOption(command, line);
  command
      .add_option("--rank", line.rank,
                  "of a run directory that ranks share, this one alone")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
}

void AddMergeOptions(CLI::App& command, CommandLine& line) {
  OutputOption(command, line);
  command.add_flag("--strict", line.strict,
                   "fail where a summary would be left out");
}

}  // namespace rangefinder
