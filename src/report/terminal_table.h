// The parts of a table on a terminal: bars, the lines of a tree, and columns
// that give way where the terminal is narrow.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writers/terminal/table_layout.h"

namespace rangefinder {

inline constexpr std::size_t kNarrowestName = 16;  // to which a name is cut

// The widths of columns and cells are in cells of the terminal.
struct TextColumn {
  std::string name{};
  std::string heading{};
  std::vector<std::string> cells{};  // one a row
  int rank = 0;                      // which give way first; 0: none does
  std::array<std::string, 2> heading_lines{};
  std::size_t width = 0;  // of the widest cell, once the table is fitted
};

// Columns beside a name and a bar.
struct FittedTable {
  std::vector<TextColumn> columns{};
  std::size_t name_width = 0;
  std::size_t bar_width = 0;          // 0: there is none
  std::vector<std::string> hidden{};  // names of columns that did not fit
};

// Fits them into `width`: columns give way first, those of the highest rank
// before others, then the name, then the bar. Columns of rank 0 all stay.
FittedTable Fit(std::vector<TextColumn> columns,
                std::span<const std::string> names, bool bar,
                std::size_t width);

}  // namespace rangefinder
