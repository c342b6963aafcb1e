#include "app/report_command.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "app/analysis.h"
#include "app/export_command.h"
#include "app/report_files.h"
#include "base/text.h"
#include "ingest/reader.h"
#include "report/terminal.h"
#include "report/writers.h"
#include "rollup/explain.h"
#include "rollup/findings.h"

namespace rangefinder {
namespace {

const std::vector<std::string> kShowFormats = {
    "table", "md", "json", "csv", "folded", "hatchet", "perfetto"};

// The region that `text` names: by its path joined by / or by its own name,
// when that is one region's alone.
Result<RegionId> FindRegion(const Report& report, const std::string& text) {
  std::vector<RegionId> by_name;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    std::string path;
    for (const Frame& frame : report.tree->PathTo(id))
      path += (path.empty() ? "" : "/") + FrameText(*report.profile, frame);
    if (path.empty()) path = RegionName(report, id);
    if (path == text) return id;
    if (RegionName(report, id) == text) by_name.push_back(id);
    names.push_back(path);
  }
  if (by_name.size() == 1) return by_name.front();
  std::string message = fmt::format("--explain {}: ", Printable(text));
  message += by_name.empty() ? "no such region"
                             : "several regions have this name; give the whole "
                               "path, joined by /";
  if (const auto near = Nearest(text, names); near && by_name.empty())
    message += fmt::format("; did you mean '{}'?", Printable(*near));
  return Error(ErrorCode::kUsage, std::move(message));
}

Status ExplainCell(const Analysis& analysis, const Report& report,
                   const ShowRequest& request, const Settings& settings,
                   const Console& console) {
  const RegionId region = TRY(FindRegion(report, request.explain_region));
  const std::vector<Column>& columns = analysis.rollup.columns;
  if (std::ranges::find(columns, request.explain_metric, &Column::name) ==
      columns.end()) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(column.name);
    std::string message = fmt::format(
        "--explain {}: no such metric in this "
        "capture",
        Printable(request.explain_metric));
    if (const auto near = Nearest(request.explain_metric, names))
      message += fmt::format("; did you mean '{}'?", *near);
    return Error(ErrorCode::kUsage, std::move(message));
  }
  const RollupOptions options = RollupOptionsOf(settings.rollup);
  console.Out(fmt::format("{}\n", Printable(RegionTitle(report, region))));
  const std::vector<MeasurementId> kernels =
      KernelsIn(analysis.profile, analysis.tree, region, {});
  const std::vector<MeasurementId>& ranges = analysis.tree[region].ranges;
  if (!kernels.empty() || ranges.empty()) {
    console.Out(
        Explain(analysis.profile, kernels, request.explain_metric, options));
  }
  // What was measured as a whole is not added to anything, each stands alone.
  for (const MeasurementId id : ranges) {
    const Measurement& m = analysis.profile.measurements[Index(id)];
    console.Out(
        fmt::format("measured as a whole, {} replay\n", ModeName(m.mode)));
    console.Out(Explain(analysis.profile, std::span(&id, 1),
                        request.explain_metric, options));
  }
  return Ok();
}

}  // namespace

bool IsRunDirectory(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder(path);
  return std::filesystem::is_directory(folder / "ncu", error) ||
         std::filesystem::is_directory(folder / "trace", error) ||
         std::filesystem::is_directory(folder / "nsys", error) ||
         std::filesystem::exists(folder / "config.yaml", error);
}

std::string ReportFolder(const std::vector<std::string>& paths,
                         const Settings& settings) {
  if (paths.size() == 1 && IsRunDirectory(paths[0])) return paths[0];
  return settings.run_dir;
}

Status RunReport(const std::vector<std::string>& paths, const RunSettings& run,
                 const Console& console) {
  console.Progress("reading the captures");
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(paths, run.settings)));
  const Report report = MakeReport(analysis, run.settings, run.asked);
  const std::string folder = ReportFolder(paths, run.settings);
  TRY(WriteReportFiles(report, folder, run.settings.report.formats,
                       [&](std::string_view text) { console.Progress(text); }));
  console.SayNotes(analysis.notes);
  console.Out(fmt::format(
      "{}\n",
      (std::filesystem::path(folder) / "ncu/regions/report.md").string()));
  return Ok();
}

Status RunShow(const std::vector<std::string>& paths,
               const ShowRequest& request, const RunSettings& run,
               const Console& console) {
  const std::string& format = request.format;
  if (std::ranges::find(kShowFormats, format) == kShowFormats.end()) {
    const auto near = Nearest(format, kShowFormats);
    return Error(
        ErrorCode::kUsage,
        fmt::format("--format {}: unknown format; {}", Printable(format),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : "there are table, md, json, csv, folded, hatchet "
                           "and perfetto"));
  }
  if (std::ranges::find(kExportFormats, format) != kExportFormats.end())
    return RunExport(paths, format, run.settings, console);
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(paths, run.settings)));
  const Report report = MakeReport(analysis, run.settings, run.asked);
  if (!request.explain_metric.empty())
    return ExplainCell(analysis, report, request, run.settings, console);
  console.Out([&](std::ostream& out) {
    if (format == "md") {
      WriteMarkdown(report, out);
    } else if (format == "json") {
      WriteJson(report, out);
    } else if (format == "csv") {
      WriteCsv(report, out);
    } else {
      WriteTerminal(report,
                    {.width = console.width(),
                     .color = console.color_out(),
                     .unicode = console.unicode()},
                    out);
    }
  });
  return Ok();
}

}  // namespace rangefinder
