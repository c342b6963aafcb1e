#include "analysis/analysis.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/kernel_sources.h"
#include "analysis/run_artifacts.h"
#include "analysis/selected_profile.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"
#include "capture/provenance.h"
#include "ingest/reader.h"
#include "profile/baseline_run.h"
#include "region/path.h"

namespace rangefinder {

namespace {

namespace fs = std::filesystem;

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
    return !Has(wanted, profile.Name(section));
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

// Whether a column is `metric`, or one of its submetrics if `metric` is a base
// name.
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

// Whether the capture already notes that nothing was measured.
bool SaysNothingMeasured(const Notes& capture) {
  return std::ranges::any_of(capture.all(), [](const Note& note) {
    return note.kind == kNoMatchingRegions || note.kind == kNoMatchingKernels ||
           note.kind == "nothing_profiled";
  });
}

void NoteMissingContent(const RequestedContent& requested,
                        const Analysis& analysis, Notes& notes) {
  // This has a note of its own.
  if (analysis.profile.measurements.empty()) return;
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

// The reason why all launches are outside of regions.
std::string_view WhyNoRegion(const Profile& profile, bool left_out) {
  const bool pruned = std::ranges::any_of(
      profile.measurements,
      [&](const Measurement& m) { return !PathOf(profile, m).empty(); });
  if (pruned)
    return "regions.domains or regions.start_end leaves out every NVTX range "
           "that was open at a launch";
  if (left_out)
    return "regions.instances leaves out every launch inside NVTX ranges: only "
           "the kernels outside of ranges are reported";
  return "no NVTX range was open at a launch: the kernels of the whole program "
         "are reported";
}

// The tree. If the program lacks the ranges that ncu was to collect, the tree
// has the regions of the whole program. `left_out`: regions.instances left
// launches out.
Result<RegionTree> PlaceRegions(const AnalysisOptions& options,
                                const Profile& profile, bool left_out,
                                Notes& notes) {
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
  if (regions == 2 && tree.regions()[1].unattributed && !tree.rest())
    said.Add(Severity::kInfo, kNoMatchingRegions,
             WhyNoRegion(profile, left_out));
  notes.Merge(said);
  return tree;
}

// Ranks wait for each other in all of their kernels.
void NoteRanksOfAllKernels(const SelectionOptions& selection,
                           const Profile& profile, Notes& notes) {
  if (selection.kernels_include.empty() && selection.kernels_exclude.empty())
    return;
  std::set<std::int32_t> ranks;
  for (const Process& process : profile.processes) ranks.insert(process.rank);
  for (const RankRecord& record : profile.ranks.records)
    ranks.insert(record.rank);
  ranks.erase(-1);
  if (ranks.size() < 2) return;
  notes.Add(Severity::kInfo, "ranks_of_all_kernels",
            "late ranks, and the times in which ranks compute, communicate and "
            "wait, are of all kernels: regions.kernels does not select them");
}

// Notes how long this profiler held the program up inside regions.
void NoteProfiler(const Profile& profile, const RegionTree& tree,
                  Notes& notes) {
  std::uint64_t ns = 0;
  for (const RegionId id : tree[RegionTree::kRoot].children) {
    for (const std::uint32_t row : tree[id].visits)
      ns += profile.visits[row].wall[WallPart::kProfiler];
  }
  if (ns == 0) return;
  notes.Add(Severity::kInfo, "profiler_time",
            fmt::format("this profiler held the program up for {} inside "
                        "regions, to prepare its counters: wall times include "
                        "it, causes and idle shares do not",
                        FormatNs(ns)));
}

// kCorrupt: a capture was damaged, and nothing is left.
Status NeedContent(const Profile& profile, const Notes& notes) {
  const auto loss =
      std::ranges::find(notes.all(), Severity::kDataLoss, &Note::severity);
  if (loss == notes.all().end() || !profile.measurements.empty() ||
      !profile.left_out.empty() || !profile.repeated.empty() ||
      !profile.visits.empty() || !profile.uses.empty() ||
      std::ranges::any_of(profile.counter_samples, &CounterSamples::size))
    return Ok();
  return Error(ErrorCode::kCorrupt,
               fmt::format("{}: {}, and nothing is left of the capture",
                           Printable(loss->where), loss->text));
}

Result<std::unique_ptr<Analysis>> AnalyzeArtifacts(
    const RunArtifacts& artifacts, const AnalysisOptions& options) {
  TRY(Selection::Make(options.selection));  // before any file is read
  const NameMerging merging = TRY(NameMerging::Make(options.merge));
  auto analysis = std::make_unique<Analysis>();
  analysis->profile =
      TRY(ReadSelected(artifacts, options.selection, options.instances, merging,
                       analysis->notes));
  TRY(NeedContent(analysis->profile, analysis->notes));
  ReadKernelSources(artifacts.files, analysis->profile.kernel_sources,
                    analysis->notes);
  ApplyFilters(artifacts, analysis->profile, analysis->notes);
  KeepSections(options.requested.OnlySections(), analysis->profile);
  PlaceThreads(options.threads, analysis->profile, analysis->notes);
  analysis->names = std::make_shared<const KnownNames>(
      MergeNames(merging, analysis->profile));
  const std::size_t all =
      analysis->profile.measurements.size() + analysis->profile.left_out.size();
  const bool has_ranges = !analysis->profile.visits.empty();
  KeepInstances(options.instances, artifacts.windows, analysis->profile,
                analysis->notes);
  const bool left_out = !analysis->profile.left_out.empty() ||
                        analysis->profile.measurements.size() < all;
  SetBaselineRunApart(analysis->profile, analysis->notes);
  PlaceGraphKernels(options.graphs, analysis->profile, analysis->notes);
  PlaceRepeated(options, analysis->profile);

  // Nothing is read from here on: the report is a function of the profile and
  // the settings.
  analysis->tree =
      TRY(PlaceRegions(options, analysis->profile, left_out, analysis->notes));
  if (all == 0) {
    analysis->notes.Add(Severity::kWarning, "no_measurements",
                        has_ranges || analysis->tree.regions().size() > 1
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
  NoteRanksOfAllKernels(options.selection, analysis->profile, analysis->notes);
  NoteKernelSources(analysis->profile, analysis->notes);
  NoteProfiler(analysis->profile, analysis->tree, analysis->notes);
  NoteWarmup(analysis->profile, analysis->tree, options.warmup,
             analysis->notes);
  TracedRun(analysis->profile, analysis->tree, analysis->rollup)
      .NoteDifferences(analysis->notes);
  return analysis;
}

// ---- The same report from any folder ----

// In notes and artifacts of a report, files are relative to the run directory,
// or to the common folder of all loose files.
class ReportedNames {
 public:
  ReportedNames(const std::vector<std::string>& paths,
                std::span<const fs::path> files) {
    std::error_code error;
    if (paths.size() == 1 && fs::is_directory(paths[0], error)) {
      root_ = (fs::path(paths[0]) / "").string();
      return;
    }
    std::vector<fs::path> whole;
    fs::path common;
    for (const fs::path& file : files) {
      whole.push_back(fs::absolute(file, error).lexically_normal());
      const fs::path folder = whole.back().parent_path();
      if (whole.size() == 1) common = folder;
      const auto [end, other] = std::mismatch(common.begin(), common.end(),
                                              folder.begin(), folder.end());
      fs::path shared;
      for (auto part = common.begin(); part != end; ++part) shared /= *part;
      common = std::move(shared);
    }
    for (std::size_t i = 0; i < files.size(); ++i)
      // Of files without a common folder, the whole paths.
      names_[files[i].string()] =
          (common == common.root_path() ? whole[i]
                                        : whole[i].lexically_relative(common))
              .string();
  }

  // `text` with another name for the file at its beginning: "FILE", "FILE: byte
  // 7".
  std::string Of(const std::string& text) const {
    if (!root_.empty())
      return text.starts_with(root_) ? text.substr(root_.size()) : text;
    for (std::size_t end = text.size(); end != std::string::npos && end > 0;
         end = text.rfind(": ", end - 1)) {
      if (const auto known = names_.find(text.substr(0, end));
          known != names_.end())
        return known->second + text.substr(end);
    }
    return text;
  }

 private:
  std::string root_{};  // of a folder, with the slash at its end
  std::map<std::string, std::string> names_{};
};

// Gives the files of an analysis their names in reports.
void Rename(const ReportedNames& names, Analysis& analysis) {
  for (Artifact& artifact : analysis.profile.artifacts)
    artifact.path = names.Of(artifact.path);
  Notes notes;
  for (const Note& note : analysis.notes.all())
    notes.Add(note.severity, note.kind, names.Of(note.text),
              names.Of(note.where), note.count);
  analysis.notes = std::move(notes);
}

// The time of the capture, from its files; for a run without files, from its
// configuration.
std::uint64_t CaptureTime(const std::vector<std::string>& paths,
                          const Profile& profile) {
  std::uint64_t seconds = 0;
  for (const Artifact& artifact : profile.artifacts)
    seconds = std::max(seconds, artifact.created_unix_s);
  if (seconds == 0 && !paths.empty()) {
    const fs::path folder(paths[0]);
    const fs::path config = folder / "config.yaml";
    std::error_code error;
    seconds = ModificationTime(fs::exists(config, error) ? config : folder);
  }
  return seconds;
}

// If a run's captures are gone, its reports stay: this differs from a run
// without measurements.
Status CheckThatSomeAreLeft(const RunArtifacts& artifacts) {
  if (!artifacts.files.empty()) return Ok();
  const Note* const note = MissingCapture(artifacts);
  if (note != nullptr) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("{}: {}; no capture of this run is left, so there "
                             "is nothing to report (reports that are there "
                             "stay as they are)",
                             note->where, note->text));
  }
  return Ok();
}

void Finish(const std::vector<std::string>& paths,
            const RunArtifacts& artifacts, Analysis& analysis) {
  analysis.notes.Merge(artifacts.notes);
  analysis.runs = artifacts.runs;
  analysis.captured_unix_s = CaptureTime(paths, analysis.profile);
  Rename(ReportedNames(paths, artifacts.files), analysis);
}

}  // namespace

Result<std::unique_ptr<Analysis>> Analyze(
    std::span<const std::filesystem::path> files,
    const AnalysisOptions& options, const std::map<std::string, int>& ranks) {
  RunArtifacts artifacts;
  artifacts.ranks = ranks;
  artifacts.files.assign(files.begin(), files.end());
  auto analysis = TRY(AnalyzeArtifacts(artifacts, options));
  analysis->captured_unix_s = CaptureTime({}, analysis->profile);
  return analysis;
}

Result<std::unique_ptr<Analysis>> AnalyzePaths(
    const std::vector<std::string>& paths, const AnalysisOptions& options) {
  const RunArtifacts artifacts = TRY(ArtifactsOf(paths));
  TRY(CheckThatSomeAreLeft(artifacts));
  auto analysis = artifacts.files.empty()
                      ? EmptyAnalysis()
                      : TRY(AnalyzeArtifacts(artifacts, options));
  Finish(paths, artifacts, *analysis);
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
  Finish(paths, artifacts, *analysis);
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

void NameFiles(const fs::path& run_dir, Analysis& analysis) {
  const std::vector<std::string> paths = {run_dir.string()};
  analysis.captured_unix_s = CaptureTime(paths, analysis.profile);
  Rename(ReportedNames(paths, {}), analysis);
}

Report MakeReport(const Analysis& analysis, ReportOptions options) {
  if (options.generated_at.empty() && analysis.captured_unix_s > 0)
    options.generated_at =
        TimeText(static_cast<std::time_t>(analysis.captured_unix_s));
  options.runs = analysis.runs;
  options.estimates = analysis.estimates;
  options.names = analysis.names;
  options.checks = CheckCounts(analysis.profile, analysis.tree, analysis.rollup,
                               analysis.estimates.get());
  return Compose(analysis.profile, analysis.tree, analysis.rollup,
                 analysis.notes, std::move(options));
}

const Analysis& KeepToTheEnd(std::unique_ptr<Analysis> analysis) {
  static auto* const kept = new std::vector<std::unique_ptr<Analysis>>();
  kept->push_back(std::move(analysis));
  return *kept->back();
}

}  // namespace rangefinder
