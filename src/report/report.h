// A report: the data for its documents, without text layout.
//
// A Report borrows the profile, the tree and the rollup; every number in it is
// also in one of them. report/documents.h builds documents from it; other
// writers take the whole report and write bytes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "insight/headlines.h"
#include "insight/run_view.h"
#include "insight/unit_costs.h"
#include "insight/warmup.h"
#include "profile/profile.h"
#include "region/name_facts.h"
#include "region/tree.h"
#include "report/kernel_names.h"
#include "rollup/rollup.h"
#include "rollup/sections.h"
#include "sampling/count_check.h"

namespace rangefinder {

class CounterEstimates;  // sampling/counter_estimates.h

// How the numbers were measured, according to the artifacts.
struct CaptureFacts {
  std::string mode{};  // replay modes in the capture: "kernel", "kernel+range"
  std::vector<std::pair<std::string, std::string>> tools{};  // name, versions
  std::vector<std::string> command{};  // of the profiler, or of the program
  std::string clock_control{};         // requested from ncu, else its default
  std::string cache_control{};
  std::vector<std::string> metrics{};  // requested by name
  std::vector<std::string> devices{};  // "0: NVIDIA H200"
};

// Reads the facts off the artifacts' recorded command lines and versions.
CaptureFacts FactsOf(const Profile& profile);

// One run that was made for the report.
struct RunFact {
  std::string name{};        // "trace", or the capture's name for a run of ncu
  std::string mode{};        // trace, regions, kernel, range, ...
  double seconds = 0;        // of the program under the profiler
  std::uint64_t passes = 0;  // passes of each kernel; 0: unknown
  std::string outcome{};     // "ok", or why it gave nothing
};

// Which metrics are in place in report.json; the others are packed
// (docs/report-json.md).
enum class MetricsInPlace : std::uint8_t {
  kAuto,       // kAll in a small report without requests, else kRequested
  kRequested,  // requested by name; if none, UsualMetrics()
  kAll,
};
// By the word in report.format.metrics: auto, requested, all.
std::optional<MetricsInPlace> FindMetricsInPlace(std::string_view name);

// The files that are written for a report.
struct ReportFiles {
  std::vector<std::string> formats = {"md", "json", "html"};
  bool csv = true;  // raw.csv of the run and of each region with a folder
  // True for a run directory, which has tables besides its documents; loose
  // files and sampled runs have documents alone.
  bool of_run_dir = false;

  bool Has(std::string_view format) const {
    return std::ranges::find(formats, format) != formats.end();
  }
};

inline constexpr std::uint64_t kUsualFolders = 200;

struct ReportOptions {
  std::string generated_at{};        // ISO 8601, UTC: of the capture
  std::string config_fingerprint{};  // of the configuration, or empty
  // Metrics of the tables for people; empty: CaptureFacts::metrics, or
  // UsualMetrics() if none were requested.
  std::vector<std::string> table_metrics{};
  // Other metrics requested by name; empty: CaptureFacts::metrics.
  std::vector<std::string> requested_metrics{};
  std::map<std::string, std::string> metric_docs{};  // of derived metrics
  std::vector<CauseRule> causes{};                   // rules for finding causes
  MetricsInPlace in_place = MetricsInPlace::kAuto;
  std::vector<std::string> include_patterns{};  // regions.include, as written
  std::vector<std::string> exclude_patterns{};
  std::vector<std::string> kernel_include_patterns{};  // regions.kernels
  std::vector<std::string> kernel_exclude_patterns{};
  WarmupRule warmup{};
  // Sources in addition to the profile's; null: none.
  std::shared_ptr<const KernelSources> kernel_sources{};
  bool full_kernel_names = false;  // in tables for people
  std::uint64_t max_rows = 200;    // of a human-readable table
  // Most regions with files of their own; if there are any, tables are written
  // next to the documents. Nothing: kUsualFolders if ncu measured, else 0;
  // Compose() decides.
  std::optional<std::uint64_t> max_folders{};
  std::uint64_t max_page_regions = 20000;  // most regions of the HTML page
  ReportFiles files{};                     // named in the JSON
  std::vector<std::string> sections{};     // shown; empty: all of the capture
  std::vector<RunFact> runs{};             // in the order of the runs
  std::shared_ptr<const CounterEstimates> estimates{};  // null: none
  std::shared_ptr<const KnownNames> names{};            // null: none
  std::vector<CountCheck> checks{};  // of estimates; empty: no check was made
  // The requested precision: half of an estimate's 95 % interval over its
  // value.
  std::optional<double> precision{};
  // Bytes that a step of the model has to read on one device.
  std::optional<std::uint64_t> parameter_bytes{};
};

struct Report : RunView {
  const Notes* notes = nullptr;
  CaptureFacts capture{};
  ReportOptions options{};
  // Columns of the tables for people, indices into Rollup::columns.
  std::vector<std::size_t> table_columns{};
  std::vector<std::size_t> asked_columns{};  // the same without a limit
  Diagnosis diagnosis{};
  std::vector<StringId> phases{};  // by RegionId; empty: no phase is known
  std::vector<UnitCosts> unit_costs{};
  StringId PhaseOf(RegionId id) const {
    return phases.empty() ? StringId{} : phases[Index(id)];
  }
  std::shared_ptr<const SectionCatalog> sections{};
  std::shared_ptr<const KernelNames> kernel_names{};
};

// All arguments but `options` must outlive the report.
Report Compose(const Profile& profile, const RegionTree& tree,
               const Rollup& rollup, const Notes& notes, ReportOptions options);

// A short heading for each of Report::table_columns: Nsight Compute's own label
// if the capture has it, else the metric's name without the parts that nearly
// all names share. Different metrics have different headings.
std::vector<std::string> ColumnHeadings(const Report& report);
// The heading of any column of the rollup; two columns may have the same.
std::string MetricHeading(const Report& report, std::size_t column);
// The meaning of the metric, without a full stop; empty: unknown.
std::string MetricDoc(const Report& report, std::size_t column);

// The reported regions, those with the most GPU time in any scope first. A
// region has no less time than its inner regions and comes before them.
std::vector<RegionId> ReportedByTime(const Report& report);

// The region that `text` names: by its path joined by /, or by its own name if
// only one region has it.
Result<RegionId> RegionNamed(const Report& report, std::string text);

// The metrics of reports without requested metrics: how busy the SMs and the
// memory were, and how full the SMs.
std::span<const std::string_view> UsualMetrics();

}  // namespace rangefinder
