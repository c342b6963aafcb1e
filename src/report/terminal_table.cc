#include "report/terminal_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kWidestName = 40;     // that a column gives way for
constexpr std::size_t kGap = 2;             // before a column
constexpr std::size_t kWidestHeading = 14;  // of a line of it

// Words that stand in many headings, and what stands for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kShort =
    {{{"Throughput", "Thrpt"},
      {"throughput", "thrpt"},
      {"Bandwidth", "BW"},
      {"Instructions", "Instr"},
      {"instructions", "instr"}}};

std::size_t CellWidth(const TextColumn& column) {
  std::size_t width = 0;
  for (const std::string& cell : column.cells)
    width = std::max(width, DisplayWidth(cell));
  return width;
}

// Broken at the blank that makes the wider line narrowest.
std::array<std::string, 2> TwoLines(std::string_view text) {
  std::array<std::string, 2> best = {"", std::string(text)};
  std::size_t width = DisplayWidth(text);
  for (std::size_t at = text.find(' '); at != std::string_view::npos;
       at = text.find(' ', at + 1)) {
    const std::size_t wider = std::max(DisplayWidth(text.substr(0, at)),
                                       DisplayWidth(text.substr(at + 1)));
    if (wider >= width) continue;
    width = wider;
    best = {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
  }
  return best;
}

// Headings that were alike only after they were cut get all of their letters.
void KeepApart(std::vector<TextColumn>& columns) {
  std::map<std::array<std::string, 2>, int> times;
  for (const TextColumn& column : columns) ++times[column.heading_lines];
  for (TextColumn& column : columns) {
    if (times[column.heading_lines] > 1)
      column.heading_lines = TwoLines(column.heading);
  }
}

void SetWidths(std::vector<TextColumn>& columns) {
  for (TextColumn& column : columns)
    column.heading_lines = HeadingLines(column.heading, CellWidth(column));
  KeepApart(columns);
  for (TextColumn& column : columns) {
    column.width =
        std::max({CellWidth(column), DisplayWidth(column.heading_lines[0]),
                  DisplayWidth(column.heading_lines[1])});
  }
}

// Takes out the columns that give way until the rest needs no more than `room`.
void GiveWay(FittedTable& table, std::size_t room) {
  std::vector<std::size_t> order(table.columns.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return table.columns[i].rank; });
  std::size_t used = 0;
  std::vector<bool> kept(order.size());
  bool full = false;
  for (const std::size_t i : order) {
    const TextColumn& column = table.columns[i];
    // What comes later is not squeezed in before what matters more.
    full = full || (column.rank > 0 && used + kGap + column.width > room);
    kept[i] = column.rank == 0 || !full;
    if (kept[i]) used += kGap + column.width;
  }
  std::vector<TextColumn> stay;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i])
      stay.push_back(std::move(table.columns[i]));
    else
      table.hidden.push_back(table.columns[i].name);
  }
  table.columns = std::move(stay);
}

}  // namespace

FittedTable Fit(std::vector<TextColumn> columns,
                std::span<const std::string> names, bool bar,
                std::size_t width) {
  FittedTable table{.columns = std::move(columns)};
  SetWidths(table.columns);
  std::size_t widest = 0;
  for (const std::string& name : names)
    widest = std::max(widest, DisplayWidth(name));
  widest = std::max(widest, std::size_t{6});  // "region"
  std::size_t fixed = 0;
  for (const TextColumn& column : table.columns)
    fixed += column.rank == 0 ? kGap + column.width : 0;

  if (bar) table.bar_width = width >= 100 ? 12 : 8;
  const auto bar_cells = [&] {
    return table.bar_width > 0 ? table.bar_width + kGap : 0;
  };
  const std::size_t least =
      std::min(widest, std::clamp(width / 4, kNarrowestName, kWidestName));
  if (std::min(widest, kNarrowestName) + bar_cells() + fixed > width)
    table.bar_width = 0;
  const std::size_t taken = least + bar_cells();
  GiveWay(table, width > taken ? width - taken : 0);
  std::size_t used = bar_cells();
  for (const TextColumn& column : table.columns) used += kGap + column.width;
  const std::size_t room = width > used ? width - used : 0;
  table.name_width =
      std::max(std::min(widest, kNarrowestName), std::min(widest, room));
  return table;
}

}  // namespace rangefinder
