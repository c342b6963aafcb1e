#include "export/table_rows.h"

namespace rangefinder {
namespace {

// Where there is nothing to say, NULL.
std::optional<std::string_view> OrNull(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<std::int64_t> DeviceOrNull(std::int32_t device) {
  if (device < 0) return std::nullopt;
  return device;
}

}  // namespace

TableMetrics::TableMetrics(const Report& report, TableFile& file, TableIds& ids)
    : report_(report),
      ids_(ids),
      places_(file.Into("metric_places")),
      values_(file.Into("metric_values")),
      origins_(file.Into("metric_origins")) {
  TableRows names = file.Into("metric_names");
  const std::vector<Column>& columns = report.rollup->columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    names.Add(static_cast<std::int64_t>(c), columns[c].name,
              OrNull(columns[c].unit));
  }
}

void TableMetrics::AddScope(std::int64_t scope_id, const ScopeRollup& scope) {
  Add({.scope = scope_id, .device = scope.scope.device}, scope.totals);
  for (const auto& [region, rolled] : scope.regions.there()) {
    if (region == Index(RegionTree::kRoot)) continue;
    AddRegion({.scope = scope_id,
               .region = static_cast<std::int64_t>(region),
               .device = scope.scope.device},
              rolled);
  }
}

void TableMetrics::AddRegion(Place place, const RegionRollup& rolled) {
  Add(place, rolled.inclusive);
  place.part = "exclusive";
  Add(place, rolled.exclusive);
  AddBeside(place, "inclusive_estimate", rolled.inclusive_beside);
  AddBeside(place, "exclusive_estimate", rolled.exclusive_beside);
  place.part = "range";
  for (const WholeRow& row : rolled.measured) {
    place.mode = ModeName(row.mode);
    place.instances = std::max<std::uint64_t>(row.instances, 1);
    Add(place, row.amounts);
  }
  place = {.scope = place.scope, .region = place.region};
  for (const KernelRow& row : rolled.all_kernels()) {
    place.kernel = ids_.Kernel(row.name);
    place.device = row.device;
    Add(place, row.amounts);
  }
}

// Where nothing was measured every cell is absent for that reason.
void TableMetrics::Add(const Place& place, const Amounts& amounts) {
  if (amounts.cells.empty() ||
      (amounts.kernel_count == 0 && !amounts.estimated && place.mode.empty()))
    return;
  AddPlace(place, SetOf(amounts.cells));
}

// Estimates of values that were measured as well, which have the other places.
void TableMetrics::AddBeside(Place place, std::string_view part,
                             const std::vector<EstimateBeside>& beside) {
  if (beside.empty()) return;
  place.part = part;
  AddPlace(place, ++last_set_);
  for (const EstimateBeside& estimate : beside)
    AddCell(last_set_, estimate.column, estimate.cell);
}

void TableMetrics::AddPlace(const Place& place, std::int64_t set) {
  std::optional<std::uint64_t> instances;
  if (place.instances > 0) instances = place.instances;
  places_.Add(place.scope, place.region, place.kernel,
              DeviceOrNull(place.device), place.part, OrNull(place.mode),
              instances, set);
}

std::int64_t TableMetrics::SetOf(const Cells& cells) {
  const auto [known, is_new] = sets_.try_emplace(cells.begin(), last_set_ + 1);
  if (is_new) {
    ++last_set_;
    for (std::size_t c = 0; c < cells.size(); ++c)
      AddCell(known->second, c, cells[c]);
  }
  return known->second;
}

std::int64_t TableMetrics::OriginOf(const Cell& cell) {
  const Origin origin{cell.how, cell.bound, cell.rule, cell.weight,
                      cell.reason};
  const auto [known, is_new] = origin_ids_.try_emplace(
      origin, static_cast<std::int64_t>(origin_ids_.size()) + 1);
  if (is_new) {
    origins_.Add(known->second, HowName(cell.how),
                 OrNull(BoundName(cell.bound)), OrNull(cell.rule),
                 OrNull(cell.weight), OrNull(cell.reason));
  }
  return known->second;
}

void TableMetrics::AddCell(std::int64_t set, std::size_t column,
                           const Cell& cell) {
  std::optional<double> value, error, low, high;
  std::optional<std::string_view> text;
  if (cell.how != How::kAbsent) {
    if (cell.is_text)
      text = report_.profile->Name(cell.text);
    else
      value = cell.value;
  }
  const bool estimated = cell.how == How::kEstimated;
  if (estimated) error = static_cast<double>(cell.error);
  if (estimated || cell.has_spread) {
    low = cell.low;
    high = cell.high;
  }
  values_.Add(set, static_cast<std::int64_t>(column), value, text, error, low,
              high, cell.present, cell.missing, OriginOf(cell));
}

}  // namespace rangefinder
