// `show`: prints existing captures on the terminal.

#include <algorithm>
#include <filesystem>
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
#include "report/report.h"
#include "report/sentences.h"
#include "report/tables.h"
#include "rollup/explain.h"
#include "rollup/rollup.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

namespace {

// ---- Explaining a value ----------------------------------------------------

// How a metric of the region with this path or name was obtained. kUsage: the
// report has no such region or metric.
Result<std::string> ExplainCell(const Analysis& analysis, const Report& report,
                                const RollupOptions& options,
                                const std::string& region_name,
                                const std::string& metric,
                                const TerminalStyle& style) {
  const RegionId region = TRY(RegionNamed(report, region_name)
                                  .In("--explain " + Printable(region_name)));
  const std::vector<Column>& columns = analysis.rollup.columns;
  const auto column = std::ranges::find(columns, metric, &Column::name);
  if (column == columns.end()) {
    if (const auto text = ExplainColumn(report, region, metric))
      return Printable(RegionTitle(report, region)) + "\n" + *text;
    std::vector<std::string> names;
    for (const Column& one : columns) names.push_back(one.name);
    for (std::string& own : OwnColumnNames()) names.push_back(std::move(own));
    std::string message =
        fmt::format("--explain {}: no such metric or column in this capture",
                    Printable(metric));
    if (const auto near = Nearest(metric, names))
      message += fmt::format("; did you mean '{}'?", *near);
    return Error(ErrorCode::kUsage, std::move(message));
  }
  std::string text = Printable(RegionTitle(report, region)) + "\n";
  Document members;
  AddMembers(members, report, {}, region);
  std::ostringstream out;
  WriteTerminal(members, style, out);
  text += std::move(out).str();
  const auto at = static_cast<std::size_t>(column - columns.begin());
  if (const std::string doc = MetricDoc(report, at); !doc.empty())
    text += Printable(doc) + "\n";
  const std::string estimate = ExplainEstimate(report, region, at);
  if (!estimate.empty()) text += column->name + '\n' + estimate;
  const std::vector<MeasurementId> kernels =
      KernelsIn(analysis.profile, analysis.tree, region, {});
  const std::vector<MeasurementId>& ranges = analysis.tree[region].ranges;
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

}  // namespace

namespace {

constexpr std::string_view kTable = "table";

struct ShowRequest {
  // table, or one of Formats() (export/formats.h)
  std::string format = "table";
  std::string explain_region{};  // a region's name or path, with
  std::string explain_metric{};  // a metric, for the explanation of its value
};

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

Error UnknownFormat(const std::string& name) {
  const std::vector<std::string> names = ShownFormatNames();
  const auto near = Nearest(name, names);
  return Error(ErrorCode::kUsage,
               fmt::format("--format {}: unknown format; {}", Printable(name),
                           near ? fmt::format("did you mean '{}'?", *near)
                                : "there are " + JoinedAsList(names, "and")));
}

// A terminal would interpret binary output as commands.
Status CheckOutput(const Format& format, const Console& console) {
  if (!format.is_binary || !console.out_is_terminal()) return Ok();
  return Error(ErrorCode::kUsage,
               fmt::format("--format {0} writes a file that no terminal can "
                           "show: send it into one, `> run{1}`",
                           format.name, format.extension));
}

// Writes the report of `paths` to standard output. kUsage: unknown format or
// region, or the format needs a trace.
Status RunShow(const std::vector<std::string>& paths,
               const ShowRequest& request, const RunSettings& run,
               const Console& console) {
  const Format* const format = FindFormat(request.format);
  if (format == nullptr && request.format != kTable)
    return UnknownFormat(request.format);
  if (format != nullptr) TRY(CheckOutput(*format, console));
  if (format != nullptr && format->write_traces != nullptr)
    return ShowTraces(paths, *format, console);
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(paths, run.settings.analysis)));
  const Report report =
      MakeReport(analysis, ReportOptionsOf(run.settings, run.asked));
  if (!request.explain_metric.empty()) {
    console.Out(TRY(ExplainCell(analysis, report, run.settings.analysis.rollup,
                                request.explain_region, request.explain_metric,
                                console.style())));
    return Ok();
  }
  if (format == nullptr) TRY(CheckView(report, run.settings.report.table));
  if (format == nullptr)
    ShowReport(report, run.settings.report.table, run.settings.analysis.rollup,
               console);
  else
    console.Out([&](std::ostream& out) { format->write(report, out); });
  if (format != nullptr && !format->has_notes) console.SayNotes(analysis.notes);
  return Ok();
}

}  // namespace

Status DoShow(const Invocation& asked) {
  TRY(NeedPaths(asked, "show"));
  ShowRequest show{.format = FormatOr(asked.line, "table")};
  const RunSettings settings = TRY(SettingsOfRun(asked, show.format != kTable));
  const auto& flags = asked.line.of_keys;
  const auto of_table = std::ranges::find_if(flags, [](const auto& flag) {
    return IsBelow(flag.first, "report.table");
  });
  if (show.format != "table" && of_table != flags.end()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("--format {} has no use for {}, which is of the "
                             "table; regions.include and regions.max_rows are "
                             "of all formats",
                             Printable(show.format),
                             FindSetting(of_table->first)->flag));
  }
  if (asked.line.explain.size() == 2) {
    show.explain_region = asked.line.explain[0];
    show.explain_metric = asked.line.explain[1];
  }
  return RunShow(asked.paths, show, settings, asked.console);
}

void AddShowOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, JoinedAsList(ShownFormatNames(), "or"));
  command.add_option("--explain", line.explain, "how a value came about")
      ->type_name("REGION METRIC")
      ->expected(2)
      ->allow_extra_args(false);
}

}  // namespace rangefinder
