// The rows of a table: regions, names, kernels or ranks, each with the numbers
// for all possible columns. Numbers are absent if nothing was measured.

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

// "region" "names": the word for rows of this kind.
std::string_view RowWord(TableBy by, std::size_t count);

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// The times of a region from a trace; insight/warmup.h defines its warm-up.
struct RowTimes {
  std::optional<double> wall_ns{};    // of all closed instances
  std::optional<double> warmup_ns{};  // part of it in the warm-up
  std::optional<double> each_ns{};    // of a steady instance
  std::optional<double> gpu_each_ns{};
  bool warmup_known = true;  // false: nothing is known of steady instances
  // The share of the steady state's wall time without GPU work of the process;
  // if the parts of the wall time are unknown, the share of the time between
  // the first and the last GPU work of an instance.
  std::optional<double> idle{};
  std::optional<double> instances{};
  std::optional<double> busy_ns{};
};

struct ReportRow {
  std::string name{};          // as in the profile, not made printable
  std::size_t outer = kNoRow;  // the outer row, which comes before it
  std::size_t depth = 0;
  std::optional<RegionId> region{};
  RowTimes times{};
  // Set if the row stands for alike siblings. Its numbers are their sums;
  // `each`, the idle share and the GPU time of an instance are means.
  std::vector<RegionId> members{};
  double least_each_ns = 0, most_each_ns = 0;  // of the members
  bool last = false;  // (unattributed): after the others in program order
  std::optional<double> time_ns{};
  std::optional<double> own_ns{};     // without inner rows
  std::optional<double> replay_ns{};  // under replay, if time_ns is not
  std::optional<double> share{};      // 0 to 1
  std::optional<std::uint64_t> launches{};
  std::uint64_t untimed = 0;  // launches without a duration: not in time_ns
  std::optional<std::uint64_t> own_launches{};  // without inner rows
  std::optional<std::uint64_t> measured{};      // launches with counters
  std::optional<std::uint64_t> regions{};       // of a name
  std::optional<double> to_mean{};  // for a rank: its time over the mean
  std::optional<double> min_ns{};   // of a kernel's launches
  std::optional<double> max_ns{};
  const Amounts* counters = nullptr;  // null: there are none
  // "range" "counters": `counters` belong to executions measured as a whole.
  std::string mode{};
  std::size_t wholes = 0;  // number of these executions; times are added
  // Executions measured as a whole that `counters` does not cover.
  std::vector<ReportRow> parts{};
};

struct ReportRows {
  TableBy by = TableBy::kRegion;
  std::vector<ReportRow> rows{};
  std::deque<Amounts> amounts{};  // of rows that are not in the rollup
};

// In the order of reading, or by time. `rollup`: the options of the report's
// rollup, by which the counters of a kernel in several regions are combined.
// Null: kernels have no counters.
ReportRows RowsOf(const Report& report, const ScopeRollup& scope, TableBy by,
                  const RollupOptions* rollup = nullptr);

// The row of the whole scope.
ReportRow TotalRow(const Report& report, const ScopeRollup& scope);

// Joins siblings that behave alike into one row, if their inner rows are alike
// as well: their names differ by numbers; instances and launches are equal;
// wall and GPU times are near the siblings' medians.
void FoldAlikeRows(ReportRows& table);

// The kernels of one region and its inner regions.
ReportRows KernelsOf(const Report& report, const ScopeRollup& scope,
                     RegionId region);

}  // namespace rangefinder
