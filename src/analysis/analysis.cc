#include "analysis/analysis.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run_artifacts.h"
#include "base/text.h"
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

// ---- Requested content ------------------------------------------------------

// Removes all sections from the measurements but the requested ones, with the
// results of their rules.
void KeepSections(const std::vector<std::string>& wanted, Profile& profile) {
  if (wanted.empty()) return;
  const auto is_other = [&](StringId section) {
    return std::ranges::find(wanted, profile.Name(section)) == wanted.end();
  };
  std::vector<bool> other_section, other_rule;
  for (const Section& section : profile.sections)
    other_section.push_back(is_other(section.identifier));
  for (const RuleResult& rule : profile.rules)
    other_rule.push_back(is_other(rule.section));
  for (Measurement& m : profile.measurements) {
    std::erase_if(m.sections,
                  [&](std::uint32_t i) { return other_section[i]; });
    std::erase_if(m.rules, [&](std::uint32_t i) { return other_rule[i]; });
  }
}

// Whether a column is `metric`, or one of its submetrics where it names a base.
bool HasMetric(const Rollup& rollup, const std::string& metric) {
  return std::ranges::any_of(rollup.columns, [&](const Column& column) {
    return column.name == metric || column.name.starts_with(metric + ".");
  });
}

void NoteMissing(std::string_view key, std::string_view what,
                 std::vector<std::string> names, Notes& notes) {
  if (names.empty()) return;
  for (std::string& name : names) name = Printable(name);
  notes.Add(Severity::kWarning, "requested_and_missing",
            fmt::format("{}: this capture has no {} {}", key, what,
                        JoinedAsList(names, "or")));
}

// Whether the capture says already that nothing was measured.
bool SaysNothingMeasured(const Notes& capture) {
  return std::ranges::any_of(capture.all(), [](const Note& note) {
    return note.kind == kNoMatchingRegions || note.kind == kNoMatchingKernels ||
           note.kind == "nothing_profiled";
  });
}

void NoteMissingContent(const RequestedContent& requested,
                        const Analysis& analysis, Notes& notes) {
  if (analysis.profile.measurements.empty()) return;  // that is a note, too
  std::vector<std::string> sections = requested.sections;
  for (const Section& section : analysis.profile.sections)
    std::erase(sections, analysis.profile.Name(section.identifier));
  NoteMissing("pipeline.ncu.ncu_cli.sections", "section", std::move(sections),
              notes);
  const auto missing = [&](std::vector<std::string> metrics) {
    // Names with a colon (regex:, group:) are expressions of ncu.
    std::erase_if(metrics, [&](const std::string& metric) {
      return metric.find(':') != std::string::npos ||
             HasMetric(analysis.rollup, metric);
    });
    return metrics;
  };
  NoteMissing("pipeline.ncu.ncu_cli.metrics", "metric",
              missing(requested.metrics), notes);
  NoteMissing("report.metrics", "metric", missing(requested.table_metrics),
              notes);
}

// ---- Regions ----------------------------------------------------------------

bool HasRegions(const RegionTree& tree) {
  return std::ranges::any_of(tree.regions().subspan(1), [](const Region& one) {
    return !one.unattributed;
  });
}

// The tree. Ranges that ncu was asked for and that the program does not have
// leave the regions of the whole program.
Result<RegionTree> PlaceRegions(const AnalysisOptions& options,
                                const Profile& profile, Notes& notes) {
  SelectionOptions asked = options.selection;
  Notes said;
  RegionTree tree = BuildRegionTree(profile, TRY(Selection::Make(asked)), said);
  if (asked.include.empty() && asked.only != true &&
      !asked.ChosenRegions().empty() && !HasRegions(tree)) {
    asked.only = false;
    said = {};
    tree = BuildRegionTree(profile, TRY(Selection::Make(asked)), said);
    said.Add(Severity::kWarning, kNoMatchingRegions,
             "no region matches pipeline.ncu.ncu_cli.nvtx.include: the regions "
             "of the whole program are reported");
  }
  const std::size_t regions = tree.regions().size();
  if (regions == 2 && tree.regions()[1].unattributed && !tree.rest()) {
    said.Add(Severity::kInfo, kNoMatchingRegions,
             "no NVTX range was open at a launch: the kernels of the whole "
             "program are reported");
  }
  notes.Merge(said);
  return tree;
}

Result<std::unique_ptr<Analysis>> AnalyzeArtifacts(
    const RunArtifacts& artifacts, const AnalysisOptions& options) {
  TRY(Selection::Make(options.selection));  // before anything is read
  const NameMerging merging = TRY(NameMerging::Make(options.merge));
  auto analysis = std::make_unique<Analysis>();
  analysis->profile =
      TRY(ReadArtifacts(artifacts.files, analysis->notes, artifacts.ranks));
  ApplyFilters(artifacts, analysis->profile, analysis->notes);
  KeepSections(options.requested.OnlySections(), analysis->profile);
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
      TRY(PlaceRegions(options, analysis->profile, analysis->notes));
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
  if (!SaysNothingMeasured(artifacts.notes))
    NoteMissingContent(options.requested, *analysis, analysis->notes);
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
