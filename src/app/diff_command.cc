#include "app/diff_command.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "app/command_settings.h"
#include "app/diff_settings.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/provenance.h"
#include "diff/compare.h"
#include "diff/run_facts.h"
#include "diff/writers.h"
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
  if (!IsReportDocument(file.bytes())) return std::optional<RunFacts>();
  const auto forget = [&](std::string_view part) {
    file.Forget(static_cast<std::size_t>(part.data() - file.bytes().data()),
                part.size());
  };
  return std::optional(
      TRY(FactsOfDocument(file.bytes(), path, forget).In(path)));
}

// Reads one capture, reduces it to facts and frees it.
Result<RunFacts> ReadCapture(const std::string& path,
                             const SettingsRequest& request,
                             const Console& console) {
  const RunSettings run = TRY(LoadRunSettings(request, {path}));
  AnalysisOptions options = run.settings.analysis;
  options.rollup.aggregate = true;
  const auto analysis = TRY(AnalyzePaths({path}, options));
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(run.settings, run.asked));
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

// Writes to the requested file, or to standard output.
Status Deliver(const std::string& output, const Console& console,
               const std::function<void(std::ostream&)>& write) {
  if (output.empty()) {
    console.Out(write);
    return Ok();
  }
  std::ostringstream document;
  write(document);
  TRY(WriteOutput(output, document.str()));
  console.Out(fmt::format("{}\n", output));
  return Ok();
}

Status WriteDocument(const DiffView& view, const DiffRequest& request,
                     const Console& console) {
  const bool markdown = request.format == "md";
  const TerminalStyle style{
      .width = console.width(),
      .color = console.color_out() && request.output.empty(),
      .unicode = console.unicode()};
  const auto document = [&] {
    return DiffDocument(view, {.only_changed = request.only == "changed",
                               .changes_first = markdown,
                               .sort = request.sort});
  };
  return Deliver(request.output, console, [&](std::ostream& out) {
    if (request.audience.tokens)
      WriteFactSheet(DiffFacts(view), *request.audience.tokens, out);
    else if (markdown)
      WriteMarkdown(document(), out);
    else if (request.format == "html")
      WriteDiffHtml(view, out);
    else if (request.format == "json")
      WriteDiffJson(view, out);
    else if (request.format == "junit")
      WriteDiffJunit(view, out);
    else if (request.format == "github")
      WriteDiffAnnotations(view, out);
    else
      WriteTerminal(document(), style, out);
  });
}

Status RunCalibration(const std::vector<std::string>& paths,
                      const DiffRequest& request,
                      const SettingsRequest& settings, const Console& console) {
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
  TRY(Deliver(request.output, console, [&](std::ostream& out) {
    out << CalibrationText(calibration, paths);
  }));
  if (!request.output.empty())
    console.Say("to use it: rangefinder diff diff.calibration=" +
                ShellQuote(request.output) + " BASE NEW");
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

// A run on both sides is rarely intended.
void WarnOfTheSame(const std::vector<std::vector<std::string>>& sides,
                   const Console& console) {
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
Result<std::vector<std::vector<std::string>>> SidesOf(
    const std::vector<std::string>& words, bool calibrate) {
  std::vector<std::vector<std::string>> sides;
  if (calibrate) {
    sides.emplace_back();
    for (const std::string& word : words)
      for (std::string& path : PathsOf(word))
        sides.front().push_back(std::move(path));
    if (sides.front().size() < 2)
      return Error(ErrorCode::kUsage,
                   "diff --calibrate needs at least two runs of the same "
                   "program, better ten");
    return sides;
  }
  for (const std::string& word : words) {
    const auto base = Behind(word, "BASE");
    const auto side = base ? base : Behind(word, "NEW");
    sides.push_back(PathsOf(side ? *side : word));
  }
  if (sides.size() != 2 || sides[0].empty() || sides[1].empty())
    return Error(ErrorCode::kUsage,
                 "diff needs a base and a new run: rangefinder diff BASE NEW; "
                 "of several runs a side a,b,c d,e,f");
  return sides;
}

}  // namespace

Status RunDiff(const std::vector<std::vector<std::string>>& sides,
               const DiffRequest& request, SettingsRequest settings,
               const Console& console) {
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
  if (request.calibrate)
    return RunCalibration(sides.front(), request, settings, console);

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
    if (request.gate) return Error(ErrorCode::kUsage, text);
    console.Say("warning: " + text);
  }
  for (const std::string& unused : UnusedAcceptances(comparison, diff.gate))
    console.Say("warning: diff.accepted: " + unused);
  TRY(WriteDocument(
      {.comparison = comparison, .crossings = crossings, .gated = request.gate},
      request, console));
  if (!comparison.comparable()) {
    std::string reasons;
    for (const Caveat& caveat : comparison.caveats)
      if (caveat.fatal) reasons += (reasons.empty() ? "" : "; ") + caveat.text;
    return Error(ErrorCode::kUsage, "INCOMPARABLE: " + Printable(reasons));
  }
  if (!request.gate) return Ok();
  if (Fails(crossings))
    return Error(ErrorCode::kGate,
                 fmt::format("{} got worse",
                             std::ranges::count_if(
                                 crossings, [](const Crossing& crossing) {
                                   return crossing.accepted.empty();
                                 })));
  return Ok();
}

Result<DiffRequest> DiffRequestOf(const CommandLine& line) {
  TRY(CheckFormat(line, {"table", "md", "html", "json", "junit", "github"}));
  const Audience audience = TRY(AudienceOf(line));
  if (audience.tokens && !line.format.empty())
    return Error(ErrorCode::kUsage,
                 "--for agent has a format of its own: leave --format out");
  return DiffRequest{.format = FormatOr(line, "table"),
                     .audience = audience,
                     .output = line.output,
                     .gate = line.gate,
                     .calibrate = line.calibrate,
                     .sort = line.diff_sort,
                     .only = line.only};
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
  const CommandLine& line = asked.line;
  const DiffRequest diff = TRY(DiffRequestOf(line));
  SettingsRequest settings = asked.request;
  std::vector<std::string> words = asked.paths;
  std::erase_if(settings.overrides, [&](const std::string& word) {
    const bool side = IsSide(word);
    if (side) words.push_back(word);
    return side;
  });
  return RunDiff(TRY(SidesOf(words, line.calibrate)), diff, std::move(settings),
                 asked.console);
}

void AddDiffOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--calibrate", line.calibrate,
                   "of runs of one program: the noise of its regions, as a "
                   "file for diff.calibration");
  ComparisonOptions(command, line);
}

}  // namespace rangefinder
