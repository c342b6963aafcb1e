#include "app/profile_command.h"

#include <filesystem>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis.h"
#include "app/capture_settings.h"
#include "app/nvtx_filters.h"
#include "app/region_plan.h"
#include "app/report_files.h"
#include "base/text.h"
#include "capture/capture.h"
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

// Reports what was captured. A capture without results is an answer, too.
Status ReportCapture(const Capture& capture, const Settings& settings,
                     const Notes& planning, const Console& console) {
  Notes notes = planning;
  notes.Merge(capture.notes);
  const auto artifacts = capture.artifacts();
  const auto analysis =
      artifacts.empty() ? EmptyAnalysis() : TRY(Analyze(artifacts, settings));
  analysis->notes.Merge(notes);
  const Report report =
      MakeReport(*analysis, settings, Asked::kByTheseSettings);
  TRY(WriteReportFiles(report, capture.run_dir, settings.report.formats,
                       [&](std::string_view text) { console.Progress(text); }));
  console.Progress({});
  std::ostringstream tree;
  WriteTerminal(report,
                {.width = console.width(),
                 .color = console.color_out(),
                 .unicode = console.unicode()},
                tree);
  if (!console.quiet()) console.Out(tree.str());
  console.Out(fmt::format(
      "{}\n", (capture.run_dir / "ncu/regions/report.md").string()));
  return Ok();
}

}  // namespace

Status RunProfile(const Settings& settings,
                  const std::vector<std::string>& program, bool dry_run,
                  ProcessRunner& runner, const Console& console) {
  Notes notes;
  const InterruptGuard guard;  // nothing is lost between two runs

  NvtxFilters filters = TRY(MakeNvtxFilters(settings.ncu, nullptr, notes));
  CaptureOptions options = TRY(
      MakeCaptureOptions(settings, program, filters.include, filters.exclude));
  if (options.program.empty()) {
    return Error(ErrorCode::kUsage,
                 "no program to profile: put it after --, as in `rangefinder "
                 "profile -- ./program`, or name it in pipeline.workload.argv");
  }

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
  if (plan.runs.empty()) {
    Capture nothing;
    nothing.run_dir = options.run_dir;
    return ReportCapture(nothing, settings, notes, console);
  }
  console.Detail(TRY(PlanText(options, plan)));
  const Capture capture =
      TRY(RunCapture(options, plan, runner, ShowProgress(console)));

  // Beyond this point nothing is measured. What there is is reported first,
  // whatever else went wrong.
  TRY(ReportCapture(capture, settings, notes, console));
  if (capture.failure) return *capture.failure;
  return Ok();
}

}  // namespace rangefinder
