// `show`: prints existing captures on the terminal.

#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/run_artifacts.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "app/run_report.h"
#include "app/setting.h"
#include "base/error.h"
#include "base/text.h"
#include "export/formats.h"
#include "insight/findings.h"
#include "report/documents.h"
#include "report/page_scopes.h"
#include "report/report.h"
#include "report/sentences.h"
#include "report/tables.h"
#include "rollup/explain.h"
#include "rollup/rollup.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

namespace {

// ---- Explaining a value ----------------------------------------------------

// How a metric of the region with this path or name was obtained in a scope.
// kUsage: the report has no such region or metric.
Result<std::string> ExplainCell(const Analysis& analysis, const Report& report,
                                const ScopeRollup& rolled,
                                const RollupOptions& options,
                                const std::string& region_name,
                                const std::string& metric,
                                const TerminalStyle& style) {
  const Scope& scope = rolled.scope;
  const RegionId region = TRY(RegionNamed(report, region_name)
                                  .In("--explain " + Printable(region_name)));
  const std::vector<Column>& columns = analysis.rollup.columns;
  auto column = std::ranges::find(columns, metric, &Column::name);
  if (column == columns.end()) {
    // By its heading in the table, too.
    const ReportColumns known(report, rolled);
    if (const auto found = known.Find(metric); found.ok())
      column = std::ranges::find(columns, found.value().metric, &Column::name);
  }
  if (column == columns.end()) {
    if (const auto text = ExplainColumn(report, rolled, region, metric))
      return Printable(RegionTitle(report, region)) + "\n" + *text;
    std::vector<std::string> names;
    for (const Column& one : columns) names.push_back(one.name);
    for (std::string& own : OwnColumnNames()) names.push_back(std::move(own));
    return Error(
        ErrorCode::kUsage,
        fmt::format("--explain {}: no such metric or column in this capture{}",
                    Printable(metric), DidYouMean(metric, names)));
  }
  std::string text = Printable(RegionTitle(report, region)) + "\n";
  Document members;
  AddMembers(members, report, scope, region);
  std::ostringstream out;
  WriteTerminal(members, style, out);
  text += std::move(out).str();
  const auto at = static_cast<std::size_t>(column - columns.begin());
  if (const std::string doc = MetricDoc(report, at); !doc.empty())
    text += Printable(doc) + "\n";
  const std::string estimate = ExplainEstimate(report, rolled, region, at);
  if (!estimate.empty()) text += column->name + '\n' + estimate;
  const std::vector<MeasurementId> kernels =
      KernelsIn(analysis.profile, analysis.tree, region, scope);
  std::vector<MeasurementId> ranges = analysis.tree[region].ranges;
  std::erase_if(ranges, [&](MeasurementId id) {
    return !scope.Has(analysis.profile.measurements[Index(id)]);
  });
  if (estimate.empty() && (!kernels.empty() || ranges.empty())) {
    text += Explain(analysis.profile, kernels, metric, options);
  }
  // A range measured as a whole is never added to others.
  for (const MeasurementId id : ranges) {
    const Measurement& m = analysis.profile.measurements[Index(id)];
    text += fmt::format("measured as a whole, {} replay\n", ModeName(m.mode));
    text += Explain(analysis.profile, std::span(&id, 1), metric, options);
  }
  return text;
}

// ---- The command -----------------------------------------------------------

// Formats of single ranges and kernels, which need a trace.
Status ShowTraces(const std::vector<std::string>& paths, const Format& format,
                  const Console& console) {
  const RunArtifacts artifacts = TRY(ArtifactsOf(paths));
  Notes notes;
  Status status = Ok();
  console.Out([&](std::ostream& out) {
    status = format.write_traces(artifacts.files, out, notes);
  });
  TRY(std::move(status));
  console.SayNotes(notes);
  return Ok();
}

// Whether the settings select a part of a run.
bool SelectsPart(const AnalysisOptions& options) {
  const SelectionOptions& selection = options.selection;
  return !options.instances.takes_all() ||
         std::ranges::any_of(
             std::array{&selection.include, &selection.exclude,
                        &selection.domains_include, &selection.domains_exclude,
                        &selection.kernels_include, &selection.kernels_exclude},
             [](const auto* patterns) { return !patterns->empty(); });
}

// A terminal would interpret binary output as commands.
Status CheckOutput(const Format& format, const Console& console) {
  if (!format.is_binary || !console.out_is_terminal()) return Ok();
  return UsageError(
      "--format {0} writes a file that no terminal can show: send it into one, "
      "`> run{1}`",
      format.name, format.extension);
}

}  // namespace

Status DoShow(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedPaths(asked, "show"));
  const std::string name = FormatOr(line, "table");
  const bool is_table = name == "table";
  const Settings settings = TRY(SettingsOfRun(asked, !is_table));
  const auto of_table = std::ranges::find_if(line.of_keys, [](const auto& key) {
    return IsBelow(key.first, "report.table");
  });
  if (!is_table && of_table != line.of_keys.end()) {
    return UsageError(
        "--format {} has no use for {}, which is of the table; regions.include "
        "and regions.max_rows are of all formats",
        Printable(name), FindSetting(of_table->first)->flag);
  }
  if (!is_table && !line.explain.empty())
    return UsageError("--explain has no --format: its answer is a text");
  const Format* const format = FindFormat(name);
  if (format == nullptr && !is_table) {
    return UsageError("--format {}: unknown format; {}", Printable(name),
                      KnownWords(name, ShownFormatNames()));
  }
  if (format != nullptr) TRY(CheckOutput(*format, console));
  if (format != nullptr && format->write_traces != nullptr) {
    if (SelectsPart(settings.analysis))
      console.Say(fmt::format(
          "note: --format {} writes all of a trace: regions.* selects no part",
          format->name));
    return ShowTraces(paths, *format, console);
  }
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(paths, settings.analysis)));
  const Report report = MakeReport(analysis, ReportOptionsOf(settings));
  if (line.explain.size() == 2 && !line.explain[1].empty()) {
    const std::string& scope = settings.report.table.scope;
    const auto scopes = TRY(FindScopes(report, scope));
    if (scopes.empty())
      return UsageError("--explain: the capture has no scope");
    if (!scope.empty() && scopes.size() > 1)
      return UsageError("--explain explains one scope, but --scope {} names {}",
                        Printable(scope), scopes.size());
    console.Out(TRY(ExplainCell(analysis, report, *scopes.front(),
                                settings.analysis.rollup, line.explain[0],
                                line.explain[1], console.style())));
    return Ok();
  }
  if (format == nullptr) {
    TRY(CheckView(report, settings.report.table));
    ShowReport(report, settings.report.table, settings.analysis.rollup,
               console);
    return Ok();
  }
  console.Out([&](std::ostream& out) { format->write(report, out); });
  if (!format->is_file) console.SayNotes(analysis.notes);
  return Ok();
}

void AddShowOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, JoinedAsList(ShownFormatNames(), "or"));
  command.add_option("--explain", line.explain, "how a value came about")
      ->type_name("REGION METRIC")
      ->expected(2)
      ->allow_extra_args(false);
}

}  // namespace rangefinder
