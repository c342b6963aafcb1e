// `report`: writes the reports of existing captures again.

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/report_files.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "base/lists.h"
#include "base/text.h"
#include "capture/run_dir.h"
#include "export/formats.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// --format: the documents to write.
Result<std::vector<std::string>> FormatsOf(const std::string& text) {
  const std::vector<std::string> known = FileFormatNames();
  std::vector<std::string> formats = Split(text, ',');
  for (const std::string& format : formats) {
    if (Has(known, format)) continue;
    const auto shown = ShownFormatNames();
    const bool printed = Has(shown, format);
    return UsageError(
        "--format {}: report writes {}{}", Printable(format),
        JoinedAsList(known, "and"),
        printed
            ? fmt::format("; `rangefinder show --format {}` prints that format",
                          format)
            : std::string());
  }
  return formats;
}

// -o, or the reported run directory, or a new one.
Result<fs::path> FolderOf(const Invocation& asked, const Settings& settings) {
  if (!asked.line.output.empty()) return fs::path(asked.line.output);
  if (asked.paths.size() == 1 && IsRunDirectory(asked.paths[0]))
    return fs::path(asked.paths[0]);
  if (settings.new_run_dir)
    return fs::path(TRY(MakeNewFolder(settings.run_dir)));
  return fs::path(settings.run_dir);
}

// A report.json has less than its capture, so a report made from it must not
// replace it.
Status CheckSource(const std::vector<std::string>& paths,
                   const Analysis& analysis, const fs::path& folder) {
  if (std::ranges::none_of(analysis.profile.artifacts,
                           [](const auto& artifact) {
                             return artifact.format == "report-json";
                           }))
    return Ok();
  const fs::path inside = fs::path("ncu") / "regions" / "report.json";
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::equivalent(path, folder / inside, error) &&
        !fs::equivalent(path / inside, folder / inside, error))
      continue;
    std::string missing;
    for (const Note& note : analysis.notes.all()) {
      if (missing.empty() && (note.kind.starts_with("missing_") ||
                              note.kind == "damaged_manifest"))
        missing = fmt::format(": {}: {}", note.where, note.text);
    }
    return Error(
        ErrorCode::kCorrupt,
        fmt::format("{}{}; no capture of this run is left, so there is "
                    "nothing to report (reports that are there stay "
                    "as they are, and `rangefinder show` prints them)",
                    path, missing));
  }
  return Ok();
}

}  // namespace

Status DoReport(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedPaths(asked, "report"));
  Settings settings = TRY(SettingsOfRun(asked, true));
  if (!line.format.empty())
    settings.report.formats = TRY(FormatsOf(line.format));
  console.Progress("reading the captures");
  const Analysis& analysis =
      KeepToTheEnd(TRY(AnalyzePaths(paths, settings.analysis)));
  ReportOptions options = ReportOptionsOf(settings);
  options.files.of_run_dir = paths.size() == 1 && IsRunDirectory(paths[0]);
  const Report report = MakeReport(analysis, std::move(options));
  const fs::path folder = TRY(FolderOf(asked, settings));
  TRY(CheckSource(paths, analysis, folder));
  TRY(WriteReportFiles(report, folder,
                       [&](std::string_view text) { console.Progress(text); }));
  console.SayNotes(analysis.notes);
  console.Out(fmt::format("{}\n", MainReport(report, folder).string()));
  if (const fs::path page = PageOf(report, folder); !page.empty())
    console.Say(fmt::format("open {} in a browser", Printable(page.string())));
  return Ok();
}

void AddReportOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--output,-o", line.output,
                  "folder to write into, in the layout of a run directory")
      ->type_name("FOLDER");
  FormatOption(command, line, JoinedAsList(FileFormatNames(), "or"));
}

}  // namespace rangefinder
