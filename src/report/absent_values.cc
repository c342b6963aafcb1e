#include "report/absent_values.h"

#include <cctype>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "writers/markdown/markup.h"

namespace rangefinder {

std::size_t AbsentValues::Add(std::string_view reason) {
  if (reason.empty()) return 0;
  const auto known = numbers_.find(reason);
  if (known != numbers_.end()) return known->second;
  reasons_.emplace_back(reason);
  numbers_.emplace(reason, reasons_.size());
  return reasons_.size();
}

void AbsentValues::Add(const Amounts& amounts,
                       const std::vector<std::size_t>& columns) {
  for (const std::size_t column : columns) {
    if (column >= amounts.cells.size()) continue;
    const Cell& cell = amounts.cells[column];
    if (cell.how == How::kAbsent && !cell.has_spread) Add(cell.reason);
  }
}

void AbsentValues::Write(std::ostream& out) const {
  if (reasons_.empty()) return;
  out << "\n## Why values are absent\n\n";
  for (std::size_t i = 0; i < reasons_.size(); ++i) {
    std::string reason = reasons_[i];
    reason[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(reason[0])));
    fmt::print(out, "{}. {}.\n", i + 1, MarkdownText(reason));
  }
}

}  // namespace rangefinder
