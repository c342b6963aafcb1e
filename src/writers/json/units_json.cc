// Facts that a framework's names provide: phases, and costs per unit of work.

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>

#include "insight/phase_times.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

void WriteStated(JsonStream& json, const StatedCost& cost) {
  json.Field("value", cost.value);
  json.Field("standard_error", cost.error);
  json.Field("low", cost.low);
  json.Field("high", cost.high);
}

void WriteCost(JsonStream& json, const UnitCost& cost) {
  json.Field("unit", CovariateKey(cost.unit));
  WriteStated(json, cost.cost);
  if (cost.mean) json.Field("mean", *cost.mean);
  json.Field("from", cost.from);
  json.Field("to", cost.to);
  if (!cost.same.empty())
    json.Field("same", cost.same | std::views::transform(CovariateKey));
}

void WriteUnit(JsonStream& json, const Report& report, const UnitCosts& costs) {
  json.Field("metric", costs.metric.empty() ? "gpu_time_ns"
                                            : std::string_view(costs.metric));
  json.Field("unit", costs.unit);
  json.Field("instances", costs.instances);
  json.Field("mean", costs.mean);
  if (costs.fixed) {
    json.BeginLine("per_instance");
    WriteStated(json, *costs.fixed);
    json.EndObject();
  }
  json.Lines("costs", costs.costs,
             [&](const UnitCost& cost) { WriteCost(json, cost); });
  if (costs.bends) {
    json.Field("bends", CovariateKey(*costs.bends));
    json.Lines("bins", costs.bins, [&](const UnitBin& bin) {
      json.Field("units", bin.units);
      json.Field("instances", bin.instances);
      json.Field("mean", bin.cost);
    });
  }
  if (costs.metric == "dram__bytes_read.sum" && report.options.parameter_bytes)
    json.Field("parameter_bytes", *report.options.parameter_bytes);
}

}  // namespace

void WritePhasesJson(JsonStream& json, const Report& report,
                     const ScopeRollup& scope) {
  const std::vector<PhaseTime> phases =
      PhaseTimes(report, scope, report.phases);
  if (phases.empty()) return;
  json.Lines("phases", phases, [&](const PhaseTime& one) {
    json.Field("phase", OptionalIf(one.phase != StringId{},
                                   report.profile->Name(one.phase)));
    json.Field("gpu_time_ns", one.gpu_ns);
    json.Field("share", one.share);
    json.Field("kernel_count", one.launches);
  });
}

void WriteUnitsJson(JsonStream& json, const Report& report, RegionId id) {
  const auto of_region = [&](const UnitCosts& costs) {
    return costs.region == id;
  };
  if (std::ranges::none_of(report.unit_costs, of_region)) return;
  json.Objects("units", report.unit_costs | std::views::filter(of_region),
               [&](const UnitCosts& costs) { WriteUnit(json, report, costs); });
}

}  // namespace rangefinder
