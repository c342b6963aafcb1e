// Counters estimated from samples: devices and fits, estimates next to measured
// values, over the run, and compared with exact counts.

#include <ranges>
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

void WriteMetricQuality(JsonStream& json, std::string_view name,
                        const MetricQuality& quality,
                        const CounterEstimate& outside) {
  json.BeginLine(name);
  json.Field("verdict", FitVerdictName(quality.verdict));
  json.Field("decides", quality.decides);
  json.Field("r2", quality.r2);
  json.Field("residual", quality.residual);
  json.Field("hardware", quality.hardware);
  json.Field("launches", quality.launches);
  json.Field("tracer", quality.tracer);
  json.Field("outside", quality.outside);
  json.Field("outside_standard_error", outside.error);
  json.Field("unexplained", quality.unexplained);
  json.Field("halves", quality.halves);
  json.Field("halves_part", quality.halves_part);
  json.EndObject();
}

void WriteFit(JsonStream& json, const SampledDevice& device) {
  const FitQuality& fit = device.fit->quality();
  json.BeginObject("fit");
  json.Field("verdict", FitVerdictName(fit.verdict));
  json.Field("reasons", fit.reasons);
  json.Field("samples_used", fit.samples_used);
  json.Field("samples_damaged", fit.samples_damaged);
  json.Field("launches", fit.launches);
  json.Field("groups", fit.groups);
  json.Field("groups_split", fit.groups_split);
  json.Field("groups_merged", fit.groups_merged);
  json.Field("start_offset_ns", fit.start_offset_ns);
  json.Field("end_offset_ns", fit.end_offset_ns);
  json.Field("clock_shift_ns", fit.clock_shift_ns);
  json.Field("clock_drift_ns", fit.clock_drift_ns);
  json.BeginObject("metrics");
  for (std::size_t m = 0; m < device.metrics.size(); ++m)
    WriteMetricQuality(json, device.metrics[m], fit.metrics[m],
                       device.outside[m]);
  json.EndObject();
  json.EndObject();
}

void WriteSampledDevice(JsonStream& json, const Profile& profile,
                        const SampledDevice& device) {
  constexpr std::size_t kMostGaps = 100;
  const auto since = [&](std::uint64_t ns) {
    return ns > profile.start_ns ? ns - profile.start_ns : 0;
  };
  const CounterSamples& samples = *device.samples;
  json.Field("process", profile.processes[Index(samples.process)].pid);
  json.Field("device", samples.device);
  json.Field("chip", profile.Name(samples.chip));
  json.Field("interval_ns", samples.interval_ns);
  json.Field("samples", samples.size());
  json.Field("lost", samples.lost);
  json.Field("held_up_ns", samples.held_up_ns);
  if (!samples.reason.empty()) json.Field("reason", samples.reason);
  json.Lines("gaps", samples.gaps | std::views::take(kMostGaps),
             [&](const SampleGap& gap) {
               json.Field("start_ns", since(gap.from_ns));
               json.Field("end_ns", since(gap.to_ns));
               json.Field("samples", gap.samples);
               json.Field("reason", SampleGapText(gap.reason));
             });
  if (device.fit) WriteFit(json, device);
}

void WriteBeside(JsonStream& json, const Report& report, std::string_view key,
                 const std::vector<EstimateBeside>& list) {
  json.BeginObject(key);
  for (const EstimateBeside& one : list) {
    const Column& column = report.rollup->columns[one.column];
    json.Key(column.name);
    json.Value([&](std::string& out) {
      out += '{';
      AppendCell(*report.profile, one.cell, column.unit, CellDetail::kAll, out);
      out += ",\"agrees\":";
      out += !one.comparable ? "null" : one.agrees ? "true" : "false";
      out += '}';
    });
  }
  json.EndObject();
}

void WriteEstimate(JsonStream& json, const CounterEstimate& one) {
  if (!one.total) return json.Null();
  json.BeginLine();
  json.Field("value", *one.total);
  json.Field("standard_error", one.error);
  json.Field("low", one.low);
  json.Field("high", one.high);
  json.EndObject();
}

void WriteBlock(JsonStream& json, const Report& report,
                const SampledDevice& device, const RegionBlock& block) {
  const auto since = [&](std::int64_t ns) {
    return static_cast<double>(ns) -
           static_cast<double>(
               device.launches.SinceOrigin(report.profile->start_ns));
  };
  json.Field("start_ns", since(block.start_ns));
  json.Field("end_ns", since(block.end_ns));
  json.Field("instances", block.instances);
  json.BeginObject("metrics");
  for (std::size_t m = 0; m < device.metrics.size(); ++m) {
    json.Key(device.metrics[m]);
    WriteEstimate(json, block.per_instance[m]);
  }
  json.EndObject();
}

}  // namespace

void WriteSamplingJson(JsonStream& json, const Report& report) {
  if (!report.options.estimates) return;
  json.Objects("sampling", report.options.estimates->devices(),
               [&](const SampledDevice& device) {
                 WriteSampledDevice(json, *report.profile, device);
               });
}

void WriteBesideJson(JsonStream& json, const Report& report,
                     const RegionRollup& rolled) {
  if (rolled.inclusive_beside.empty() && rolled.exclusive_beside.empty())
    return;
  json.BeginObject("estimated");
  WriteBeside(json, report, "inclusive", rolled.inclusive_beside);
  WriteBeside(json, report, "exclusive", rolled.exclusive_beside);
  json.EndObject();
}

void WriteCopiesJson(JsonStream& json, const Report& report, RegionId id) {
  if (!report.options.estimates) return;
  const CounterEstimates& all = *report.options.estimates;
  const auto copies = all.CopiesOf(id);
  if (copies.empty()) return;
  json.BeginObject("copies");
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
  json.Objects("over_time", followed, [&](const CountsOverTime* one) {
    const SampledDevice& device =
        report.options.estimates->devices()[one->device];
    json.Field("process",
               report.profile->processes[Index(device.samples->process)].pid);
    json.Field("device", device.samples->device);
    json.Objects("blocks", one->blocks, [&](const RegionBlock& block) {
      WriteBlock(json, report, device, block);
    });
  });
}

void WriteCheckJson(JsonStream& json, const Report& report) {
  if (report.options.checks.empty()) return;
  json.Lines("check", report.options.checks, [&](const CountCheck& check) {
    json.Field("region",
               RegionLabel(*report.profile, report.tree->PathTo(check.region)));
    json.Field("metric", report.rollup->columns[check.column].name);
    json.Field("unit", report.rollup->columns[check.column].unit);
    json.Field("estimate", check.estimate);
    json.Field("standard_error", check.estimate_error);
    json.Field("instances", check.instances);
    json.Field("exact", check.exact);
    json.Field("exact_standard_error", check.exact_error);
    json.Field("counted", check.counted);
    json.Field("agrees", check.agrees);
  });
}

void WritePrecisionJson(JsonStream& json, const Report& report) {
  if (!report.options.precision || !HasEstimates(report)) return;
  json.BeginObject("precision");
  json.Field("asked", *report.options.precision);
  const auto missed = ImpreciseValuesOf(report);
  json.Lines("missed", missed, [&](const ImpreciseValue& value) {
    json.Field("region",
               RegionLabel(*report.profile, report.tree->PathTo(value.region)));
    json.Field("metric", report.rollup->columns[value.column].name);
    json.Field("precision", value.share);
    json.Field("instances", value.instances);
    json.Field("more_instances", value.more);
  });
  json.EndObject();
}

}  // namespace rangefinder
