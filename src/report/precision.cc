#include "report/precision.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "insight/region_rows.h"
#include "insight/times.h"
#include "sampling/estimated_cells.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostRegionsNamed = 3;  // most in a sentence
// With fewer, errors are not tested (docs/counters.md "When not to trust it").
constexpr std::uint64_t kFewestInstances = 2;

const Cell* EstimatedCell(const Report& report, const ScopeRollup& scope,
                          RegionId region, std::size_t column) {
  if (!report.options.estimates) return nullptr;
  const Amounts& amounts = scope.regions[Index(region)].inclusive;
  if (!amounts.estimated || column >= amounts.cells.size()) return nullptr;
  const Cell& cell = amounts.cells[column];
  return cell.how == How::kEstimated ? &cell : nullptr;
}

std::uint64_t InstancesOf(const Report& report, const Scope& scope,
                          RegionId region) {
  return InstancesOf(report, scope, region, TimesOf(report, scope, region));
}

ImpreciseValue Measure(const Report& report, const Scope& scope,
                       RegionId region, std::size_t column, const Cell& cell,
                       double precision) {
  ImpreciseValue value{.region = region,
                       .column = column,
                       .share = (cell.high - cell.value) / std::abs(cell.value),
                       .instances = InstancesOf(report, scope, region),
                       .times = TimesAsLong(cell, precision)};
  if (value.times && value.instances > 0)
    value.more = static_cast<std::uint64_t>(
        std::ceil((*value.times - 1) * static_cast<double>(value.instances)));
  return value;
}

// "140 more, now 60"
std::string MoreText(const ImpreciseValue& value) {
  if (!value.more)
    return fmt::format("a run {:.1f} times as long", *value.times);
  return fmt::format("{} more, now {}", FormatCount(*value.more),
                     FormatCount(value.instances));
}

// Values of one region: those that more instances help, and the others.
struct RegionValues {
  std::vector<std::string> metrics{};
  const ImpreciseValue* most = nullptr;  // the value that needs the longest run
};

std::vector<RegionValues> ByRegion(const Report& report,
                                   const std::vector<ImpreciseValue>& values,
                                   bool helped) {
  std::vector<RegionValues> regions;
  for (const ImpreciseValue& value : values) {
    if (value.times.has_value() != helped) continue;
    if (regions.empty() || regions.back().most->region != value.region)
      regions.push_back({.most = &value});
    RegionValues& region = regions.back();
    region.metrics.push_back(MetricHeading(report, value.column));
    if (value.times > region.most->times) region.most = &value;
  }
  return regions;
}

std::string ListText(const Report& report,
                     const std::vector<RegionValues>& regions) {
  std::vector<std::string> texts;
  for (const RegionValues& region : regions) {
    if (texts.size() == kMostRegionsNamed) break;
    const std::string metrics =
        fmt::format("{}", fmt::join(region.metrics, ", "));
    texts.push_back(
        RegionTitle(report, region.most->region) +
        (region.most->times
             ? fmt::format(" ({}: {})", MoreText(*region.most), metrics)
             : fmt::format(" ({})", metrics)));
  }
  if (regions.size() > kMostRegionsNamed)
    texts.push_back(Plural(regions.size() - kMostRegionsNamed, "more region",
                           "more regions"));
  return JoinedAsList(texts, "and");
}

}  // namespace

std::vector<ImpreciseValue> ImpreciseValuesOf(const Report& report) {
  std::vector<ImpreciseValue> values;
  const std::optional<double> precision = report.options.precision;
  if (!precision || report.rollup->scopes.empty()) return values;
  const ScopeRollup& scope = report.rollup->scopes.front();
  for (const RegionId region : ReportedByTime(report)) {
    for (const std::size_t column : report.table_columns) {
      const Cell* const cell = EstimatedCell(report, scope, region, column);
      if (cell == nullptr || cell->bound != Bound::kNone) continue;
      ImpreciseValue value =
          Measure(report, scope.scope, region, column, *cell, *precision);
      if (value.share > *precision) values.push_back(value);
    }
  }
  return values;
}

std::string PrecisionText(const Report& report) {
  const std::vector<ImpreciseValue> values = ImpreciseValuesOf(report);
  if (values.empty()) return {};
  std::string text =
      fmt::format("{} less certain than ± {:g} % (95 %)",
                  Plural(values.size(), "value is", "values are"),
                  100 * *report.options.precision);
  const std::vector<RegionValues> helped = ByRegion(report, values, true);
  const std::vector<RegionValues> lasting = ByRegion(report, values, false);
  if (!helped.empty())
    text +=
        "; about so many more instances would do: " + ListText(report, helped);
  if (!lasting.empty())
    text +=
        "; no number of instances would do, as the position of work within "
        "launches is not known: " +
        ListText(report, lasting);
  return text;
}

std::string ExplainPrecision(const Report& report, const ScopeRollup& scope,
                             RegionId region, std::size_t column) {
  const Cell* const cell = EstimatedCell(report, scope, region, column);
  if (cell == nullptr || cell->bound != Bound::kNone || cell->value == 0)
    return {};
  const double size = std::abs(cell->value);
  std::string text = fmt::format(
      "  half of the interval is {:.2g} % of the value, and {:.2g} % however "
      "many instances there are\n",
      100 * (cell->high - cell->value) / size,
      100 * double{cell->lasting} / size);
  const std::uint64_t instances = InstancesOf(report, scope.scope, region);
  if (instances > 0 && instances < kFewestInstances)
    text += fmt::format(
        "  the region has {}: the interval may be too narrow, as its size is "
        "tested for {} and more\n",
        Plural(instances, "instance", "instances"), kFewestInstances);
  const std::optional<double> precision = report.options.precision;
  if (!precision) return text;
  const ImpreciseValue value =
      Measure(report, scope.scope, region, column, *cell, *precision);
  text += fmt::format("  for {:g} %: ", 100 * *precision);
  if (!value.times)
    text += "no number of instances would do\n";
  else if (*value.times <= 1)
    text += "there are enough instances\n";
  else
    text += "about " + MoreText(value) + '\n';
  return text;
}

}  // namespace rangefinder
