#include "writers/terminal/table_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/lists.h"
#include "base/text.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;

constexpr std::size_t kGap = 2;             // before a column
constexpr std::size_t kNarrowestText = 16;  // least width of a cut text
constexpr std::size_t kNarrowestProse = 20;
constexpr std::size_t kWidestName = 40;     // for which columns are hidden
constexpr std::size_t kWidestHeading = 14;  // of each line
constexpr std::size_t kHalfBar = 6;         // on either side of zero

// Words that occur in many headings, and their short forms.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kShort =
    {{{"Throughput", "Thrpt"},
      {"throughput", "thrpt"},
      {"Bandwidth", "BW"},
      {"Instructions", "Instr"},
      {"instructions", "instr"}}};

// Broken at the blank that makes the wider line shortest.
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

std::string CellText(const TableCell& cell) {
  if (cell.absent()) return "–";
  std::string text = cell.has_quantity ? FormatQuantity(cell.quantity) : "";
  if (cell.has_quantity && !cell.text.empty()) text += ' ';
  return text + Printable(cell.text.Plain());
}

bool IsBar(const LaidColumn& column) {
  return column.column.kind == Kind::kBar;
}

// The lines that lead to each row of a tree. `depths`: by row; a row comes
// before its inner rows.
std::vector<std::string> TreeLines(std::span<const std::size_t> depths,
                                   bool unicode) {
  const std::string_view tee = unicode ? "├─ " : "|- ";
  const std::string_view end = unicode ? "└─ " : "`- ";
  const std::string_view bar = unicode ? "│  " : "|  ";
  std::vector<std::string> lines(depths.size());
  std::vector<bool> more;  // by depth: whether a later sibling follows
  for (std::size_t i = depths.size(); i-- > 0;) {
    const std::size_t depth = depths[i];
    const bool last = depth >= more.size() || !more[depth];
    more.resize(depth + 1);
    for (std::size_t d = 1; d < depth; ++d)
      lines[i] += more[d] ? bar : std::string_view("   ");
    if (depth > 0) lines[i] += last ? end : tee;
    more[depth] = true;
  }
  return lines;
}

std::vector<std::string> NamesOf(const Table& table, bool unicode) {
  std::vector<std::size_t> depths;
  for (const TableRow& row : table.rows) {
    if (!row.is_part) depths.push_back(row.depth);
  }
  const std::vector<std::string> tree = TreeLines(depths, unicode);
  std::vector<std::string> names;
  std::size_t next = 0;
  for (const TableRow& row : table.rows) {
    names.push_back(
        (row.is_part ? std::string(3 * row.depth + 2, ' ') : tree[next++]) +
        CellText(row.cells[0]));
  }
  return names;
}

// Headings that became equal by shortening get their full text back.
void KeepApart(std::vector<LaidColumn>& columns) {
  std::map<std::array<std::string, 2>, int> times;
  for (const LaidColumn& column : columns) ++times[column.heading];
  for (LaidColumn& column : columns) {
    if (column.column.kind == Kind::kNumber && times[column.heading] > 1)
      column.heading = TwoLines(column.column.heading);
  }
}

std::vector<LaidColumn> TextsOf(const Table& table, bool unicode) {
  std::vector<LaidColumn> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    LaidColumn& laid = columns.emplace_back();
    laid.column = table.columns[c];
    const Kind kind = laid.column.kind;
    laid.heading = {"", laid.column.heading};
    if (kind == Kind::kBar || kind == Kind::kChangeBar) continue;
    if (c == 0) {
      laid.cells = NamesOf(table, unicode);
    } else {
      for (const TableRow& row : table.rows)
        laid.cells.push_back(CellText(row.cells[c]));
    }
    for (const std::string& cell : laid.cells)
      laid.width = std::max(laid.width, DisplayWidth(cell));
    if (kind == Kind::kNumber)
      laid.heading = HeadingLines(laid.column.heading, laid.width);
  }
  KeepApart(columns);
  for (LaidColumn& laid : columns) {
    for (const std::string& line : laid.heading)
      laid.width = std::max(laid.width, DisplayWidth(line));
    if (laid.column.kind == Kind::kChangeBar) laid.width = 2 * kHalfBar + 1;
  }
  return columns;
}

// Hides columns that may be hidden until the others fit into `width`; `least`:
// the least width of each column.
void GiveWay(std::vector<LaidColumn>& columns,
             const std::vector<std::size_t>& least, std::size_t width) {
  const auto gives_way = [&](std::size_t i) {
    return columns[i].column.gives_way;
  };
  std::size_t used = 0;
  bool full = false;
  for (const std::size_t i : NumbersBy(columns.size(), gives_way)) {
    LaidColumn& column = columns[i];
    if (column.hidden) continue;
    const std::size_t takes = least[i] + (i > 0 ? kGap : 0);
    const bool may = column.column.gives_way > 0;
    // A less important column is not shown where a more important one was
    // hidden.
    full = full || (may && used + takes > width);
    column.hidden = may && full;
    if (!column.hidden) used += takes;
  }
}

// The width of all visible columns and the gaps between them.
std::size_t Sum(const std::vector<LaidColumn>& columns,
                const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].hidden) sum += widths[i] + (i > 0 ? kGap : 0);
  }
  return sum;
}

}  // namespace

std::array<std::string, 2> HeadingLines(std::string_view heading,
                                        std::size_t cell_width) {
  std::string text(heading);
  if (DisplayWidth(text) <= cell_width) return {"", text};
  for (const auto& [word, brief] : kShort) {
    if (const std::size_t at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), brief);
  }
  std::array<std::string, 2> lines = TwoLines(text);
  for (std::string& line : lines)
    line = Ellipsize(line, std::max(kWidestHeading, cell_width));
  return lines;
}

std::string Bar(double share, std::size_t width, bool unicode) {
  share = share > 0 ? std::min(share, 1.0) : 0;  // 0 for NaN
  const auto cells = static_cast<double>(width);
  if (!unicode) {
    const auto full = static_cast<std::size_t>(std::lround(share * cells));
    return std::string(full, '#') + std::string(width - full, '.');
  }
  static constexpr std::array<std::string_view, 8> kEighths = {
      "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::lround(share * 8 * cells));
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  return PadRight(bar, width);
}

std::string ChangeBar(double change, bool unicode) {
  const double size = std::isfinite(change) ? std::abs(change) : 1;
  const auto cells = std::min(
      kHalfBar, static_cast<std::size_t>(
                    std::lround(std::min(size, 1.0) * double{kHalfBar})));
  std::string bar;
  for (std::size_t i = 0; i < cells; ++i) bar += unicode ? "█" : "#";
  const std::string empty(kHalfBar - cells, ' ');
  const std::string zero = unicode ? "│" : "|";
  const std::string none(kHalfBar, ' ');
  return change < 0 ? empty + bar + zero + none : none + zero + bar + empty;
}

std::vector<LaidColumn> LayOut(const Table& table, std::size_t width,
                               bool unicode) {
  std::vector<LaidColumn> columns = TextsOf(table, unicode);
  std::vector<std::size_t> least, preferred;
  for (LaidColumn& column : columns) {
    if (IsBar(column)) column.width = width >= 100 ? 12 : 8;
    std::size_t narrow = column.width;
    std::size_t wanted = column.width;
    if (column.column.kind == Kind::kText) {
      narrow = std::min(narrow, kNarrowestText);
      wanted = std::min(wanted,
                        &column == columns.data()
                            ? std::clamp(width / 4, kNarrowestText, kWidestName)
                            : kNarrowestText);
    } else if (column.column.kind == Kind::kProse) {
      wanted = narrow = std::min(narrow, kNarrowestProse);
    }
    least.push_back(narrow);
    preferred.push_back(wanted);
  }
  // A bar stays only if all columns that are never hidden fit next to it.
  std::size_t fixed = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].column.gives_way == 0)
      fixed += least[i] + (i > 0 ? kGap : 0);
  }
  for (LaidColumn& column : columns)
    column.hidden = IsBar(column) && fixed > width;
  GiveWay(columns, preferred, width);
  const std::size_t sum = Sum(columns, least);
  std::size_t room = width > sum ? width - sum : 0;
  // Sentences can be wrapped, so names get their width first.
  for (const bool prose : {false, true}) {
    for (std::size_t i = columns.size(); i-- > 0;) {
      if ((columns[i].column.kind == Kind::kProse) != prose) continue;
      const std::size_t more = std::min(room, columns[i].width - least[i]);
      columns[i].width = least[i] + more;
      room -= columns[i].hidden ? 0 : more;
    }
  }
  return columns;
}

}  // namespace rangefinder
