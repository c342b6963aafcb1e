#include "app/report_command.h"

#include <filesystem>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "app/analysis.h"
#include "app/report_files.h"
#include "base/text.h"
#include "ingest/reader.h"
#include "report/terminal.h"
#include "report/writers.h"

namespace rangefinder {
namespace {

const std::vector<std::string> kShowFormats = {"table", "md", "json", "csv"};

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

Status RunReport(const std::vector<std::string>& paths,
                 const Settings& settings, const Console& console) {
  const auto files = TRY(FindArtifacts(paths));
  console.Progress("reading the captures");
  const auto analysis = TRY(Analyze(files, settings));
  const Report report = MakeReport(*analysis, settings);
  const std::string folder = ReportFolder(paths, settings);
  TRY(WriteReportFiles(report, folder, settings.report.formats,
                       [&](std::string_view text) { console.Progress(text); }));
  console.SayNotes(analysis->notes);
  console.Out(fmt::format(
      "{}\n",
      (std::filesystem::path(folder) / "ncu/regions/report.md").string()));
  return Ok();
}

Status RunShow(const std::vector<std::string>& paths, std::string_view format,
               const Settings& settings, const Console& console) {
  if (std::ranges::find(kShowFormats, format) == kShowFormats.end()) {
    const auto near = Nearest(format, kShowFormats);
    return Error(
        ErrorCode::kUsage,
        fmt::format("--format {}: unknown format; {}", Printable(format),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : "there are table, md, json and csv"));
  }
  const auto files = TRY(FindArtifacts(paths));
  const auto analysis = TRY(Analyze(files, settings));
  const Report report = MakeReport(*analysis, settings);
  std::ostringstream out;
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
  console.Out(out.str());
  return Ok();
}

}  // namespace rangefinder
