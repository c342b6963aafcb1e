#include "app/report_settings.h"

#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "report/json_form.h"

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

ReportOptions ReportOptionsOf(const Settings& settings, Asked asked) {
  const bool ours = asked == Asked::kByTheseSettings;
  std::vector<std::string> tables = settings.report.metrics;
  // Without ncu nothing was asked of it, whatever its preset has.
  const bool asked_ncu = ours && settings.ncu.enable;
  if (tables.empty() && asked_ncu) tables = settings.ncu.metrics;
  const SelectionOptions& selection = settings.analysis.selection;
  std::map<std::string, std::string> docs;
  for (const DerivedMetric& metric : settings.analysis.rollup.derived)
    docs[metric.name] = metric.doc;
  return {
      .generated_at = Timestamp(),
      .config_fingerprint = ours ? settings.fingerprint : std::string(),
      .table_metrics = std::move(tables),
      .requested_metrics =
          asked_ncu ? settings.ncu.metrics : std::vector<std::string>(),
      .metric_docs = std::move(docs),
      .metrics_form = FindMetricsForm(settings.report.format_metrics)
                          .value_or(MetricsForm::kAuto),
      .include_patterns = selection.include,
      .exclude_patterns = selection.exclude,
      .kernel_include_patterns = selection.kernels_include,
      .kernel_exclude_patterns = selection.kernels_exclude,
      .warmup = settings.analysis.warmup,
      .kernel_sources = settings.report.kernel_sources,
      .full_kernel_names = settings.report.format_kernel_names == "full",
      .max_rows = settings.report.max_rows,
      .max_folders = settings.report.max_folders,
      .files = {.formats = settings.report.formats,
                .csv = settings.ncu.export_csv},
      .sections = ours ? settings.ncu.sections : std::vector<std::string>()};
}

}  // namespace rangefinder
