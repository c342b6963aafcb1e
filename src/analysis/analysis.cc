#include "analysis/analysis.h"

#include <algorithm>
#include <compare>
#include <ctime>
#include <set>
#include <system_error>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run_artifacts.h"
#include "base/file.h"
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

// ---- Instances that a selection leaves out ----

// Which instances of traces `window` leaves out: of the outermost range of a
// path that ran more than once, by time of opening in each process. The profile
// lists when instances were opened, and its names are merged.
class InstancesLeftOut {
 public:
  InstancesLeftOut(const InstanceWindow& window, const Profile& profile) {
    std::map<std::pair<ProcessId, std::string>, std::vector<Opening>> regions;
    std::vector<std::vector<std::string>> places;  // by row, outermost first
    for (const RangeVisits& row : profile.visits) {
      Measurement there;
      there.process = row.process;
      there.thread = row.thread;
      there.nvtx = row.nvtx;
      std::string place;
      const auto path = PathOf(profile, there);
      auto& outer = places.emplace_back();
      for (const Frame& frame : path) {
        place += fmt::format("/{}.{}", Index(frame.domain), Index(frame.name));
        outer.push_back(place);
      }
      const bool start_end =
          !path.empty() && path.back().kind == FrameKind::kStartEnd;
      auto& openings = regions[{row.process, place}];
      for (const RangeVisits::Opening& opening : row.openings)
        openings.push_back({.ns = opening.ns,
                            .thread = row.thread,
                            .depth = start_end ? 0 : path.size(),
                            .launched = opening.launched});
    }
    const auto repeated = [&](ProcessId process, const std::string& place) {
      const auto found = regions.find({process, place});
      return found != regions.end() && Counted(found->second) > 1;
    };
    std::set<std::pair<ProcessId, std::string>> seen;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ProcessId process = profile.visits[i].process;
      const auto first = std::ranges::find_if(
          places[i],
          [&](const std::string& place) { return repeated(process, place); });
      if (first == places[i].end() || !seen.emplace(process, *first).second)
        continue;
      LeaveOut(window, profile.processes[Index(process)], profile,
               regions[{process, *first}]);
    }
  }

  bool empty() const { return left_out_.empty(); }
  bool Contains(const InstancePlace& place) const {
    return left_out_.contains(KeyOf(place));
  }

 private:
  struct Opening {
    std::uint64_t ns = 0;
    std::uint64_t thread = 0;
    std::size_t depth = 0;
    bool launched = false;
    friend auto operator<=>(const Opening&, const Opening&) = default;
  };

  // Instances that launched work count; of a region without any, all do.
  static std::size_t Counted(const std::vector<Opening>& openings) {
    const auto launched = static_cast<std::size_t>(
        std::ranges::count(openings, true, &Opening::launched));
    return launched > 0 ? launched : openings.size();
  }

  // An InstancePlace that owns its text.
  using Key = std::tuple<std::string, std::uint64_t, std::uint64_t,
                         std::uint64_t, std::size_t>;

  static Key KeyOf(const InstancePlace& place) {
    return {std::string(place.host), place.pid, place.thread, place.open_ns,
            place.depth};
  }

  void LeaveOut(const InstanceWindow& window, const Process& process,
                const Profile& profile, std::vector<Opening> openings) {
    std::ranges::sort(openings);
    const bool all_count = Counted(openings) == openings.size();
    std::uint64_t ordinal = 0;
    for (const Opening& opening : openings) {
      if (!window.Takes(ordinal))
        left_out_.insert(KeyOf({.host = profile.Name(process.host),
                                .pid = process.pid,
                                .thread = opening.thread,
                                .open_ns = opening.ns,
                                .depth = opening.depth}));
      if (all_count || opening.launched) ++ordinal;
    }
  }

  std::set<Key> left_out_{};
};

// A kernel by its names; `demangled` alone may be of several.
std::string NamesOf(const Profile& profile, const Measurement& m) {
  return fmt::format("{}\n{}", profile.Name(m.demangled_name),
                     profile.Name(m.mangled_name));
}

std::unordered_set<std::string> CountedKernels(const Profile& profile,
                                               const Selection& selection) {
  std::unordered_set<std::string> counted;
  if (selection.keeps_all_kernels()) return counted;
  KeptKernels kept(profile, selection);
  for (const Measurement& m : profile.measurements)
    if (kept.Keeps(m)) counted.insert(NamesOf(profile, m));
  return counted;
}

// The profile of the artifacts under the selection of kernels and instances.
Result<Profile> ReadSelected(const RunArtifacts& artifacts,
                             const AnalysisOptions& options,
                             const NameMerging& merging, Notes& notes) {
  const Selection selection = TRY(Selection::Make(options.selection));
  const bool all_kernels = selection.keeps_all_kernels();
  ReadSelection read{.list_instances = !options.instances.takes_all()};
  if (all_kernels && !read.list_instances)
    return ReadArtifacts(artifacts.files, notes, artifacts.ranks);
  // Which kernels and instances there are is known once all files are read.
  Notes of_all;
  Profile all =
      TRY(ReadArtifacts(artifacts.files, of_all, artifacts.ranks, read));
  MergeNames(merging, all);
  const InstancesLeftOut left_out(options.instances, all);
  const auto counted = CountedKernels(all, selection);
  if (all.visits.empty() || (left_out.empty() && all_kernels)) {
    all.merged = {};
    notes.Merge(of_all);
    return all;
  }
  all = {};
  read.list_instances = false;
  if (!left_out.empty()) {
    read.leaves_out = [&](const InstancePlace& place) {
      return left_out.Contains(place);
    };
  }
  if (!all_kernels) {
    read.counts = [&](const Profile& profile, const Measurement& m) {
      return m.kind != MeasurementKind::kKernel ||
             counted.contains(NamesOf(profile, m));
    };
  }
  return ReadArtifacts(artifacts.files, notes, artifacts.ranks, read);
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
      TRY(ReadSelected(artifacts, options, merging, analysis->notes));
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

// ---- The same report from any folder ----

// Notes and artifacts of a report name files relative to the run directory, or
// to the folder that all loose files are in.
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
      names_[files[i].string()] = whole[i].lexically_relative(common).string();
  }

  // `text` with another name for the file that it begins with: "FILE",
  // "FILE: byte 7".
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

// When the capture was made, by its files; of a run without any, by its
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

// A run whose captures are gone is not a run without measurements: its reports
// stay.
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
  // Traces were read without the other instances.
  const auto is_chosen = [&](const Measurement& m) {
    return m.mode == ReplayMode::kTrace || taken.contains(m.artifact);
  };
  Executions executions(profile);
  std::uint64_t all = profile.left_out.size();
  for (const Measurement* m : InLaunchOrder(profile)) {
    if (!taken.contains(m->artifact)) ++all;
    if (!is_chosen(*m)) executions.Add(*m);
  }
  if (all == 0) return;
  std::uint64_t ranges = 0;
  const auto left_out =
      profile.left_out.size() +
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        if (is_chosen(m)) return false;
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
