// Facts about a run that its framework's names provide: the GPU time of each
// phase, and the cost per unit of work.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "insight/phase_times.h"
#include "report/documents.h"

namespace rangefinder {

namespace {

using Kind = TableColumn::Kind;

std::string MetricText(const Report& report, const UnitCosts& costs) {
  if (costs.metric.empty()) return "GPU time";
  for (std::size_t c = 0; c < report.rollup->columns.size(); ++c) {
    if (report.rollup->columns[c].name == costs.metric)
      return MetricHeading(report, c);
  }
  return costs.metric;
}

std::string UnitText(const UnitCost& cost) {
  std::string text(CovariateUnit(cost.unit));
  for (const Covariate same : cost.same)
    text += fmt::format(" = {}", CovariateUnit(same));
  return text + fmt::format(", {:.4g} to {:.4g}", cost.from, cost.to);
}

TableCell CostCell(const UnitCosts& costs, const StatedCost& cost) {
  return EstimateOf(cost.value, cost.error, costs.unit);
}

// A row for an instance without any unit, and a row for each unit.
void AddLine(Table& table, const UnitCosts& costs, TableCell region,
             TableCell metric) {
  table.rows.push_back(
      {.cells = {std::move(region), std::move(metric),
                 CostCell(costs, *costs.fixed), ValueOf(costs.mean, costs.unit),
                 "instance"}});
  for (const UnitCost& cost : costs.costs) {
    table.rows.push_back(
        {.cells = {BlankCell(), BlankCell(), CostCell(costs, cost.cost),
                   cost.mean ? TableCell(ValueOf(*cost.mean, costs.unit))
                             : BlankCell(),
                   UnitText(cost)}});
  }
}

void AddBins(Table& table, const UnitCosts& costs, TableCell region,
             TableCell metric) {
  for (const UnitBin& bin : costs.bins) {
    table.rows.push_back(
        {.cells = {std::move(region), std::move(metric), BlankCell(),
                   ValueOf(bin.cost, costs.unit),
                   fmt::format("instance with {:.4g} × {}", bin.units,
                               CovariateUnit(*costs.bends))}});
    region = metric = BlankCell();
  }
}

// "decode: an instance reads 102.0 % of the 3.35 GB of the parameters".
void AddLeast(Document& document, const Report& report,
              const UnitCosts& costs) {
  if (!report.options.parameter_bytes || *report.options.parameter_bytes == 0 ||
      costs.metric != "dram__bytes_read.sum")
    return;
  const auto least = static_cast<double>(*report.options.parameter_bytes);
  std::string text =
      fmt::format("{}: an instance reads {:.1f} % of the {} of the parameters",
                  RegionName(report, costs.region), 100 * costs.mean / least,
                  FormatQuantity(ValueOf(least, "byte")));
  if (costs.fixed)
    text += fmt::format(
        ", without any unit {}",
        FormatQuantity(EstimateOf(100 * costs.fixed->value / least,
                                  100 * costs.fixed->error / least, "%")));
  document.AddParagraph(text + ".");
}

}  // namespace

void AddPhases(Document& document, const Report& report,
               const ScopeRollup& scope) {
  const std::vector<PhaseTime> phases =
      PhaseTimes(report, scope, report.phases);
  // A single phase adds nothing to its regions.
  if (std::ranges::count_if(phases, [](const PhaseTime& one) {
        return one.phase != StringId{};
      }) < 2)
    return;
  document.AddHeading(
      3, "Phases",
      fmt::format("names of {}",
                  fmt::join(report.options.names->frameworks, ", ")));
  Table table{.columns = {{.heading = "phase", .kind = Kind::kText},
                          {.heading = "GPU time"},
                          {.heading = "share"},
                          {.heading = "launches"}}};
  for (const PhaseTime& one : phases) {
    const std::string_view name = report.profile->Name(one.phase);
    table.rows.push_back({.cells = {name.empty() ? Text("(none)") : Text(name),
                                    TimeOf(one.gpu_ns), ShareOfWhole(one.share),
                                    CountOf(one.launches)}});
  }
  document.AddTable(std::move(table));
}

void AddUnitCosts(Document& document, const Report& report) {
  if (report.unit_costs.empty()) return;
  document.AddHeading(3, "Costs per unit",
                      "by regression over instances; ± one standard error");
  Table table{.columns = {{.heading = "region", .kind = Kind::kText},
                          {.heading = "cost of", .kind = Kind::kText},
                          {.heading = "cost"},
                          {.heading = "mean of all"},
                          {.heading = "per", .kind = Kind::kProse}}};
  const RegionId* last = nullptr;
  for (const UnitCosts& costs : report.unit_costs) {
    const bool again = last != nullptr && *last == costs.region;
    last = &costs.region;
    TableCell region =
        again ? BlankCell() : TableCell(RegionName(report, costs.region));
    TableCell metric = MetricText(report, costs);
    if (costs.fixed)
      AddLine(table, costs, std::move(region), std::move(metric));
    else
      AddBins(table, costs, std::move(region), std::move(metric));
  }
  document.AddTable(std::move(table));
  for (const UnitCosts& costs : report.unit_costs)
    AddLeast(document, report, costs);
}

}  // namespace rangefinder
