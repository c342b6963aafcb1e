// The requested table: report.table.* of the configuration.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rangefinder {

enum class TableBy : std::uint8_t {
  kRegion,  // the tree of regions
  kName,    // all regions of a name together
  kKernel,  // kernels, wherever they were launched
  kRank,    // processes and devices, with their ranks
};

struct TableView {
  TableBy by = TableBy::kRegion;
  // Names of ReportColumns, or metrics; empty: the usual ones.
  std::vector<std::string> columns{};
  // For a table without wall times: "time".
  std::string sort = "wall";
  std::uint64_t top = 40;                // rows; 0: all
  std::optional<std::uint64_t> depth{};  // levels of the tree; none or 0: all
  double min_share = 0;                  // in percent of the scope's time
  bool flat = false;                     // no tree: whole paths in one order
  bool expand = false;                   // alike siblings have a row each
  // A scope's name, a rank, or "all"; empty: the aggregate if there is one.
  std::string scope{};
};

}  // namespace rangefinder
