#include "report/over_time.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "writers/markdown/markup.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {
namespace {

bool IsOf(const Scope& scope, const CounterSamples& samples) {
  return scope.aggregate ||
         (scope.process == samples.process && scope.device == samples.device);
}

std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id) {
  std::vector<const CountsOverTime*> found;
  if (!report.options.estimates) return found;
  const CounterEstimates& estimates = *report.options.estimates;
  for (const CountsOverTime& one : estimates.over_time()) {
    if (one.region == id &&
        IsOf(scope, *estimates.devices()[one.device].samples))
      found.push_back(&one);
  }
  return found;
}

std::string_view UnitOf(const Report& report, std::string_view metric) {
  const auto& columns = report.rollup->columns;
  const auto column = std::ranges::find(columns, metric, &Column::name);
  return column == columns.end() ? std::string_view() : column->unit;
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
    const CounterEstimate& one = block.per_instance[m];
    json.Key(device.metrics[m]);
    if (!one.total) {
      json.Null();
      continue;
    }
    json.BeginLineObject();
    json.NumberField("value", *one.total);
    json.NumberField("standard_error", one.error);
    json.NumberField("low", one.low);
    json.NumberField("high", one.high);
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace

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

void WriteOverTimeMarkdown(std::ostream& out, const Report& report,
                           const Scope& scope, RegionId id) {
  std::vector<std::string> changes;
  for (const CountsOverTime* one : FollowedIn(report, scope, id)) {
    const SampledDevice& device =
        report.options.estimates->devices()[one->device];
    for (std::size_t m = 0; m < device.metrics.size(); ++m) {
      const auto trend = TrendOf(one->blocks, m);
      if (!trend) continue;
      const std::string_view unit = UnitOf(report, device.metrics[m]);
      changes.push_back(
          fmt::format("{} {} from {} to {}", MarkdownCode(device.metrics[m]),
                      trend->last > trend->first ? "grows" : "falls",
                      FormatValue(std::max(trend->first, 0.0), unit),
                      FormatValue(std::max(trend->last, 0.0), unit)));
    }
  }
  if (!changes.empty())
    fmt::print(out, "\nAn instance over the run: {}.\n",
               fmt::join(changes, ", "));
}

}  // namespace rangefinder
