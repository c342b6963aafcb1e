#include "analysis/analysis.h"

#include <utility>

#include <fmt/format.h>

#include "analysis/instances.h"
#include "analysis/run_artifacts.h"
#include "ingest/reader.h"
#include "profile/baseline_run.h"

namespace rangefinder {

namespace {

// Kernels of further runs stand where those of the first do.
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

// A run that captured something of which nothing is left is no run that
// measured nothing, and its reports are not to be replaced.
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

}  // namespace rangefinder
