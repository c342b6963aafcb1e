#include "document/document.h"

#include <algorithm>
#include <iterator>

namespace rangefinder {

std::string Text::Plain() const {
  std::string plain;
  for (const Span& span : spans_) plain += span.text;
  return plain;
}

Text Strong(std::string_view text) {
  return Span{.text = std::string(text), .style = Span::Style::kStrong};
}

Text Code(std::string_view text) {
  return Span{.text = std::string(text), .style = Span::Style::kCode};
}

Text Link(std::string_view text, std::string_view target) {
  return Span{.text = std::string(text),
              .style = Span::Style::kLink,
              .target = std::string(target)};
}

Text Joined(const std::vector<Text>& texts) {
  Text joined;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) joined += ", ";
    joined += texts[i];
  }
  return joined;
}

TableCell BlankCell() {
  TableCell cell;
  cell.blank = true;
  return cell;
}

TableCell BarCell(double bar) {
  TableCell cell = BlankCell();
  cell.bar = bar;
  return cell;
}

void Table::DropAbsentColumns(std::size_t keep) {
  for (std::size_t c = columns.size(); c-- > keep;) {
    const auto absent = [&](const TableRow& row) {
      return row.cells[c].absent();
    };
    if (!std::ranges::all_of(rows, absent)) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    columns.erase(columns.begin() + at);
    for (TableRow& row : rows) row.cells.erase(row.cells.begin() + at);
  }
}

void Document::Add(Block block) {
  blocks.push_back(std::move(block));
}

void Document::AddHeading(int level, Text text, Text beside) {
  Add(Heading{level, std::move(text), std::move(beside)});
}

void Document::AddParagraph(Text text, Tone tone) {
  if (!text.empty()) Add(Paragraph{std::move(text), tone});
}

void Document::AddList(List list) {
  if (!list.items.empty()) Add(std::move(list));
}

void Document::AddTable(Table table) {
  Add(std::move(table));
}

void Document::Append(Document more) {
  std::ranges::move(more.blocks, std::back_inserter(blocks));
}

}  // namespace rangefinder
