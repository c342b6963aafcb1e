// The part of a report that a JSON document shows, the metrics that stand in
// place in all documents of a report, and the block of the others: their cells
// by metric, packed (docs/report-json.md).

#pragma once

#include <optional>
#include <vector>

#include "base/json_text.h"
#include "report/page_scopes.h"
#include "report/report.h"

namespace rangefinder {

// A document of all regions, of one region and its inner ones, or of the page.
struct JsonExtent {
  std::optional<RegionId> only{};
  std::vector<const ScopeRollup*> scopes{};
  // Set: the page's document. It leaves out regions and scopes beyond its
  // limits, and the fields of a region that only programs read: its selection
  // and the paths of its files.
  std::optional<PageRegions> page{};

  RegionId from() const { return only.value_or(RegionTree::kRoot); }
  // ReadingOrder() of the regions in the document.
  std::vector<RegionId> Order(const Report& report,
                              const ScopeRollup& scope) const;
};

// By Rollup::columns, the metrics in place.
std::vector<bool> ColumnsInPlace(const Report& report, MetricsInPlace form);

// Appends the block; `in_place`: see ColumnsInPlace().
void PackColumns(const Report& report, const JsonExtent& extent,
                 const std::vector<bool>& in_place, PackedText& packed);

}  // namespace rangefinder
