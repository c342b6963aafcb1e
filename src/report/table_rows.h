// The rows of a table on the terminal, of whatever it is a table of. Numbers
// are absent where nothing was measured.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "insight/region_rows.h"
#include "report/report.h"
#include "report/table_view.h"

namespace rangefinder {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

struct ReportRow {
  std::string name{};          // as it is, not made printable
  std::size_t outer = kNoRow;  // the row that it lies in, before it
  std::size_t depth = 0;
  std::optional<RegionId> region{};
  bool last = false;  // (unattributed): behind the others by time
  std::optional<double> time_ns{};
  std::optional<double> own_ns{};     // without inner rows
  std::optional<double> replay_ns{};  // under replay, where time_ns is not
  std::optional<double> share{};      // 0 to 1
  std::optional<std::uint64_t> launches{};
  std::optional<std::uint64_t> regions{};  // of a name
  std::optional<double> to_mean{};         // of a rank: its time by the mean
  const Amounts* counters = nullptr;       // null: there are none
  std::string mode{};  // "range": the counters are of a range as a whole
  // Ranges that were measured over it as a whole and are not `counters`.
  std::vector<ReportRow> parts{};
};

struct ReportTable {
  TableBy by = TableBy::kRegion;
  std::vector<ReportRow> rows{};
  std::deque<Amounts> amounts{};  // that no rollup has
};

// In the order of reading, or by time. `rollup` is what the report was rolled
// up by: kernels of several regions are put together anew. Null: without their
// counters.
ReportTable TableOf(const Report& report, const ScopeRollup& scope, TableBy by,
                    const RollupOptions* rollup);

}  // namespace rangefinder
