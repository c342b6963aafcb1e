#include "insight/times.h"
#include "report/sentences.h"
#include "rollup/traced.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

void WriteKernels(JsonStream& json, const Report& report,
                  const std::vector<TracedKernel>& kernels) {
  json.Lines("kernels", kernels, [&](const TracedKernel& kernel) {
    json.Field("kernel_name", report.profile->Name(kernel.name));
    json.Field("calls", kernel.traced.count);
    json.Field("total_ms", kernel.traced.ns / 1e6);
    json.Field("measured_calls", kernel.measured.count);
    json.Field("measured_total_ms", kernel.measured.ns / 1e6);
  });
}

void WriteScaled(JsonStream& json, const Report& report,
                 const ScopeRollup& scope, RegionId region) {
  json.BeginObject("scaled");
  for (const ScaledMetric& metric :
       report.traced->Scaled(scope, region, report.asked_columns)) {
    const Column& column = report.rollup->columns[metric.column];
    json.BeginLine(column.name);
    json.Field("value", metric.value);
    json.Field("error", metric.error);
    json.Field("unit", column.unit);
    json.Field("how", "approx");
    json.Field("single_samples", metric.single);
    json.EndObject();
  }
  json.EndObject();
}

void WriteRatio(JsonStream& json, const Report& report) {
  if (!HasTwoRuns(report)) return;
  const auto ratio = report.traced->ratio();
  if (!ratio) return;
  json.BeginLine("replay_ratio");
  json.Field("median", ratio->median);
  json.Field("low", ratio->low);
  json.Field("high", ratio->high);
  json.Field("kernels", ratio->kernels);
  json.EndObject();
}

}  // namespace

void WriteTracedJson(JsonStream& json, const Report& report,
                     const ScopeRollup& scope, RegionId region) {
  if (!HasTwoRuns(report)) return;
  const TracedRegion& traced = report.traced->Of(scope, region);
  const auto times = TimesOf(report, scope.scope, region);
  json.BeginObject("traced");
  json.Field("kernel_count", traced.inclusive.count);
  json.Field("gpu_time_ns", traced.inclusive.ns);
  json.Field("own_kernel_count", traced.exclusive.count);
  json.Field("own_gpu_time_ns", traced.exclusive.ns);
  json.Field("busy_ns", times && times->gpu_known
                            ? std::optional(times->gpu.busy_ns)
                            : std::nullopt);
  if (region != RegionTree::kRoot) WriteKernels(json, report, traced.kernels);
  json.EndObject();
  const Coverage& coverage = traced.coverage;
  json.BeginLine("coverage");
  json.Field("launches_measured", coverage.measured);
  json.Field("launches", coverage.launches);
  json.Field("time_share", coverage.time_share());
  json.EndObject();
  if (!coverage.complete()) WriteScaled(json, report, scope, region);
}

void WriteTracedKernelJson(JsonStream& json, const Report& report,
                           const ScopeRollup& scope, RegionId region,
                           const KernelRow& row) {
  if (!HasTwoRuns(report)) return;
  const TracedKernel* kernel = report.traced->Find(scope, region, row);
  if (kernel == nullptr) return;
  json.BeginLine("traced");
  json.Field("calls", kernel->traced.count);
  json.Field("total_ms", kernel->traced.ns / 1e6);
  json.EndObject();
}

void WriteRunsJson(JsonStream& json, const Report& report) {
  WriteRatio(json, report);
  if (report.options.runs.empty()) return;
  json.Lines("runs", report.options.runs, [&](const RunFact& run) {
    json.Field("name", run.name);
    json.Field("mode", run.mode);
    json.Field("seconds", run.seconds);
    json.Field("passes", run.passes);
    json.Field("outcome", run.outcome);
  });
}

}  // namespace rangefinder
