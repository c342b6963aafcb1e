#include "app/analysis.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/instance_plan.h"
#include "app/run_artifacts.h"
#include "ingest/reader.h"
#include "profile/traced_run.h"
#include "region/selection.h"

namespace rangefinder {

namespace {

Result<Selection> SelectionOf(const RegionSettings& regions) {
  return Selection::Make({.include = regions.include,
                          .exclude = regions.exclude,
                          .domains_include = regions.domains_include,
                          .domains_exclude = regions.domains_exclude,
                          .kernels_include = regions.kernels_include,
                          .kernels_exclude = regions.kernels_exclude,
                          .kernels_base = regions.kernels_base,
                          .start_end = regions.start_end});
}

Result<std::unique_ptr<Analysis>> AnalyzeArtifacts(
    const RunArtifacts& artifacts, const Settings& settings) {
  const Selection selection = TRY(SelectionOf(settings.regions));
  auto analysis = std::make_unique<Analysis>();
  analysis->profile =
      TRY(ReadArtifacts(artifacts.files, analysis->notes, artifacts.ranks));
  ApplyFilters(artifacts, analysis->profile, analysis->notes);
  KeepInstances(settings.regions, artifacts.windows, analysis->profile,
                analysis->notes);
  SetTracedRunApart(analysis->profile, analysis->notes);

  // Beyond this point nothing is read: the report is a function of the profile
  // and the settings.
  analysis->tree =
      BuildRegionTree(analysis->profile, selection, analysis->notes);
  if (analysis->profile.measurements.empty()) {
    analysis->notes.Add(Severity::kWarning, "no_measurements",
                        "the capture holds no kernel and no range");
  }
  RollupOptions options = RollupOptionsOf(settings.rollup);
  options.aggregate = settings.regions.aggregate;
  analysis->rollup =
      RollUp(analysis->profile, analysis->tree, options, analysis->notes);
  TracedRun(analysis->profile, analysis->tree, analysis->rollup)
      .NoteDifferences(analysis->notes);
  return analysis;
}

}  // namespace

Result<std::unique_ptr<Analysis>> Analyze(
    std::span<const std::filesystem::path> files, const Settings& settings,
    const std::map<std::string, int>& ranks) {
  RunArtifacts artifacts;
  artifacts.ranks = ranks;
  artifacts.files.assign(files.begin(), files.end());
  return AnalyzeArtifacts(artifacts, settings);
}

Result<std::unique_ptr<Analysis>> AnalyzePaths(
    const std::vector<std::string>& paths, const Settings& settings) {
  const RunArtifacts artifacts = TRY(ArtifactsOf(paths));
  auto analysis = artifacts.files.empty()
                      ? EmptyAnalysis()
                      : TRY(AnalyzeArtifacts(artifacts, settings));
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

Report MakeReport(const Analysis& analysis, const Settings& settings,
                  Asked asked) {
  const bool ours = asked == Asked::kByTheseSettings;
  std::vector<std::string> tables = settings.report.metrics;
  if (tables.empty() && ours) tables = settings.ncu.metrics;
  return Compose(
      analysis.profile, analysis.tree, analysis.rollup, analysis.notes,
      {.generated_at = Timestamp(),
       .config_fingerprint = ours ? settings.fingerprint : std::string(),
       .table_metrics = std::move(tables),
       .include_patterns = settings.regions.include,
       .exclude_patterns = settings.regions.exclude,
       .max_rows = settings.regions.max_rows,
       .max_folders = settings.report.max_folders,
       .sections = ours ? settings.ncu.sections : std::vector<std::string>(),
       .runs = analysis.runs});
}

std::string Timestamp() {
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long seconds = std::strtoll(epoch, &end, 10);
    if (end != epoch && *end == '\0') now = static_cast<std::time_t>(seconds);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

const Analysis& KeepToTheEnd(std::unique_ptr<Analysis> analysis) {
  static auto* const kept = new std::vector<std::unique_ptr<Analysis>>();
  kept->push_back(std::move(analysis));
  return *kept->back();
}

}  // namespace rangefinder
