#include "app/profile_command.h"

#include <filesystem>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis.h"
#include "app/capture_settings.h"
#include "app/collection.h"
#include "app/nvtx_filters.h"
#include "app/region_plan.h"
#include "app/report_files.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/machine.h"
#include "capture/ncu_options.h"
#include "capture/plan.h"
#include "ingest/reader.h"
#include "report/terminal.h"

namespace rangefinder {
namespace {

ProgressCallback ShowProgress(const Console& console) {
  return [&console](const Progress& progress) {
    console.Progress(ProgressText(progress));
  };
}

// The region tree that range modes are planned by: a capture of its own, beside
// the one that was asked for.
Result<std::optional<Profile>> DiscoverRegions(const CaptureOptions& options,
                                               ProcessRunner& runner,
                                               const Console& console,
                                               Notes& notes) {
  CaptureOptions discovery = DiscoveryOptions(options);
  discovery.run_dir = options.run_dir / "discovery";
  console.Say("finding the regions first: one run that measures time alone");
  const Capture capture = TRY(RunCapture(discovery, PlanCapture(discovery, {}),
                                         runner, ShowProgress(console)));
  if (capture.failure && capture.artifacts().empty()) return *capture.failure;
  if (capture.artifacts().empty()) return std::optional<Profile>();
  Notes reading;
  Profile profile = TRY(ReadArtifacts(capture.artifacts(), reading));
  notes.Merge(reading);
  return std::optional<Profile>(std::move(profile));
}

// Asks the installed ncu which options it has: one that it lacks is said before
// anything runs, and not by ncu half way.
Status CheckOptions(const NcuOptions& ncu, ProcessRunner& runner) {
  const std::filesystem::path path = TRY(FindNcu(runner, ncu.ncu));
  const auto ask = [&](const char* option) {
    return runner.Run({.argv = {path.string(), option},
                       .out = Command::Output::kCapture,
                       .err = Command::Output::kCapture});
  };
  const Finished help = TRY(ask("--help"));
  const Finished version = TRY(ask("--version"));
  if (!help.ok() || !version.ok()) return Ok();  // the run itself will say why
  return CheckInstalledNcu(ncu.options, help.out, version.out);
}

// Reports what the run directory holds, as `report` does it again.
Status ReportRun(const std::filesystem::path& run_dir, const Settings& settings,
                 const Console& console) {
  const auto analysis = TRY(AnalyzePaths({run_dir.string()}, settings));
  const Report report =
      MakeReport(*analysis, settings, Asked::kByTheseSettings);
  TRY(WriteReportFiles(report, run_dir, settings.report.formats,
                       [&](std::string_view text) { console.Progress(text); }));
  console.Progress({});
  std::ostringstream tree;
  WriteTerminal(report,
                {.width = console.width(),
                 .color = console.color_out(),
                 .unicode = console.unicode()},
                tree);
  if (!console.quiet()) console.Out(tree.str());
  console.Out(
      fmt::format("{}\n", (run_dir / "ncu/regions/report.md").string()));
  return Ok();
}

}  // namespace

Status RunProfile(const Settings& settings,
                  const std::vector<std::string>& program, bool dry_run,
                  ProcessRunner& runner, const Console& console) {
  Notes notes;
  const InterruptGuard guard;  // nothing is lost between two runs

  NvtxFilters filters = TRY(MakeNvtxFilters(settings.ncu, nullptr, notes));
  std::vector<std::string> argv = TRY(ProgramToRun(program, settings));
  CaptureOptions options = TRY(MakeCaptureOptions(
      settings, std::move(argv), filters.include, filters.exclude));
  options.ncu.metrics =
      CollectedMetrics(settings.ncu, notes, settings.rollup);

  std::vector<RegionToMeasure> regions;
  if (IsRangeMode(options.ncu.replay_mode)) {
    const std::optional<Profile> known =
        TRY(DiscoverRegions(options, runner, console, notes));
    if (known) {
      filters = TRY(MakeNvtxFilters(settings.ncu, &*known, notes));
      options.ncu.nvtx_include = filters.include;
      options.ncu.nvtx_exclude = filters.exclude;
      regions = TRY(PlannableRegions(*known, settings.ncu));
    }
  }
  const CapturePlan plan = PlanCapture(options, regions);
  notes.Merge(plan.notes);
  if (dry_run) {
    console.Out(TRY(PlanText(options, plan)));
    return Ok();
  }
  console.SayNotes(notes);
  TRY(CheckOptions(options.ncu, runner));
  console.Detail(TRY(PlanText(options, plan)));
  const Capture capture =
      TRY(RunCapture(options, plan, runner, ShowProgress(console)));

  // Beyond this point nothing is measured. What there is is reported first,
  // whatever else went wrong.
  if (options.rank) {
    // Every rank writes into this folder; the last one reports them all.
    console.Say(fmt::format("rank {} is captured", options.rank->rank));
  } else {
    TRY(ReportRun(capture.run_dir, settings, console));
  }
  if (capture.failure) return *capture.failure;
  return Ok();
}

}  // namespace rangefinder
