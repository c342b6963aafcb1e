#include "analysis/analysis.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/run_artifacts.h"
#include "ingest/reader.h"
#include "profile/baseline_run.h"
#include "region/path.h"

namespace rangefinder {

namespace {

// Kernels of further runs get the place of the kernels of the first run.
void PlaceRepeated(const AnalysisOptions& options, Profile& profile) {
  if (profile.repeated.empty()) return;
  Notes said_of_the_first;
  std::swap(profile.measurements, profile.repeated);
  PlaceGraphKernels(options.graphs, profile, said_of_the_first);
  std::swap(profile.measurements, profile.repeated);
}

void AddEstimates(const AnalysisOptions& options, Analysis& analysis) {
  if (analysis.profile.counter_samples.empty()) return;
  analysis.estimates =
      std::make_shared<CounterEstimates>(analysis.profile, analysis.tree);
  analysis.estimates->Fill(analysis.rollup, options.rollup.derived);
  analysis.estimates->NoteQuality(analysis.notes);
}

Result<std::unique_ptr<Analysis>> AnalyzeArtifacts(
    const RunArtifacts& artifacts, const AnalysisOptions& options) {
  const Selection selection = TRY(Selection::Make(options.selection));
  const NameMerging merging = TRY(NameMerging::Make(options.merge));
  auto analysis = std::make_unique<Analysis>();
  analysis->profile =
      TRY(ReadArtifacts(artifacts.files, analysis->notes, artifacts.ranks));
  ApplyFilters(artifacts, analysis->profile, analysis->notes);
  PlaceThreads(options.threads, analysis->profile, analysis->notes);
  MergeNames(merging, analysis->profile);
  KeepInstances(options.instances, artifacts.windows, analysis->profile,
                analysis->notes);
  SetBaselineRunApart(analysis->profile, analysis->notes);
  PlaceGraphKernels(options.graphs, analysis->profile, analysis->notes);
  PlaceRepeated(options, analysis->profile);

  // Beyond this point nothing is read: the report is a function of the profile
  // and the settings.
  analysis->tree =
      BuildRegionTree(analysis->profile, selection, analysis->notes);
  if (analysis->profile.measurements.empty()) {
    analysis->notes.Add(Severity::kWarning, "no_measurements",
                        analysis->tree.regions().size() > 1
                            ? "the capture holds ranges, but no kernel"
                            : "the capture holds no kernel and no range");
  }
  for (const CounterSamples& samples : analysis->profile.counter_samples) {
    for (const StringId metric : samples.metrics)
      analysis->profile.InternMetric(analysis->profile.Name(metric));
  }
  analysis->rollup = RollUp(analysis->profile, analysis->tree, options.rollup,
                            analysis->notes);
  AddEstimates(options, *analysis);
  NoteWarmup(analysis->profile, analysis->tree, options.warmup,
             analysis->notes);
  TracedRun(analysis->profile, analysis->tree, analysis->rollup)
      .NoteDifferences(analysis->notes);
  return analysis;
}

// A run whose captures are gone is not a run without measurements: its reports
// stay.
Status CheckThatSomeAreLeft(const RunArtifacts& artifacts) {
  if (!artifacts.files.empty()) return Ok();
  for (const Note& note : artifacts.notes.all()) {
    if (note.kind != "missing_report" && note.kind != "missing_trace" &&
        note.kind != "damaged_manifest")
      continue;
    return Error(ErrorCode::kCorrupt,
                 fmt::format("{}: {}; no capture of this run is left, so there "
                             "is nothing to report (reports that are there "
                             "stay as they are)",
                             note.where, note.text));
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<Analysis>> Analyze(
    std::span<const std::filesystem::path> files,
    const AnalysisOptions& options, const std::map<std::string, int>& ranks) {
  RunArtifacts artifacts;
  artifacts.ranks = ranks;
  artifacts.files.assign(files.begin(), files.end());
  return AnalyzeArtifacts(artifacts, options);
}

Result<std::unique_ptr<Analysis>> AnalyzePaths(
    const std::vector<std::string>& paths, const AnalysisOptions& options) {
  const RunArtifacts artifacts = TRY(ArtifactsOf(paths));
  TRY(CheckThatSomeAreLeft(artifacts));
  auto analysis = artifacts.files.empty()
                      ? EmptyAnalysis()
                      : TRY(AnalyzeArtifacts(artifacts, options));
  analysis->notes.Merge(artifacts.notes);
  analysis->runs = artifacts.runs;
  return analysis;
}

Result<std::unique_ptr<Analysis>> AnalyzeRank(
    const std::vector<std::string>& paths, int rank,
    const AnalysisOptions& options) {
  if (paths.size() != 1) {
    return Error(ErrorCode::kUsage,
                 "a rank is taken of one run directory; name that alone");
  }
  const RunArtifacts artifacts = TRY(ArtifactsOfRank(paths[0], rank));
  auto analysis = TRY(AnalyzeArtifacts(artifacts, options));
  analysis->notes.Merge(artifacts.notes);
  analysis->runs = artifacts.runs;
  return analysis;
}

std::unique_ptr<Analysis> EmptyAnalysis() {
  auto analysis = std::make_unique<Analysis>();
  analysis->rollup =
      RollUp(analysis->profile, analysis->tree, {}, analysis->notes);
  analysis->notes.Add(Severity::kWarning, "no_measurements",
                      "the capture holds no kernel and no range");
  return analysis;
}

Report MakeReport(const Analysis& analysis, ReportOptions options) {
  options.runs = analysis.runs;
  options.estimates = analysis.estimates;
  options.checks =
      CheckCounts(analysis.profile, analysis.tree, analysis.rollup);
  return Compose(analysis.profile, analysis.tree, analysis.rollup,
                 analysis.notes, std::move(options));
}

const Analysis& KeepToTheEnd(std::unique_ptr<Analysis> analysis) {
  static auto* const kept = new std::vector<std::unique_ptr<Analysis>>();
  kept->push_back(std::move(analysis));
  return *kept->back();
}

// ---- Instances -------------------------------------------------------------

void KeepInstances(const InstanceWindow& window,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes) {
  if (window.takes_all()) return;
  // Instances that ncu selected are kept.
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < profile.artifacts.size(); ++i) {
    const auto at = chosen.find(profile.artifacts[i].path);
    if (at == chosen.end()) continue;
    taken.insert(static_cast<std::uint32_t>(i));
    if (at->second == window) continue;
    notes.Add(Severity::kWarning, "instances_not_measured",
              fmt::format("{}: not applied, since ncu measured other instances "
                          "alone ({}); profile again to see those",
                          WindowText(window), WindowText(at->second)),
              profile.artifacts[i].path);
  }
  Executions executions(profile);
  std::uint64_t all = 0;
  for (const Measurement* m : InLaunchOrder(profile)) {
    if (taken.contains(m->artifact)) continue;
    executions.Add(*m);
    ++all;
  }
  if (all == 0) return;
  std::uint64_t ranges = 0;
  const auto left_out =
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        if (taken.contains(m.artifact)) return false;
        const auto ordinal = executions.Ordinal(m, PathOf(profile, m));
        const bool out = ordinal && !window.Takes(*ordinal);
        if (out && m.kind == MeasurementKind::kRange) ++ranges;
        return out;
      });
  std::string what = ranges == 0          ? "kernels"
                     : ranges == left_out ? "ranges"
                                          : "kernels and ranges";
  notes.Add(Severity::kInfo, "instances_selected",
            fmt::format("{}: {} of {} {} are left out, those of other "
                        "instances",
                        WindowText(window), left_out, all, what));
}

}  // namespace rangefinder
