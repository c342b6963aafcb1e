// Nsight Compute's sections by region: the tables of its details page with
// NVIDIA's labels and rolled-up values, and their text.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

struct SectionTableRow {
  std::string label{};  // NVIDIA's: "Compute (SM) Throughput"
  std::string metric{};
  std::string unit{};      // base unit
  std::size_t column = 0;  // of Rollup::columns
  Cell cell{};
};

// One section of one region.
struct SectionTable {
  std::string identifier{};             // "SpeedOfLight"
  std::string title{};                  // "GPU Speed Of Light Throughput"
  std::vector<SectionTableRow> rows{};  // by metric name, as ncu prints them
};

// The sections of a profile, each once, and the sections of each region.
class SectionCatalog {
 public:
  // The sections with the identifiers `wanted`; empty: all. Rows whose metric
  // has no column are left out.
  SectionCatalog(const Profile& profile, const RegionTree& tree,
                 const Rollup& rollup,
                 std::span<const std::string> wanted = {});

  // The sections collected for kernels in `region` or below it, with the values
  // of `amounts`; rows without a measurement are left out.
  std::vector<SectionTable> TablesOf(RegionId region,
                                     const Amounts& amounts) const;

  // All sections with all their rows, without cells.
  std::vector<SectionTable> Tables() const;

  bool empty() const { return sections_.empty(); }

 private:
  struct Row {
    std::string label{};
    std::size_t column = 0;
  };
  struct Entry {
    std::string identifier{};
    std::string title{};
    std::int64_t order = 0;
    std::vector<Row> rows{};
  };
  // Of Rollup::columns, by name.
  using Columns = std::unordered_map<std::string_view, std::size_t>;

  static std::vector<Row> RowsOf(const Profile& profile, const Section& section,
                                 const Columns& column_of,
                                 std::uint32_t capability);
  void FindRegions(const Profile& profile, const RegionTree& tree);

  SectionTableRow RowOf(const Row& row) const;

  const Rollup& rollup_;
  std::vector<Entry> sections_;               // by order, then identifier
  std::vector<std::vector<bool>> of_region_;  // by RegionId, then section
};

// The tables in the layout of ncu's details page. Values that are not exact are
// marked: ~ approximate, <= at most, >= at least, low .. high for differing
// values.
std::string SectionsText(const Profile& profile,
                         std::span<const SectionTable> tables);

}  // namespace rangefinder
