// Metrics as rows. Lists of cells are shared in a rollup (rollup/cell.h), and
// so they are in the tables: a list is written once, and whose it is beside it.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "export/table_file.h"
#include "export/table_ids.h"
#include "report/report.h"

namespace rangefinder {

class TableMetrics {
 public:
  // Writes the names of all metrics.
  TableMetrics(const Report& report, TableFile& file, TableIds& ids);

  // Those of the scope as a whole, and of all its regions and kernels.
  void AddScope(std::int64_t scope_id, const ScopeRollup& scope);

 private:
  using Origin = std::tuple<How, Bound, std::string_view, std::string_view,
                            std::string_view>;
  struct Place {
    std::int64_t scope = 0;
    std::optional<std::int64_t> region{};
    std::optional<std::int64_t> kernel{};
    std::int32_t device = -1;
    std::string_view part = "inclusive";
    std::string_view mode{};
    std::uint64_t instances = 0;
  };

  void AddRegion(Place place, const RegionRollup& rolled);
  void AddBeside(Place place, std::string_view part,
                 const std::vector<EstimateBeside>& beside);
  void Add(const Place& place, const Amounts& amounts);
  void AddPlace(const Place& place, std::int64_t set);
  std::int64_t SetOf(const Cells& cells);
  std::int64_t OriginOf(const Cell& cell);
  void AddCell(std::int64_t set, std::size_t column, const Cell& cell);

  const Report& report_;
  TableIds& ids_;
  TableRows places_;
  TableRows values_;
  TableRows origins_;
  std::int64_t last_set_ = 0;
  std::unordered_map<const Cell*, std::int64_t> sets_{};
  std::map<Origin, std::int64_t> origin_ids_{};
};

}  // namespace rangefinder
