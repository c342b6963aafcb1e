// From captures to a region tree, a rollup, and a report: the path of every
// command that reads captures.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/plan.h"
#include "insight/warmup.h"
#include "profile/profile.h"
#include "region/graph_kernels.h"
#include "region/merged_names.h"
#include "region/selection.h"
#include "region/thread_placing.h"
#include "region/tree.h"
#include "report/report.h"
#include "rollup/rollup.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {

// Content that was requested by name. A note names the parts that the capture
// lacks.
struct RequestedContent {
  std::vector<std::string> sections{};       // of ncu
  std::vector<std::string> metrics{};        // of ncu
  std::vector<std::string> table_metrics{};  // report.metrics
  // A section set of ncu was requested; the names of its sections are unknown
  // here.
  bool section_set = false;

  // The sections of the report; empty: all of the capture.
  std::vector<std::string> OnlySections() const {
    return section_set ? std::vector<std::string>() : sections;
  }
};

// Options of an analysis: regions.* and the rules of rollups.
struct AnalysisOptions {
  SelectionOptions selection{};
  MergeOptions merge{};
  InstanceWindow instances{};
  ThreadPlacement threads = ThreadPlacement::kOwn;
  WarmupRule warmup{};
  GraphPlacement graphs = GraphPlacement::kNested;
  RollupOptions rollup{};
  RequestedContent requested{};
};

struct Analysis {
  Profile profile{};
  RegionTree tree{};
  Rollup rollup{};
  // If the device was sampled; cells of the rollup refer to texts of it.
  std::shared_ptr<CounterEstimates> estimates{};
  std::shared_ptr<const KnownNames> names{};
  Notes notes{};
  std::vector<RunFact> runs{};        // made for it, if known
  std::uint64_t captured_unix_s = 0;  // 0: not known
};

// Reads `files`, places and rolls up. On the heap, since reports borrow it.
// `ranks` as for ReadArtifacts(). kUsage for an invalid selection;
// reading's errors.
Result<std::unique_ptr<Analysis>> Analyze(
    std::span<const std::filesystem::path> files,
    const AnalysisOptions& options,
    const std::map<std::string, int>& ranks = {});

// The analysis of `paths`. A run directory without measurements gives an empty
// analysis.
Result<std::unique_ptr<Analysis>> AnalyzePaths(
    const std::vector<std::string>& paths, const AnalysisOptions& options);

// The analysis of one rank in a run directory that ranks share.
Result<std::unique_ptr<Analysis>> AnalyzeRank(
    const std::vector<std::string>& paths, int rank,
    const AnalysisOptions& options);

// The analysis of a capture without measurements; its report says so.
std::unique_ptr<Analysis> EmptyAnalysis();

// Keeps an analysis to the end of the program: destroying a profile of millions
// of kernels takes half a second, and the system frees it at no cost.
const Analysis& KeepToTheEnd(std::unique_ptr<Analysis> analysis);

// Names the files of an analysis in the form of the reports of `run_dir`, and
// sets the time of the capture. AnalyzePaths() has already done so.
void NameFiles(const std::filesystem::path& run_dir, Analysis& analysis);

// The report shows `runs` of the analysis, and the time of the capture if the
// options have none.
Report MakeReport(const Analysis& analysis, ReportOptions options);

}  // namespace rangefinder
