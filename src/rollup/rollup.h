// Rolls up every metric over every region: one Cell each, with how it was
// obtained. docs/rollup.md has the rules and their proofs.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/cell.h"
#include "rollup/rule.h"

namespace rangefinder {

// The id of a column that no measurement has: requested and not collected, or
// derived.
inline constexpr MetricId kNoMetric{0xffffffff};

// One metric's column: the same in every Amounts of a Rollup.
struct Column {
  MetricId metric = kNoMetric;
  std::string name{};
  std::string unit{};  // base unit; "": none, or unknown
};

// The rolled-up values of some measurements.
struct Amounts {
  std::uint64_t kernel_count = 0;
  double gpu_time_ns = 0;          // of the measurements with a duration
  std::uint64_t without_time = 0;  // measurements without one
  bool estimated = false;          // whether some cells are kEstimated
  Cells cells{};                   // by Rollup::columns
};

// The calls of one kernel name in one region, on one device.
struct KernelRow {
  StringId name{};  // demangled, as stored
  std::int32_t device = -1;
  std::uint64_t calls = 0;
  std::uint64_t own_calls = 0;  // calls outside of inner regions
  double total_ns = 0;
  double own_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  std::vector<MeasurementId> measurements{};  // of own calls
  Amounts amounts{};
};

// The standard deviation of a metric over `instances` instances of a range,
// with n - 1 degrees of freedom.
struct WholeDeviation {
  MetricId metric{};
  std::uint64_t instances = 0;
  double value = 0;
};

// A range that was measured as a whole: never added to anything.
struct WholeRow {
  MeasurementId measurement{};
  ReplayMode mode = ReplayMode::kUnknown;
  // The number of instances whose mean is `amounts`, if instances were counted
  // one by one; else 0.
  std::uint64_t instances = 0;
  std::vector<WholeDeviation> deviations{};  // of several instances
  Amounts amounts{};
};

// An estimate next to a value that another run measured.
struct EstimateBeside {
  std::size_t column = 0;  // of Rollup::columns
  Cell cell{};             // kEstimated
  // Whether as many kernels were measured as the estimate covers; and, if so,
  // whether the measured value lies within the estimate's 95 % interval.
  bool comparable = false;
  bool agrees = false;
};

struct RegionRollup {
  Amounts inclusive{};
  Amounts exclusive{};
  std::vector<EstimateBeside> inclusive_beside{};
  std::vector<EstimateBeside> exclusive_beside{};
  // Own kernels, most time first, then by name.
  std::vector<KernelRow> kernels{};
  // With the kernels of inner regions, if these have any.
  std::vector<KernelRow> kernels_with_inner{};
  std::vector<WholeRow> measured{};
  bool empty = true;  // no measurement of this scope in it or below

  // The rows that add up to `inclusive`.
  const std::vector<KernelRow>& all_kernels() const {
    return kernels_with_inner.empty() ? kernels : kernels_with_inner;
  }
};

// All regions with the same name and domain. A kernel counts once even if the
// name is nested in itself.
struct NameRow {
  Frame frame{};
  std::vector<RegionId> regions{};  // at least two
  Amounts amounts{};
};

// A value for each region of one scope. In a large job, a process has GPU work
// in few regions; all others share one value. Copies share their values until
// one of them is changed.
template <typename Rollup>
class OfRegions {
 public:
  OfRegions() = default;
  // `size` regions; regions without a value of their own have `nothing`.
  OfRegions(std::size_t size, Rollup nothing)
      : size_(size), nothing_(std::move(nothing)) {}

  std::size_t size() const { return size_; }

  // By RegionId.
  const Rollup& operator[](std::size_t region) const {
    const auto known = there_->find(region);
    return known == there_->end() ? nothing_ : known->second;
  }
  // Gives the region a value of its own. References stay valid.
  Rollup& operator[](std::size_t region) {
    if (there_.use_count() > 1) there_ = std::make_shared<Values>(*there_);
    return there_->try_emplace(region, nothing_).first->second;
  }
  const Rollup& front() const { return (*this)[0]; }

  // The regions with a value of their own, by RegionId.
  const std::map<std::size_t, Rollup>& there() const { return *there_; }

 private:
  using Values = std::map<std::size_t, Rollup>;
  std::size_t size_ = 0;
  Rollup nothing_{};
  std::shared_ptr<Values> there_ = std::make_shared<Values>();
};

// One process on one device, or all of them.
struct Scope {
  bool aggregate = true;
  ProcessId process{};
  std::int32_t device = -1;  // -1: unknown, or a process without GPU work

  bool Has(const Measurement& m) const {
    return aggregate || (m.process == process && m.device == device);
  }
};

struct ScopeRollup {
  Scope scope{};
  Amounts totals{};
  OfRegions<RegionRollup> regions{};
  std::vector<NameRow> names{};  // of several regions; by time, most first
};

struct Rollup {
  std::vector<Column> columns{};
  // The aggregate first, if it is requested; otherwise processes without a
  // measurement that have regions are last.
  std::vector<ScopeRollup> scopes{};

  // The column of a metric.
  std::optional<std::size_t> Find(std::string_view metric) const {
    const auto at = std::ranges::find(columns, metric, &Column::name);
    if (at == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(at - columns.begin());
  }
};

// A metric that no profiler measures: a formula over metrics, from
// conf/derived/*.yaml. It is evaluated on rolled-up values, and never averaged.
struct DerivedMetric {
  std::string name{};
  std::string unit{};
  std::string formula{};  // see formula.h; may name other derived metrics
  std::string doc{};      // its meaning, as a sentence
};

struct RollupOptions {
  bool aggregate = true;
  // Names of the requested metrics, in order; empty: every metric of the
  // profile.
  std::vector<std::string> metrics{};
  std::vector<UserRule> rules{};  // before the built-in ones, first match
  // They can be named in `metrics`. If `metrics` is empty, all that can be
  // computed become columns after the measured metrics.
  std::vector<DerivedMetric> derived{};
};

// Pure: the same profile, tree and options give the same rollup.
Rollup RollUp(const Profile& profile, const RegionTree& tree,
              const RollupOptions& options, Notes& notes);

// Rolls up groups of measurements that are no regions, such as all calls of a
// kernel. The cells are by `columns`, of a Rollup with the same options; other
// columns give no cells.
std::vector<Amounts> AmountsOf(
    const Profile& profile, std::span<const std::vector<MeasurementId>> groups,
    const RollupOptions& options, std::span<const Column> columns);

}  // namespace rangefinder
