// The parts of a table on a terminal: bars, the lines of a tree, and columns
// that give way where the terminal is narrow.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "region/tree.h"

namespace rangefinder {

// Text in a field of `width` cells, at its left or right; wider text stays.
std::string PadRight(std::string text, std::size_t width);
std::string PadLeft(std::string text, std::size_t width);

inline constexpr std::size_t kBarWidth = 12;       // in cells
inline constexpr std::size_t kNarrowestName = 16;  // to which a name is cut

// A bar of which `share` is full; in ASCII unless `unicode`.
std::string Bar(double share, bool unicode);

// The lines that lead to each region of `order`, which lists a region before
// its inner ones.
std::vector<std::string> TreeLines(const RegionTree& tree,
                                   std::span<const RegionId> order,
                                   bool unicode);

// The widths of columns and cells are in cells of the terminal.
struct TextColumn {
  std::string heading{};
  std::vector<std::string> cells{};  // one a row
  std::size_t width = 0;             // of the widest, once the table is fitted
};

// Columns beside a name and a bar.
struct FittedTable {
  std::vector<TextColumn> columns{};
  std::size_t name_width = 0;
  std::size_t hidden = 0;  // columns that did not fit
};

// Fits them into `width`: columns give way first, from the right, but for a
// few, then the name.
FittedTable Fit(std::vector<TextColumn> columns,
                std::span<const std::string> names, std::size_t width);

}  // namespace rangefinder
