// The ranks of a job in the documents for people: who is late, and what the
// regions took over ranks.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "report/report.h"

namespace rangefinder {

// What there is to say of who is late, a sentence each, most weighty first;
// where nobody is, that, or why it is not known. Names are as in the file.
struct LateSaid {
  std::vector<std::string> sentences{};
  std::size_t more = 0;  // that were not asked for
};
// Empty with fewer than two ranks.
LateSaid LateSentences(const Report& report, std::size_t most);

// A table of regions over ranks: a row a region, each before its inner ones.
struct RanksTable {
  struct Row {
    std::string name{};  // as in the file
    std::size_t depth = 0;
    std::vector<std::string> cells{};  // "1.20 – 1.40 – 2.00 ms (5)"
  };
  std::vector<std::string> headings{};  // of the cells: "compute"
  std::vector<Row> rows{};
  std::size_t left_out = 0;  // regions
};
// Of the regions of the most time; without columns that say nothing of any.
RanksTable RanksTableOf(const Report& report, std::size_t most);

// What its cells are: "minimum – median – maximum over 8 ranks (whose the
// maximum is)".
std::string RanksTableTitle(const Report& report);

// Both as a section of report.md; nothing with fewer than two ranks.
void WriteRanksMarkdown(std::ostream& out, const Report& report);

}  // namespace rangefinder
