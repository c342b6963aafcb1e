// The rows of a table: regions, names, kernels or ranks, each with the numbers
// that a column may show. Numbers are absent where nothing was measured.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "insight/region_rows.h"
#include "report/report.h"
#include "report/table_view.h"

namespace rangefinder {

// "region" "names": the rows of such a table in words.
std::string_view RowWord(TableBy by, std::size_t count);

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// The times of a region, as a trace saw them; its warm-up is that of
// insight/warmup.h.
struct RowTimes {
  std::optional<double> wall_ns{};    // of all closed instances
  std::optional<double> warmup_ns{};  // of it, in the warm-up
  std::optional<double> each_ns{};    // of a steady instance
  std::optional<double> gpu_each_ns{};
  // Share of the steady state's wall time in which no GPU work of the process
  // runs; where the parts of the wall time are not known, of the time between
  // the first and the last GPU work of an instance.
  std::optional<double> idle{};
  std::optional<double> instances{};
  std::optional<double> busy_ns{};
};

struct ReportRow {
  std::string name{};          // as in the profile, not made printable
  std::size_t outer = kNoRow;  // the row around it, which comes before it
  std::size_t depth = 0;
  std::optional<RegionId> region{};
  RowTimes times{};
  // Set where the row stands for alike siblings, whose numbers it adds; of
  // `each`, idle share and GPU time of an instance it has the mean.
  std::vector<RegionId> members{};
  double least_each_ns = 0, most_each_ns = 0;  // of the members
  bool last = false;  // (unattributed): behind the others in program order
  std::optional<double> time_ns{};
  std::optional<double> own_ns{};     // without inner rows
  std::optional<double> replay_ns{};  // under replay, where time_ns is not
  std::optional<double> share{};      // 0 to 1
  std::optional<std::uint64_t> launches{};
  std::optional<std::uint64_t> own_launches{};  // without inner rows
  std::optional<std::uint64_t> measured{};      // launches with counters
  std::optional<std::uint64_t> regions{};       // of a name
  std::optional<double> to_mean{};  // of a rank: its time by the mean
  std::optional<double> min_ns{};   // of a kernel's launches
  std::optional<double> max_ns{};
  const Amounts* counters = nullptr;  // null: there are none
  // "range" "counters": `counters` are of executions measured as a whole.
  std::string mode{};
  std::size_t wholes = 0;  // such executions, whose times are added
  // Executions measured as a whole whose counters are not `counters`.
  std::vector<ReportRow> parts{};
};

struct ReportRows {
  TableBy by = TableBy::kRegion;
  std::vector<ReportRow> rows{};
  std::deque<Amounts> amounts{};  // of rows that the rollup does not have
};

// In the order of reading, or by time. `rollup` is what the report was rolled
// up by: the counters of a kernel in several regions are combined anew. Null:
// kernels have no counters.
ReportRows RowsOf(const Report& report, const ScopeRollup& scope, TableBy by,
                  const RollupOptions* rollup = nullptr);

// The scope as a whole.
ReportRow TotalRow(const Report& report, const ScopeRollup& scope);

// Puts siblings that behave alike together in one row, as far as their inner
// rows are alike, too: names that differ by numbers; as many instances and
// launches; near the siblings' medians of wall and GPU time.
void FoldAlikeRows(ReportRows& table);

// The kernels of one region and its inner regions.
ReportRows KernelsOf(const Report& report, const ScopeRollup& scope,
                     RegionId region);

}  // namespace rangefinder
