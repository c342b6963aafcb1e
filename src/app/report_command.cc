#include "app/report_command.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/report_files.h"
#include "app/run_claim.h"

namespace rangefinder {

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
      KeepToTheEnd(TRY(AnalyzePaths(paths, run.settings.analysis)));
  const Report report =
      MakeReport(analysis, ReportOptionsOf(run.settings, run.asked));
  std::string folder = ReportFolder(paths, run.settings);
  if (folder == run.settings.run_dir && run.settings.new_run_dir)
    folder = TRY(MakeNewFolder(folder));
  TRY(WriteReportFiles(report, folder,
                       [&](std::string_view text) { console.Progress(text); }));
  console.SayNotes(analysis.notes);
  console.Out(fmt::format("{}\n", MainReport(report, folder).string()));
  return Ok();
}

}  // namespace rangefinder
