#include "report/markdown_columns.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "report/region_facts.h"
#include "writers/markdown/markup.h"

namespace rangefinder {

MarkdownColumns::MarkdownColumns(const Report& report) : report_(report) {
  for (const std::string& heading : ColumnHeadings(report))
    headings_.push_back(MarkdownText(heading));
}

std::string MarkdownColumns::Headings() const {
  std::string text;
  for (const std::string& heading : headings_)
    text += fmt::format(" {} |", heading);
  return text;
}

std::string MarkdownColumns::Rule() const {
  std::string text;
  for (std::size_t i = 0; i < headings_.size(); ++i) text += "--:|";
  return text + '\n';
}

std::string MarkdownColumns::Cells(const Amounts& amounts) const {
  std::string text;
  for (const std::size_t column : report_.table_columns)
    text += fmt::format(" {} |", Cell(amounts, column));
  return text;
}

std::string MarkdownColumns::NoCells() const {
  std::string text;
  for (std::size_t i = 0; i < headings_.size(); ++i) text += " – |";
  return text;
}

std::string MarkdownColumns::Cell(const Amounts& amounts,
                                  std::size_t column) const {
  if (column >= amounts.cells.size()) return "–";
  const auto& cell = amounts.cells[column];
  const std::string text =
      FormatCell(*report_.profile, cell, report_.rollup->columns[column].unit);
  return cell.is_text ? MarkdownText(text) : text;
}

std::string MarkdownColumns::Legend() const {
  if (headings_.empty()) return {};
  std::string text = "\nOf each region with its inner ones:";
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    const std::size_t column = report_.table_columns[i];
    text += fmt::format("{} {} is {}", i == 0 ? "" : ";", headings_[i],
                        MarkdownCode(report_.rollup->columns[column].name));
  }
  text +=
      ". `±` is one standard error of an estimate; `~` is approximate, `≤` "
      "and `≥` are bounds, `–` cannot be said: why stands at the end.\n";
  std::string docs;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    const std::string doc = MetricDoc(report_, report_.table_columns[i]);
    if (!doc.empty())
      docs += fmt::format("- **{}**: {}\n", headings_[i], MarkdownText(doc));
  }
  return docs.empty() ? text : text + '\n' + docs;
}

}  // namespace rangefinder
