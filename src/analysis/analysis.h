// From captures to a region tree, rolled up, and to a report of it: what every
// command does with what was measured, whoever asked.

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

// What is made of the captures.
struct AnalysisOptions {
  SelectionOptions selection{};
  MergeOptions merge{};
  InstanceWindow instances{};
  ThreadPlacement threads = ThreadPlacement::kOwn;
  WarmupRule warmup{};
  GraphPlacement graphs = GraphPlacement::kNested;
  RollupOptions rollup{};
};

struct Analysis {
  Profile profile{};
  RegionTree tree{};
  Rollup rollup{};
  // Where the device was sampled; cells of the rollup name texts of it.
  std::shared_ptr<CounterEstimates> estimates{};
  Notes notes{};
  std::vector<RunFact> runs{};  // that were made for it, where that is known
};

// Reads `files`, places and rolls up. On the heap, since reports borrow it.
// `ranks` as for ReadArtifacts(). kUsage for a selection that is none;
// reading's errors.
Result<std::unique_ptr<Analysis>> Analyze(
    std::span<const std::filesystem::path> files,
    const AnalysisOptions& options,
    const std::map<std::string, int>& ranks = {});

// What `paths` hold; a run directory in which nothing was measured is an
// answer, too.
Result<std::unique_ptr<Analysis>> AnalyzePaths(
    const std::vector<std::string>& paths, const AnalysisOptions& options);

// What one rank left in a run directory that it shares with others.
Result<std::unique_ptr<Analysis>> AnalyzeRank(
    const std::vector<std::string>& paths, int rank,
    const AnalysisOptions& options);

// Of a capture that measured nothing: a report that says so.
std::unique_ptr<Analysis> EmptyAnalysis();

// For what is needed to the end of the program: it is never taken apart, which
// takes a profile of millions of kernels half a second, and the system nothing.
const Analysis& KeepToTheEnd(std::unique_ptr<Analysis> analysis);

// Its `runs` are the analysis's own.
Report MakeReport(const Analysis& analysis, ReportOptions options);

}  // namespace rangefinder
