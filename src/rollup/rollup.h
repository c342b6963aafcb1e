// What every metric amounts to over every region: one Cell each, with how it
// came about. The rules and their proofs are docs/rollup.md.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

// How a value was obtained, from best to none.
enum class How : std::uint8_t {
  kMeasured,  // one measurement's own value
  kExact,     // combined, and equal to what one measurement of all would give
  kApprox,    // combined with a weight that only stands in for the right one
  kBound,     // the true value is at most (or at least) this
  kAbsent,    // it cannot be said; `reason` tells why
};
std::string_view HowName(How how);  // "measured" "exact" ...

// What a metric amounts to over some measurements. Absent is kAbsent, never 0.
struct Cell {
  How how = How::kAbsent;
  bool is_text = false;         // `text` holds it instead of `value`
  bool has_spread = false;      // `low`, `high`, `distinct` are set
  double value = 0;             // in the metric's base unit
  StringId text{};
  double low = 0;               // smallest and largest over the measurements
  double high = 0;
  std::uint32_t distinct = 0;   // different values among them, 0: not counted
  std::uint32_t present = 0;    // measurements that had the metric
  std::uint32_t missing = 0;    // and that should have had it
  std::string_view rule{};      // static text: "sum" "weighted_mean" ...
  std::string_view weight{};    // static or the profile's: metric of the weight
  std::string_view reason{};    // static text, when absent or approximate
};

// One metric's column: the same in every Amounts of a Rollup.
struct Column {
  MetricId metric{};
  std::string name{};
  std::string unit{};  // base unit, "" when it has none or it is not known
};

// What some measurements amount to together.
struct Amounts {
  std::uint64_t kernel_count = 0;
  double gpu_time_ns = 0;          // of the measurements that have a duration
  std::uint64_t without_time = 0;  // measurements that have none
  std::vector<Cell> cells{};       // by Rollup::columns
};

// The calls of one kernel name in one region, on one device.
struct KernelRow {
  StringId name{};  // demangled, as stored
  std::int32_t device = -1;
  std::uint64_t calls = 0;
  double total_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  std::vector<MeasurementId> measurements{};
  Amounts amounts{};
};

// A range that was measured as a whole: never added to anything.
struct WholeRow {
  MeasurementId measurement{};
  ReplayMode mode = ReplayMode::kUnknown;
  Amounts amounts{};
};

struct RegionRollup {
  Amounts inclusive{};
  Amounts exclusive{};
  std::vector<KernelRow> kernels{};  // by time, most first; then by name
  std::vector<WholeRow> measured{};
  bool empty = true;  // nothing of this scope in it or below
};

// One process on one device, or all of them.
struct Scope {
  bool aggregate = true;
  ProcessId process{};
  std::int32_t device = -1;
};

struct ScopeRollup {
  Scope scope{};
  Amounts totals{};
  std::vector<RegionRollup> regions{};  // by RegionId
};

struct Rollup {
  std::vector<Column> columns{};
  std::vector<ScopeRollup> scopes{};  // aggregate first, when wanted
};

struct RollupOptions {
  bool aggregate = true;
  // Names of the metrics wanted, in order; empty: every metric of the profile.
  std::vector<std::string> metrics{};
};

// Pure: the same profile, tree and options give the same rollup.
Rollup RollUp(const Profile& profile, const RegionTree& tree,
              const RollupOptions& options, Notes& notes);

}  // namespace rangefinder
