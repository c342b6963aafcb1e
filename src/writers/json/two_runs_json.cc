#include "insight/times.h"
#include "report/sentences.h"
#include "rollup/traced.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

void WriteKernels(JsonStream& json, const Report& report,
                  const std::vector<TracedKernel>& kernels) {
  json.Key("kernels");
  json.BeginArray();
  for (const TracedKernel& kernel : kernels) {
    json.BeginLineObject();
    json.TextField("kernel_name", report.profile->Name(kernel.name));
    json.CountField("calls", kernel.traced.count);
    json.NumberField("total_ms", kernel.traced.ns / 1e6);
    json.CountField("measured_calls", kernel.measured.count);
    json.NumberField("measured_total_ms", kernel.measured.ns / 1e6);
    json.EndObject();
  }
  json.EndArray();
}

void WriteScaled(JsonStream& json, const Report& report,
                 const ScopeRollup& scope, RegionId region) {
  json.Key("scaled");
  json.BeginObject();
  for (const ScaledMetric& metric :
       report.traced->Scaled(scope, region, report.asked_columns)) {
    const Column& column = report.rollup->columns[metric.column];
    json.Key(column.name);
    json.BeginLineObject();
    json.NumberField("value", metric.value);
    json.Key("error");
    if (metric.error)
      json.Number(*metric.error);
    else
      json.Null();
    json.TextField("unit", column.unit);
    json.TextField("how", "approx");
    json.CountField("single_samples", metric.single);
    json.EndObject();
  }
  json.EndObject();
}

void WriteRatio(JsonStream& json, const Report& report) {
  if (!HasTwoRuns(report)) return;
  const auto ratio = report.traced->ratio();
  if (!ratio) return;
  json.Key("replay_ratio");
  json.BeginLineObject();
  json.NumberField("median", ratio->median);
  json.NumberField("low", ratio->low);
  json.NumberField("high", ratio->high);
  json.CountField("kernels", ratio->kernels);
  json.EndObject();
}

}  // namespace

void WriteTracedJson(JsonStream& json, const Report& report,
                     const ScopeRollup& scope, RegionId region) {
  if (!HasTwoRuns(report)) return;
  const TracedRegion& traced = report.traced->Of(scope, region);
  const auto times = TimesOf(report, scope.scope, region);
  json.Key("traced");
  json.BeginObject();
  json.CountField("kernel_count", traced.inclusive.count);
  json.NumberField("gpu_time_ns", traced.inclusive.ns);
  json.CountField("own_kernel_count", traced.exclusive.count);
  json.NumberField("own_gpu_time_ns", traced.exclusive.ns);
  json.Key("busy_ns");
  if (times)
    json.Count(times->gpu.busy_ns);
  else
    json.Null();
  if (region != RegionTree::kRoot) WriteKernels(json, report, traced.kernels);
  json.EndObject();
  const Coverage& coverage = traced.coverage;
  json.Key("coverage");
  json.BeginLineObject();
  json.CountField("launches_measured", coverage.measured);
  json.CountField("launches", coverage.launches);
  json.NumberField("time_share", coverage.time_share());
  json.EndObject();
  if (!coverage.complete()) WriteScaled(json, report, scope, region);
}

void WriteTracedKernelJson(JsonStream& json, const Report& report,
                           const ScopeRollup& scope, RegionId region,
                           const KernelRow& row) {
  if (!HasTwoRuns(report)) return;
  const TracedKernel* kernel = report.traced->Find(scope, region, row);
  if (kernel == nullptr) return;
  json.Key("traced");
  json.BeginLineObject();
  json.CountField("calls", kernel->traced.count);
  json.NumberField("total_ms", kernel->traced.ns / 1e6);
  json.EndObject();
}

void WriteRunsJson(JsonStream& json, const Report& report) {
  WriteRatio(json, report);
  if (report.options.runs.empty()) return;
  json.Key("runs");
  json.BeginArray();
  for (const RunFact& run : report.options.runs) {
    json.BeginLineObject();
    json.TextField("name", run.name);
    json.TextField("mode", run.mode);
    json.NumberField("seconds", run.seconds);
    json.CountField("passes", run.passes);
    json.TextField("outcome", run.outcome);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace rangefinder
