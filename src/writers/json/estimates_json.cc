// Counters estimated from samples: devices and fits, estimates beside measured
// values, over the run, and against exact counts.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "region/path.h"
#include "report/precision.h"
#include "report/sentences.h"
#include "sampling/counter_estimates.h"
#include "writers/json/json_cells.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

class SamplingJson {
 public:
  SamplingJson(JsonStream& json, const Report& report)
      : json_(json), profile_(*report.profile) {}

  void Write(const SampledDevice& device) {
    const CounterSamples& samples = *device.samples;
    json_.BeginObject();
    json_.CountField("process", profile_.processes[Index(samples.process)].pid);
    json_.NumberField("device", samples.device);
    json_.TextField("chip", profile_.Name(samples.chip));
    json_.CountField("interval_ns", samples.interval_ns);
    json_.CountField("samples", samples.size());
    json_.CountField("lost", samples.lost);
    json_.CountField("held_up_ns", samples.held_up_ns);
    if (!samples.reason.empty()) json_.TextField("reason", samples.reason);
    WriteGaps(samples);
    if (device.fit) WriteFit(device);
    json_.EndObject();
  }

 private:
  void WriteGaps(const CounterSamples& samples) {
    constexpr std::size_t kMost = 100;
    json_.Key("gaps");
    json_.BeginArray();
    for (std::size_t i = 0; i < std::min(samples.gaps.size(), kMost); ++i) {
      const SampleGap& gap = samples.gaps[i];
      json_.BeginLineObject();
      json_.CountField("start_ns", Since(gap.from_ns));
      json_.CountField("end_ns", Since(gap.to_ns));
      json_.CountField("samples", gap.samples);
      json_.TextField("reason", SampleGapText(gap.reason));
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteFit(const SampledDevice& device) {
    const FitQuality& fit = device.fit->quality();
    json_.Key("fit");
    json_.BeginObject();
    json_.TextField("verdict", FitVerdictName(fit.verdict));
    json_.TextsField("reasons", fit.reasons);
    json_.CountField("samples_used", fit.samples_used);
    json_.CountField("samples_damaged", fit.samples_damaged);
    json_.CountField("launches", fit.launches);
    json_.CountField("groups", fit.groups);
    json_.CountField("groups_split", fit.groups_split);
    json_.CountField("groups_merged", fit.groups_merged);
    json_.NumberField("start_offset_ns", fit.start_offset_ns);
    json_.NumberField("end_offset_ns", fit.end_offset_ns);
    json_.NumberField("clock_shift_ns", fit.clock_shift_ns);
    json_.NumberField("clock_drift_ns", fit.clock_drift_ns);
    json_.Key("metrics");
    json_.BeginObject();
    for (std::size_t m = 0; m < device.metrics.size(); ++m)
      WriteMetric(device.metrics[m], fit.metrics[m], device.outside[m]);
    json_.EndObject();
    json_.EndObject();
  }

  void WriteMetric(std::string_view name, const MetricQuality& quality,
                   const CounterEstimate& outside) {
    json_.Key(name);
    json_.BeginLineObject();
    json_.TextField("verdict", FitVerdictName(quality.verdict));
    json_.NumberField("r2", quality.r2);
    json_.NumberField("residual", quality.residual);
    json_.NumberField("hardware", quality.hardware);
    json_.NumberField("launches", quality.launches);
    json_.NumberField("tracer", quality.tracer);
    json_.NumberField("outside", quality.outside);
    json_.NumberField("outside_standard_error", outside.error);
    json_.NumberField("unexplained", quality.unexplained);
    json_.NumberField("halves", quality.halves);
    json_.EndObject();
  }

  std::uint64_t Since(std::uint64_t ns) const {
    return ns > profile_.start_ns ? ns - profile_.start_ns : 0;
  }

  JsonStream& json_;
  const Profile& profile_;
};

void WriteBeside(JsonStream& json, const Report& report, std::string_view key,
                 const std::vector<EstimateBeside>& list) {
  json.Key(key);
  json.BeginObject();
  for (const EstimateBeside& one : list) {
    const Column& column = report.rollup->columns[one.column];
    std::string fields = "{";
    AppendCell(*report.profile, one.cell, column.unit, CellDetail::kAll,
               fields);
    fields += ",\"agrees\":";
    fields += !one.comparable ? "null" : one.agrees ? "true" : "false";
    fields += '}';
    json.Key(column.name);
    json.Value([&](std::string& out) { out += fields; });
  }
  json.EndObject();
}

void WriteEstimate(JsonStream& json, const CounterEstimate& one) {
  if (!one.total) {
    json.Null();
    return;
  }
  json.BeginLineObject();
  json.NumberField("value", *one.total);
  json.NumberField("standard_error", one.error);
  json.NumberField("low", one.low);
  json.NumberField("high", one.high);
  json.EndObject();
}

void WriteBlock(JsonStream& json, const Report& report,
                const SampledDevice& device, const RegionBlock& block) {
  const auto since = [&](std::int64_t ns) {
    return static_cast<double>(ns) -
           static_cast<double>(
               device.launches.SinceOrigin(report.profile->start_ns));
  };
  json.BeginObject();
  json.NumberField("start_ns", since(block.start_ns));
  json.NumberField("end_ns", since(block.end_ns));
  json.CountField("instances", block.instances);
  json.Key("metrics");
  json.BeginObject();
  for (std::size_t m = 0; m < device.metrics.size(); ++m) {
    json.Key(device.metrics[m]);
    WriteEstimate(json, block.per_instance[m]);
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace

void WriteSamplingJson(JsonStream& json, const Report& report) {
  if (!report.options.estimates) return;
  json.Key("sampling");
  json.BeginArray();
  for (const SampledDevice& device : report.options.estimates->devices())
    SamplingJson(json, report).Write(device);
  json.EndArray();
}

void WriteBesideJson(JsonStream& json, const Report& report,
                     const RegionRollup& rolled) {
  if (rolled.inclusive_beside.empty() && rolled.exclusive_beside.empty())
    return;
  json.Key("estimated");
  json.BeginObject();
  WriteBeside(json, report, "inclusive", rolled.inclusive_beside);
  WriteBeside(json, report, "exclusive", rolled.exclusive_beside);
  json.EndObject();
}

void WriteCopiesJson(JsonStream& json, const Report& report, RegionId id) {
  if (!report.options.estimates) return;
  const CounterEstimates& all = *report.options.estimates;
  const auto copies = all.CopiesOf(id);
  if (copies.empty()) return;
  json.Key("copies");
  json.BeginObject();
  for (std::size_t m = 0; m < copies.size(); ++m) {
    json.Key(all.metrics()[m]);
    WriteEstimate(json, copies[m]);
  }
  json.EndObject();
}

void WriteOverTimeJson(JsonStream& json, const Report& report,
                       const Scope& scope, RegionId id) {
  const auto followed = FollowedIn(report, scope, id);
  if (followed.empty()) return;
  json.Key("over_time");
  json.BeginArray();
  for (const CountsOverTime* one : followed) {
    const SampledDevice& device =
        report.options.estimates->devices()[one->device];
    json.BeginObject();
    json.CountField(
        "process",
        report.profile->processes[Index(device.samples->process)].pid);
    json.NumberField("device", device.samples->device);
    json.Key("blocks");
    json.BeginArray();
    for (const RegionBlock& block : one->blocks)
      WriteBlock(json, report, device, block);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteCheckJson(JsonStream& json, const Report& report) {
  if (report.options.checks.empty()) return;
  json.Key("check");
  json.BeginArray();
  for (const CountCheck& check : report.options.checks) {
    json.BeginLineObject();
    json.TextField("region", RegionLabel(*report.profile,
                                         report.tree->PathTo(check.region)));
    json.TextField("metric", report.rollup->columns[check.column].name);
    json.TextField("unit", report.rollup->columns[check.column].unit);
    json.NumberField("estimate", check.estimate);
    json.NumberField("standard_error", check.estimate_error);
    json.CountField("instances", check.instances);
    json.NumberField("exact", check.exact);
    json.NumberField("exact_standard_error", check.exact_error);
    json.CountField("counted", check.counted);
    json.Key("agrees");
    json.Value(
        [&](std::string& out) { out += check.agrees ? "true" : "false"; });
    json.EndObject();
  }
  json.EndArray();
}

void WritePrecisionJson(JsonStream& json, const Report& report) {
  if (!report.options.precision || !HasEstimates(report)) return;
  json.Key("precision");
  json.BeginObject();
  json.NumberField("asked", *report.options.precision);
  json.Key("missed");
  json.BeginArray();
  for (const ImpreciseValue& value : ImpreciseValuesOf(report)) {
    json.BeginLineObject();
    json.TextField("region", RegionLabel(*report.profile,
                                         report.tree->PathTo(value.region)));
    json.TextField("metric", report.rollup->columns[value.column].name);
    json.NumberField("precision", value.share);
    json.CountField("instances", value.instances);
    json.Key("more_instances");
    if (value.more)
      json.Value([&](std::string& out) { AppendJsonCount(*value.more, out); });
    else
      json.Null();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace rangefinder
