// What of a document's metrics stands in place as cells, and what is packed
// into its block of columns (docs/report-json.md).
//
// Metrics that somebody asked for by name are always in place. The others are
// in place where the document is small, so that it can be read without more.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace rangefinder {

// A document of all regions, or of one and its inner ones.
struct JsonExtent {
  std::optional<RegionId> only{};
  std::vector<const ScopeRollup*> scopes{};
  // Of the page: without what a region's row in report.json has for programs
  // alone, the selection and the paths of its files.
  bool for_page = false;

  RegionId from() const { return only.value_or(RegionTree::kRoot); }
  // ReadingOrder() of what the document shows.
  std::vector<RegionId> Order(const Report& report,
                              const ScopeRollup& scope) const;
  // Whether it shows less than report.json.
  bool IsPart(const Report& report) const {
    return only || (for_page && !report.on_page.empty()) ||
           LeavesScopesOut(report);
  }
  bool LeavesScopesOut(const Report& report) const {
    return scopes.size() < ShownScopes(report).size();
  }
};

// Cells that a document may have, all in place, when nobody decides: about 10
// MB of them.
inline constexpr std::uint64_t kMostCellsInPlace = 50000;

// Scopes times lists of cells times metrics: one list for the inclusive and one
// for the exclusive values of a region, one for each row of its kernels; what
// the device is stands with the totals alone, and does not count.
std::uint64_t CellsOf(const Report& report, const JsonExtent& extent);

// Whether every metric is in place in the document.
bool AllInPlace(const Report& report, const JsonExtent& extent);

// By Rollup::columns, those that are in place in every document: what somebody
// asked for by name; where nothing of that was measured, the `usual` ones.
std::vector<bool> ColumnsInPlace(const Report& report,
                                 std::span<const std::string_view> usual);

// The form of a name in report.format.metrics: auto, requested, all.
std::optional<MetricsForm> FindMetricsForm(std::string_view name);

}  // namespace rangefinder
