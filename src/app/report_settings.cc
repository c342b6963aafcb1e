#include "app/report_settings.h"

#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/rollup_settings.h"

namespace rangefinder {
namespace {

// Now, or SOURCE_DATE_EPOCH where the environment sets it: ISO 8601 in UTC.
std::string Timestamp() {
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long seconds = std::strtoll(epoch, &end, 10);
    if (end != epoch && *end == '\0') now = static_cast<std::time_t>(seconds);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

AnalysisOptions AnalysisOptionsOf(const Settings& settings) {
  const RegionSettings& regions = settings.regions;
  AnalysisOptions options;
  options.selection = {.include = regions.include,
                       .exclude = regions.exclude,
                       .domains_include = regions.domains_include,
                       .domains_exclude = regions.domains_exclude,
                       .kernels_include = regions.kernels_include,
                       .kernels_exclude = regions.kernels_exclude,
                       .kernels_base = regions.kernels_base,
                       .start_end = regions.start_end};
  options.merge = regions.merge;
  options.instances = regions.instances;
  options.threads =
      FindThreadPlacement(regions.threads).value_or(ThreadPlacement::kOwn);
  options.warmup = regions.warmup;
  options.graphs =
      FindGraphPlacement(regions.graphs).value_or(GraphPlacement::kNested);
  options.rollup = RollupOptionsOf(settings.rollup);
  options.rollup.aggregate = regions.aggregate;
  return options;
}

ReportOptions ReportOptionsOf(const Settings& settings, Asked asked) {
  const bool ours = asked == Asked::kByTheseSettings;
  std::vector<std::string> tables = settings.report.metrics;
  // Without ncu nothing was asked of it, whatever its preset has.
  const bool asked_ncu = ours && settings.ncu.enable;
  if (tables.empty() && asked_ncu) tables = settings.ncu.metrics;
  std::map<std::string, std::string> docs;
  for (const DerivedMetric& metric : RollupOptionsOf(settings.rollup).derived)
    docs[metric.name] = metric.doc;
  return {
      .generated_at = Timestamp(),
      .config_fingerprint = ours ? settings.fingerprint : std::string(),
      .table_metrics = std::move(tables),
      .requested_metrics =
          asked_ncu ? settings.ncu.metrics : std::vector<std::string>(),
      .metric_docs = std::move(docs),
      .in_place = FindMetricsInPlace(settings.report.format_metrics)
                      .value_or(MetricsInPlace::kAuto),
      .include_patterns = settings.regions.include,
      .exclude_patterns = settings.regions.exclude,
      .kernel_include_patterns = settings.regions.kernels_include,
      .kernel_exclude_patterns = settings.regions.kernels_exclude,
      .warmup = settings.regions.warmup,
      .kernel_sources = settings.report.kernel_sources,
      .full_kernel_names = settings.report.format_kernel_names == "full",
      .max_rows = settings.regions.max_rows,
      .max_folders = settings.report.max_folders,
      .files = {.formats = settings.report.formats,
                .csv = settings.ncu.export_csv},
      .sections = ours ? settings.ncu.sections : std::vector<std::string>()};
}

}  // namespace rangefinder
