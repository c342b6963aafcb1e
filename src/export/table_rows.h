// The rows of the tables: regions and kernels, metrics, ranks.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "export/table_file.h"
#include "report/report.h"
#include "writers/json/json_stream.h"  // OptionalIf

namespace rangefinder {

// NULL without text; see also OptionalIf().
inline std::optional<std::string_view> OrNull(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// ---- Ids -------------------------------------------------------------------

// Eight bytes of a SHA-256 in hexadecimal: of a name, or of a path's last frame
// and the key of the outer region. Names are as in the capture, so keys are
// equal in every run.
std::string KernelKey(std::string_view name);
std::string RegionKey(std::string_view outer_key, std::string_view domain,
                      std::string_view name);

// The rows that other tables refer to by number: regions and kernels.
class TableIds {
 public:
  // Writes all regions of the tree but the root.
  TableIds(const Report& report, TableFile& file);

  // Writes the kernel's row if it is new.
  std::int64_t Kernel(StringId name);
  // The number of the region; nothing if the report leaves it out.
  std::optional<std::size_t> Find(const std::string& region_key) const;
  // Empty for the root.
  const std::string& KeyOf(RegionId region) const {
    return region_keys_[Index(region)];
  }

 private:
  void AddRegion(RegionId id, TableRows& rows);

  const Report& report_;
  TableRows kernels_;
  std::vector<std::string> region_keys_;  // by RegionId
  std::unordered_map<std::string, RegionId> by_key_{};
  std::unordered_map<StringId, std::int64_t> kernel_ids_{};
};

// Regions and their kernels, scope by scope.
class TableRegions {
 public:
  TableRegions(const Report& report, TableFile& file, TableIds& ids);

  // The regions of a scope in the order of reading, with their kernels.
  void AddScope(std::int64_t scope_id, const ScopeRollup& scope);

  // SHA-256 of the rows so far: equal for equal reports.
  const std::string& digest() const { return digest_; }

 private:
  void AddRegion(std::int64_t scope_id, const ScopeRollup& scope, RegionId id);
  void AddKernels(std::int64_t scope_id, const ScopeRollup& scope, RegionId id);

  const Report& report_;
  TableIds& ids_;
  TableRows regions_;
  TableRows kernels_;
  std::int64_t place_ = 0;
  std::string digest_{};
};

// Single instances of regions, from traces: region_instances.
void AddInstanceRows(const Report& report, TableFile& file);
// Every measurement: region_launches.
void AddLaunchRows(const Report& report, TableIds& ids, TableFile& file);

// Metrics. Lists of cells are shared in a rollup (rollup/cell.h), and also in
// the tables: a list is written once, and its places separately.
class TableMetrics {
 public:
  // Writes the names of all metrics.
  TableMetrics(const Report& report, TableFile& file, TableIds& ids);

  // The metrics of the scope as a whole, and of all its regions and kernels.
  void AddScope(std::int64_t scope_id, const ScopeRollup& scope);

 private:
  using Origin = std::tuple<How, Bound, std::string_view, std::string_view,
                            std::string_view>;
  struct Place {
    std::int64_t scope = 0;
    std::optional<std::size_t> region{};
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

// The ranks of a job: the times of their regions, and late ranks. Nothing if
// there are no ranks to compare.
void AddRankRows(const Report& report, const TableIds& ids, TableFile& file);

}  // namespace rangefinder
