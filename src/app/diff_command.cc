#include "app/diff_command.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "app/command_settings.h"
#include "app/diff_settings.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "capture/provenance.h"
#include "diff/compare.h"
#include "diff/run_facts.h"
#include "diff/writers.h"
#include "ingest/report/report_reader.h"
#include "writers/markdown/fact_sheet_writer.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

// The facts of a report.json; nothing if the path is no report.json.
Result<std::optional<RunFacts>> ReadDocument(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) ||
      !path.ends_with(".json"))
    return std::optional<RunFacts>();
  const MappedFile file = TRY(MappedFile::Open(path));
  if (!IsReportJson(file.bytes())) return std::optional<RunFacts>();
  TRY(CheckReportVersion(file.bytes()).In(path));
  const auto forget = [&](std::string_view part) { file.Forget(part); };
  return std::optional(
      TRY(FactsOfDocument(file.bytes(), path, forget).In(path)));
}

// Reads one capture, reduces it to facts and frees it.
Result<RunFacts> ReadCapture(const std::string& path,
                             const SettingsRequest& request,
                             const Console& console) {
  const Settings settings = TRY(LoadRunSettings(request, {path}));
  AnalysisOptions options = settings.analysis;
  options.rollup.aggregate = true;
  const auto analysis = TRY(AnalyzePaths({path}, options));
  const Report report = MakeReport(*analysis, ReportOptionsOf(settings));
  for (const Note& note : analysis->notes.all())
    if (note.severity != Severity::kInfo)
      console.Detail(fmt::format("{}: {}", Printable(path), note.text));
  return FactsOfRun(report, path);
}

// Reads all runs: documents in parallel, captures one after the other.
Result<std::vector<RunFacts>> ReadRuns(const std::vector<std::string>& paths,
                                       const SettingsRequest& request,
                                       const Console& console) {
  console.Progress(paths.size() == 1
                       ? fmt::format("reading {}", Printable(paths[0]))
                       : fmt::format("reading {} runs", paths.size()));
  std::vector<std::optional<Result<std::optional<RunFacts>>>> documents(
      paths.size());
  InParallel(paths.size(), [&](std::size_t i, std::size_t) {
    documents[i] = ReadDocument(paths[i]);
  });
  std::vector<RunFacts> runs;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::optional<RunFacts> document = TRY(*std::move(documents[i]));
    if (document) {
      runs.push_back(*std::move(document));
      continue;
    }
    console.Progress(fmt::format("reading {}", Printable(paths[i])));
    runs.push_back(TRY(ReadCapture(paths[i], request, console)));
  }
  console.Progress("");
  return runs;
}

Status WriteDocument(const DiffView& view, const Invocation& asked) {
  const std::string& format = asked.line.format;
  const auto tokens = TRY(AgentTokens(asked.line));
  const bool markdown = format == "md";
  TerminalStyle style = asked.console.style();
  style.color = style.color && asked.line.output.empty();
  const auto document = [&] {
    return DiffDocument(view, {.only_changed = asked.line.only == "changed",
                               .changes_first = markdown,
                               .sort = asked.line.diff_sort});
  };
  return WriteResult(asked, [&](std::ostream& out) {
    if (tokens)
      WriteFactSheet(DiffFacts(view), *tokens, out);
    else if (markdown)
      WriteMarkdown(document(), out);
    else if (format == "html")
      WriteDiffHtml(view, out);
    else if (format == "json")
      WriteDiffJson(view, out);
    else if (format == "junit")
      WriteDiffJunit(view, out);
    else if (format == "github")
      WriteDiffAnnotations(view, out);
    else
      WriteTerminal(document(), style, out);
  });
}

Status RunCalibration(const std::vector<std::string>& paths,
                      const SettingsRequest& settings,
                      const Invocation& asked) {
  const Console& console = asked.console;
  const std::vector<RunFacts> runs = TRY(ReadRuns(paths, settings, console));
  const Calibration calibration = Calibrate(runs);
  double most = 0;
  std::string where;
  for (const auto& [path, noise] : calibration) {
    if (noise.deviation <= most) continue;
    most = noise.deviation;
    where = path.empty() ? "the whole run" : path;
  }
  console.Say(fmt::format(
      "{} runs, {} regions; {}", runs.size(), calibration.size(),
      most > 0 ? fmt::format("one run deviates by {:.2f} % at most ({})",
                             100 * most, Printable(where))
               : std::string("no run deviates from the others")));
  TRY(WriteResult(asked, [&](std::ostream& out) {
    out << CalibrationText(calibration, paths);
  }));
  if (!asked.line.output.empty())
    console.Say("to use it: rangefinder diff diff.calibration=" +
                ShellQuote(asked.line.output) + " BASE NEW");
  return Ok();
}

// The text after BASE= or NEW=, in upper or lower case; nothing for another
// word.
std::optional<std::string> Behind(const std::string& word,
                                  std::string_view name) {
  if (word.size() <= name.size() || word[name.size()] != '=')
    return std::nullopt;
  for (std::size_t i = 0; i < name.size(); ++i)
    if ((word[i] | 0x20) != (name[i] | 0x20)) return std::nullopt;
  return word.substr(name.size() + 1);
}

std::vector<std::string> PathsOf(const std::string& word) {
  std::error_code error;
  if (std::filesystem::exists(word, error)) return {word};
  std::vector<std::string> paths;
  for (std::string& path : Split(word, ','))
    if (!path.empty()) paths.push_back(std::move(path));
  return paths;
}

// kUsage: a run is named twice, and would count as two.
Status CheckEachOnce(const std::vector<std::string>& paths) {
  std::set<std::filesystem::path> seen;
  std::error_code error;
  for (const std::string& path : paths) {
    // With the '/', `run` and `run/` are equal.
    const auto whole = std::filesystem::absolute(path + "/", error);
    if (!seen.insert(whole.lexically_normal()).second)
      return UsageError("{} is named twice; each run is a capture of its own",
                        Printable(path));
  }
  return Ok();
}

// A run on both sides is rarely intended.
void WarnOfTheSame(const DiffSides& sides, const Console& console) {
  std::set<std::filesystem::path> base;
  std::error_code error;
  for (const std::string& path : sides[0])
    base.insert(std::filesystem::weakly_canonical(path, error));
  for (const std::string& path : sides[1]) {
    if (base.contains(std::filesystem::weakly_canonical(path, error)))
      console.Say(fmt::format("warning: {} is on both sides", Printable(path)));
  }
}

// Whether a word is BASE=… or NEW=….
bool IsSide(const std::string& word) {
  return Behind(word, "BASE") || Behind(word, "NEW");
}

// The sides that `words` name: two, each a path or several separated by commas,
// with or without BASE= and NEW=; an existing file with a comma in its name is
// one path. A calibration has one side with all words.
Result<DiffSides> SidesOf(const std::vector<std::string>& words,
                          bool calibrate) {
  DiffSides sides;
  if (calibrate) {
    sides.emplace_back();
    for (const std::string& word : words)
      for (std::string& path : PathsOf(word))
        sides.front().push_back(std::move(path));
    if (sides.front().size() < 2)
      return UsageError(
          "diff --calibrate needs at least two runs of the same program, "
          "better ten");
    TRY(CheckEachOnce(sides.front()));
    return sides;
  }
  for (const std::string& word : words) {
    const auto base = Behind(word, "BASE");
    const auto side = base ? base : Behind(word, "NEW");
    sides.push_back(PathsOf(side ? *side : word));
  }
  if (sides.size() != 2 || sides[0].empty() || sides[1].empty())
    return UsageError(
        "diff needs a base and a new run: rangefinder diff BASE NEW; of "
        "several runs a side a,b,c d,e,f");
  for (const auto& side : sides) TRY(CheckEachOnce(side));
  return sides;
}

}  // namespace

Status RunDiff(const DiffSides& sides, const Invocation& asked) {
  const auto& [line, console, words, request] = asked;
  SettingsRequest settings = request;
  const std::vector<std::string> gates = TakeGateOverrides(settings.overrides);
  const Composition composed = TRY(ComposeConfiguration(settings));
  const Settings checked = TRY(SettingsOf(composed));
  const Node tree = TRY(composed.ResolvedTask());
  const DiffRequirements diff =
      TRY(ReadDiffRequirements(tree, checked.diff, gates, Now().substr(0, 10)));
  // The configuration of a run directory has no keys of diff.
  std::erase_if(settings.overrides, [](const std::string& word) {
    return word.find("diff.") != std::string::npos &&
           word.find("diff.") < word.find('=');
  });
  if (line.calibrate) return RunCalibration(sides.front(), settings, asked);

  WarnOfTheSame(sides, console);
  std::vector<std::string> paths = sides[0];
  paths.insert(paths.end(), sides[1].begin(), sides[1].end());
  std::vector<RunFacts> base = TRY(ReadRuns(paths, settings, console));
  const std::vector<RunFacts> other(
      std::make_move_iterator(base.begin() +
                              static_cast<std::ptrdiff_t>(sides[0].size())),
      std::make_move_iterator(base.end()));
  base.erase(base.begin() + static_cast<std::ptrdiff_t>(sides[0].size()),
             base.end());
  const Comparison comparison = TRY(Compare(base, other, diff.rules));
  const std::vector<Crossing> crossings = CrossingsOf(comparison, diff.gate);
  for (const std::string& unused : UnusedRules(comparison, diff.gate)) {
    const std::string text = "diff.gate: " + unused;
    if (line.gate) return UsageError("{}", text);
    console.Say("warning: " + text);
  }
  for (const std::string& unused : UnusedAcceptances(comparison, diff.gate))
    console.Say("warning: diff.accepted: " + unused);
  TRY(WriteDocument(
      {.comparison = comparison, .crossings = crossings, .gated = line.gate},
      asked));
  if (!comparison.comparable()) {
    std::string reasons;
    for (const Caveat& caveat : comparison.caveats)
      if (caveat.fatal) reasons += (reasons.empty() ? "" : "; ") + caveat.text;
    return UsageError("INCOMPARABLE: {}", Printable(reasons));
  }
  if (!line.gate) return Ok();
  if (Fails(crossings))
    return Error(ErrorCode::kGate,
                 fmt::format("{} got worse", std::ranges::count_if(
                                                 crossings, &Crossing::fails)));
  if (std::ranges::none_of(comparison.regions, [](const RegionChange& region) {
        return region.time.ratio || !region.counters.empty();
      }))
    return UsageError(
        "--gate: no region has a GPU time or a counter on both sides");
  return Ok();
}

Status CheckComparison(const CommandLine& line) {
  TRY(CheckFormat(line, {"table", "md", "html", "json", "junit", "github"}));
  const auto tokens = TRY(AgentTokens(line));
  if (tokens && !line.format.empty())
    return UsageError(
        "--for agent has a format of its own: leave --format out");
  return Ok();
}

void ComparisonOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--gate", line.gate, "exit status 8 if something got worse");
  command.add_option("--sort", line.diff_sort, "time, change, ratio or name")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"time", "change", "ratio", "name"}));
  command
      .add_option("--only", line.only,
                  "changed: changed regions and the regions around them")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"changed"}));
  FormatOption(command, line, "table, md, html, json, junit or github");
  AudienceOptions(command, line);
  OutputOption(command, line);
}

// BASE=a,b and NEW=c,d look like overrides.
Status DoDiff(const Invocation& asked) {
  TRY(CheckComparison(asked.line));
  Invocation diff = asked;
  std::erase_if(diff.request.overrides, [&](const std::string& word) {
    const bool side = IsSide(word);
    if (side) diff.paths.push_back(word);
    return side;
  });
  return RunDiff(TRY(SidesOf(diff.paths, diff.line.calibrate)), diff);
}

void AddDiffOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--calibrate", line.calibrate,
                   "of runs of one program: the noise of its regions, as a "
                   "file for diff.calibration");
  ComparisonOptions(command, line);
}

}  // namespace rangefinder
