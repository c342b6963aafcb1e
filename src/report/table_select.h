// Which rows of a table are shown, in which order: sorted, cut by depth, share
// and number. What is not shown is counted, and never dropped in silence.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/table_columns.h"
#include "report/table_rows.h"
#include "report/table_view.h"

namespace rangefinder {

struct SelectedRows {
  std::vector<std::size_t> rows{};  // of ReportTable::rows, outer ones first
  std::size_t hidden = 0;
  // Of those, each counted once; nothing where no time is known.
  std::optional<double> hidden_ns{};
  std::vector<std::string> because{};  // "--top 40", as one would type it
};

// By `sort`, most first; what has no value comes last. In a tree siblings are
// sorted, and an outer row of one that is shown is shown, too. No more than
// `max_rows`.
SelectedRows SelectRows(const ReportTable& table, const TableView& view,
                        const ReportColumn& sort, std::uint64_t max_rows);

}  // namespace rangefinder
