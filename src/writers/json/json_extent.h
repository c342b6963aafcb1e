// The part of a report that a JSON document shows, and the metrics that stand
// in place in all documents of a report (docs/report-json.md).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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

// Cells that a small report may have, about 10 MB of JSON with all in place.
inline constexpr std::uint64_t kMostCellsInPlace = 50000;

// By Rollup::columns, the metrics in place.
std::vector<bool> ColumnsInPlace(const Report& report, MetricsInPlace form);

}  // namespace rangefinder
