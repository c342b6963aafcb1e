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

class SamplingJson {
 public:
  SamplingJson(JsonStream& json, const Report& report)
      : json_(json), profile_(*report.profile) {}

  void Write(const SampledDevice& device) {
    const CounterSamples& samples = *device.samples;
    json_.Field("process", profile_.processes[Index(samples.process)].pid);
    json_.Field("device", samples.device);
    json_.Field("chip", profile_.Name(samples.chip));
    json_.Field("interval_ns", samples.interval_ns);
    json_.Field("samples", samples.size());
    json_.Field("lost", samples.lost);
    json_.Field("held_up_ns", samples.held_up_ns);
    if (!samples.reason.empty()) json_.Field("reason", samples.reason);
    WriteGaps(samples);
    if (device.fit) WriteFit(device);
  }

 private:
  void WriteGaps(const CounterSamples& samples) {
    constexpr std::size_t kMost = 100;
    const auto shown = samples.gaps | std::views::take(kMost);
    json_.Lines("gaps", shown, [&](const SampleGap& gap) {
      json_.Field("start_ns", Since(gap.from_ns));
      json_.Field("end_ns", Since(gap.to_ns));
      json_.Field("samples", gap.samples);
      json_.Field("reason", SampleGapText(gap.reason));
    });
  }

  void WriteFit(const SampledDevice& device) {
    const FitQuality& fit = device.fit->quality();
    json_.BeginObject("fit");
    json_.Field("verdict", FitVerdictName(fit.verdict));
    json_.Field("reasons", fit.reasons);
    json_.Field("samples_used", fit.samples_used);
    json_.Field("samples_damaged", fit.samples_damaged);
    json_.Field("launches", fit.launches);
    json_.Field("groups", fit.groups);
    json_.Field("groups_split", fit.groups_split);
    json_.Field("groups_merged", fit.groups_merged);
    json_.Field("start_offset_ns", fit.start_offset_ns);
    json_.Field("end_offset_ns", fit.end_offset_ns);
    json_.Field("clock_shift_ns", fit.clock_shift_ns);
    json_.Field("clock_drift_ns", fit.clock_drift_ns);
    json_.BeginObject("metrics");
    for (std::size_t m = 0; m < device.metrics.size(); ++m)
      WriteMetric(device.metrics[m], fit.metrics[m], device.outside[m]);
    json_.EndObject();
    json_.EndObject();
  }

  void WriteMetric(std::string_view name, const MetricQuality& quality,
                   const CounterEstimate& outside) {
    json_.BeginLine(name);
    json_.Field("verdict", FitVerdictName(quality.verdict));
    json_.Field("decides", quality.decides);
    json_.Field("r2", quality.r2);
    json_.Field("residual", quality.residual);
    json_.Field("hardware", quality.hardware);
    json_.Field("launches", quality.launches);
    json_.Field("tracer", quality.tracer);
    json_.Field("outside", quality.outside);
    json_.Field("outside_standard_error", outside.error);
    json_.Field("unexplained", quality.unexplained);
    json_.Field("halves", quality.halves);
    json_.Field("halves_part", quality.halves_part);
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
  json.BeginObject(key);
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
  SamplingJson sampling(json, report);
  json.Objects("sampling", report.options.estimates->devices(),
               [&](const SampledDevice& device) { sampling.Write(device); });
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
