// The part of a report that a JSON document shows, the metrics that are in
// place in all documents of a report, and the block with the cells of the other
// metrics, packed by metric (docs/report-json.md).

#pragma once

#include <optional>
#include <vector>

#include "base/json_text.h"
#include "report/page_scopes.h"
#include "report/report.h"

namespace rangefinder {

// The extent of a document: all regions, one region with its inner ones, or the
// page.
struct JsonExtent {
  std::optional<RegionId> only{};
  std::vector<const ScopeRollup*> scopes{};
  // Set for the page's document. It leaves out regions and scopes beyond its
  // limits, and fields of a region that only programs read: its selection and
  // the paths of its files.
  std::optional<PageRegions> page{};

  // ReadingOrder() of the regions in the document.
  std::vector<RegionId> Order(const Report& report,
                              const ScopeRollup& scope) const;
};

// By Rollup::columns: whether the metric is in place.
std::vector<bool> ColumnsInPlace(const Report& report, MetricsInPlace form);

// The block; `in_place`: see ColumnsInPlace().
PackedText PackColumns(const Report& report, const JsonExtent& extent,
                       const std::vector<bool>& in_place);

}  // namespace rangefinder
