// The parts of a table on a terminal: bars, headings of two lines, and columns
// that are hidden if the terminal is narrow.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace rangefinder {

// A bar of `width` cells, filled by `share`; in ASCII unless `unicode`.
std::string Bar(double share, std::size_t width, bool unicode);
// A bar from the middle, to the left for a negative `change`, -1 to 1.
std::string ChangeBar(double change, bool unicode);

// A heading in at most two lines, as narrow as its words allow; long words that
// occur in many headings are shortened.
std::array<std::string, 2> HeadingLines(std::string_view heading,
                                        std::size_t cell_width);

// A column as text, all widths in cells of the terminal.
struct LaidColumn {
  TableColumn column{};
  std::array<std::string, 2> heading{};
  std::vector<std::string> cells{};  // by row; empty for bars
  std::size_t width = 0;
  bool hidden = false;
};

// Fits the columns of a table into `width`: first columns are hidden, the
// highest TableColumn::gives_way first; then texts are cut down to 16 cells,
// the first column first; then a bar is hidden.
std::vector<LaidColumn> LayOut(const Table& table, std::size_t width,
                               bool unicode);

}  // namespace rangefinder
