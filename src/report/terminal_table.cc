#include "report/terminal_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kWidestName = 40;  // that a column gives way for
constexpr std::size_t kGap = 2;          // before a column

std::size_t WidthOf(const TextColumn& column) {
  std::size_t width = DisplayWidth(column.heading);
  for (const std::string& cell : column.cells)
    width = std::max(width, DisplayWidth(cell));
  return width;
}

}  // namespace

std::string PadRight(std::string text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string PadLeft(std::string text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  if (used < width) text.insert(0, width - used, ' ');
  return text;
}

std::string Bar(double share, bool unicode) {
  share = std::clamp(share, 0.0, 1.0);
  if (!unicode) {
    const auto full = static_cast<std::size_t>(
        std::lround(share * static_cast<double>(kBarWidth)));
    return std::string(full, '#') + std::string(kBarWidth - full, '.');
  }
  static constexpr std::array<std::string_view, 8> kEighths = {
      "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(
      std::lround(share * 8 * static_cast<double>(kBarWidth)));
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  return PadRight(bar, kBarWidth);
}

std::vector<std::string> TreeLines(const RegionTree& tree,
                                   std::span<const RegionId> order,
                                   bool unicode) {
  const std::string_view tee = unicode ? "├─ " : "|- ";
  const std::string_view end = unicode ? "└─ " : "`- ";
  const std::string_view bar = unicode ? "│  " : "|  ";
  std::vector<std::string> lines(order.size());
  std::vector<bool> more;  // by depth: whether a later sibling follows
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto depth = static_cast<std::size_t>(tree[order[i]].depth);
    const bool last = depth >= more.size() || !more[depth];
    more.resize(depth + 1);
    for (std::size_t d = 1; d < depth; ++d)
      lines[i] += more[d] ? bar : std::string_view("   ");
    if (depth > 0) lines[i] += last ? end : tee;
    more[depth] = true;
  }
  return lines;
}

FittedTable Fit(std::vector<TextColumn> columns,
                std::span<const std::string> names, std::size_t width) {
  FittedTable table{.columns = std::move(columns)};
  std::size_t used = kBarWidth + kGap;
  for (TextColumn& column : table.columns) {
    column.width = WidthOf(column);
    used += column.width + kGap;
  }
  std::size_t widest = DisplayWidth("region");
  for (const std::string& name : names)
    widest = std::max(widest, DisplayWidth(name));

  const auto keep = [&](std::size_t least, std::size_t name_width) {
    while (table.columns.size() > least && used + name_width > width) {
      used -= table.columns.back().width + kGap;
      table.columns.pop_back();
      ++table.hidden;
    }
  };
  keep(4, std::min(widest, kWidestName));
  keep(2, kNarrowestName);
  const std::size_t room = width > used ? width - used : 0;
  table.name_width = std::max(kNarrowestName, std::min(widest, room));
  return table;
}

}  // namespace rangefinder
