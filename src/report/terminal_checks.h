// Estimates beside exact counts on the terminal: a row for each region and
// metric.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/report.h"

namespace rangefinder {

struct ChecksTable {
  std::string title{};  // how many agree
  std::string heading{};
  struct Row {
    std::string text{};
    bool differs = false;
  };
  std::vector<Row> rows{};
  std::string caveat{};    // why some may differ; empty: none does
  std::string left_out{};  // what `rows` does not have; empty: nothing
};

// Of `regions`, in their order, as wide as `width` allows. Of more than `most`
// rows those that differ come first. No title where nothing was checked.
ChecksTable ChecksForTerminal(const Report& report,
                              std::span<const RegionId> regions,
                              std::size_t width, std::size_t most);

}  // namespace rangefinder
