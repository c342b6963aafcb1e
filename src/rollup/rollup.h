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
#include "rollup/cell.h"
#include "rollup/derived.h"
#include "rollup/region_rollups.h"
#include "rollup/rule_book.h"

namespace rangefinder {

// Of a column that no measurement has: wanted and not collected, or derived.
inline constexpr MetricId kNoMetric{0xffffffff};

// One metric's column: the same in every Amounts of a Rollup.
struct Column {
  MetricId metric = kNoMetric;
  std::string name{};
  std::string unit{};  // base unit, "" when it has none or it is not known
};

// What some measurements amount to together.
struct Amounts {
  std::uint64_t kernel_count = 0;
  double gpu_time_ns = 0;          // of the measurements that have a duration
  std::uint64_t without_time = 0;  // measurements that have none
  bool estimated = false;          // some cells are
  Cells cells{};                   // by Rollup::columns
};

// The calls of one kernel name in one region, on one device.
struct KernelRow {
  StringId name{};  // demangled, as stored
  std::int32_t device = -1;
  std::uint64_t calls = 0;
  std::uint64_t own_calls = 0;  // of them, those outside its inner regions
  double total_ns = 0;
  double own_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  std::vector<MeasurementId> measurements{};  // of own calls alone
  Amounts amounts{};
};

// How a metric differs between the instances of a range: the standard deviation
// of an instance (of n - 1 degrees of freedom) over `instances`.
struct WholeDeviation {
  MetricId metric{};
  std::uint64_t instances = 0;
  double value = 0;
};

// A range that was measured as a whole: never added to anything.
struct WholeRow {
  MeasurementId measurement{};
  ReplayMode mode = ReplayMode::kUnknown;
  // How many instances `amounts` is the mean of, where they were counted one by
  // one; else 0.
  std::uint64_t instances = 0;
  std::vector<WholeDeviation> deviations{};  // of what several instances have
  Amounts amounts{};
};

// An estimate of what was measured as well, in another run.
struct EstimateBeside {
  std::size_t column = 0;  // of Rollup::columns
  Cell cell{};             // kEstimated
  // Whether as many kernels were measured as the estimate is over; and if so,
  // whether the measured value lies within its 95 %.
  bool comparable = false;
  bool agrees = false;
};

struct RegionRollup {
  Amounts inclusive{};
  Amounts exclusive{};
  std::vector<EstimateBeside> inclusive_beside{};
  std::vector<EstimateBeside> exclusive_beside{};
  // By time, most first; then by name. Own ones, in no inner region.
  std::vector<KernelRow> kernels{};
  // With those of inner regions, where there are any.
  std::vector<KernelRow> kernels_with_inner{};
  std::vector<WholeRow> measured{};
  bool empty = true;  // nothing of this scope in it or below

  // The rows that add up to `inclusive`.
  const std::vector<KernelRow>& all_kernels() const {
    return kernels_with_inner.empty() ? kernels : kernels_with_inner;
  }
};

// All regions of one name in one domain together, a kernel counted once even
// where the name is nested in itself.
struct NameRow {
  Frame frame{};
  std::vector<RegionId> regions{};  // at least two
  Amounts amounts{};
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
  OfRegions<RegionRollup> regions{};
  std::vector<NameRow> names{};  // of several regions; by time, most first
};

struct Rollup {
  std::vector<Column> columns{};
  std::vector<ScopeRollup> scopes{};  // aggregate first, when wanted
};

struct RollupOptions {
  bool aggregate = true;
  // Names of the metrics wanted, in order; empty: every metric of the profile.
  std::vector<std::string> metrics{};
  std::vector<UserRule> rules{};  // before the built-in ones, first match
  // Can be named in `metrics`; with none named, all that can be computed are
  // columns after the measured ones.
  std::vector<DerivedMetric> derived{};
};

// Pure: the same profile, tree and options give the same rollup.
Rollup RollUp(const Profile& profile, const RegionTree& tree,
              const RollupOptions& options, Notes& notes);

}  // namespace rangefinder
