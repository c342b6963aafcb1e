// The columns of the metrics that were asked for, as the Markdown tables end
// with them.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/report.h"

namespace rangefinder {

class MarkdownColumns {
 public:
  explicit MarkdownColumns(const Report& report);

  // Of a table's first lines: " Time | SM % |" and "--:|--:|", a line's end.
  std::string Headings() const;
  std::string Rule() const;
  // Of a row: " 1.20 | 45.0 % |".
  std::string Cells(const Amounts& amounts) const;
  std::string NoCells() const;  // of a row that has none: " – | – |"

  // One value; `column` is one of Rollup::columns.
  std::string Cell(const Amounts& amounts, std::size_t column) const;

  // Which metric each heading stands for, and what the marks mean; empty where
  // there are no columns.
  std::string Legend() const;

 private:
  const Report& report_;
  std::vector<std::string> headings_;  // by Report::table_columns, escaped
};

}  // namespace rangefinder
