// The plan of a rollup: every metric that its columns need, inputs before the
// metrics that use them, with dense slots instead of ids.
//
// The plan is made once; then each measurement costs one pass over its samples
// and one over the nodes.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "rollup/formula.h"
#include "rollup/rollup.h"
#include "rollup/rule.h"

namespace rangefinder {

// One metric with its rule, its weight and its inputs.
struct PlanNode {
  enum class Kind : std::uint8_t {
    kSum,
    kMean,
    kRatio,
    kLargest,
    kSame,
    kSpread,
    kFormula,
    kNone,
  };

  Kind kind = Kind::kNone;
  Bound bound = Bound::kNone;
  bool is_text = false;       // by its first value
  bool weight_exact = false;  // kMean: the weight is exact
  bool sampled = false;       // sampled over time: never exact
  std::int32_t slot = -1;     // of the metric's own value; -1: not collected
  std::int32_t weight_slot = -1;  // kMean
  // kMean: slot of a second factor of the weight.
  std::int32_t weight_times = -1;
  std::int32_t distinct = -1;  // kSpread: index of its set of values
  std::int32_t memo = -1;      // index of a cell made of other cells
  std::int32_t fallback = -1;  // node to use where inputs are missing
  // Nodes. kRatio: numerator and denominator; kLargest; kFormula: the metrics
  // of the formula.
  std::vector<std::uint32_t> inputs{};
  double scale = 1;           // kRatio
  std::int32_t formula = -1;  // kFormula: index
  Word source{};              // name of the metric; empty: not in the profile
  Word rule{};
  Word weight{};
  Word reason{};  // why the value is not exact, or absent
};

class Plan {
 public:
  static constexpr std::int32_t kTimeSlot = 0;

  Plan(const Profile& profile, const RollupOptions& options);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<PlanNode>& nodes() const { return nodes_; }
  // The node of column `i`.
  std::uint32_t node_of(std::size_t i) const { return node_of_column_[i]; }
  std::size_t slot_count() const { return slot_count_; }
  std::size_t distinct_count() const { return distinct_count_; }
  std::size_t memo_count() const { return memo_count_; }
  const Formula& formula(std::int32_t i) const {
    return formulas_[static_cast<std::size_t>(i)];
  }
  // The slot of a metric, -1: not needed.
  std::int32_t slot_of(MetricId metric) const {
    return slot_of_metric_[Index(metric)];
  }

 private:
  std::uint32_t NodeFor(const std::string& metric);
  std::uint32_t AddNode(const std::string& metric, const Rule& rule);
  std::uint32_t AddMean(const std::string& metric, const MeanRule& rule);
  std::uint32_t AddTimeMean(std::int32_t slot, bool exact, Bound bound);
  std::uint32_t AddFormula(const DerivedMetric& metric);
  const DerivedMetric* FindDerived(std::string_view name) const;
  bool CanCompute(const DerivedMetric& metric);
  std::uint32_t AddSource(const MetricSource& source);
  std::uint32_t Add(PlanNode node);
  PlanNode NewNode(const std::string& metric, const Rule& rule);
  std::int32_t SlotFor(std::string_view metric);

  const Profile& profile_;
  RuleBook book_;
  const std::vector<DerivedMetric>& derived_;
  std::vector<ValueKind> kinds_;  // by MetricId
  std::vector<Column> columns_;
  std::vector<PlanNode> nodes_;
  std::vector<Formula> formulas_;
  std::vector<std::uint32_t> node_of_column_;
  std::vector<std::int32_t> slot_of_metric_;
  std::unordered_map<std::string, std::int64_t> node_of_metric_;
  std::unordered_map<std::string, bool> computable_;  // derived metrics
  std::size_t slot_count_ = 1;
  std::size_t distinct_count_ = 0;
  std::size_t memo_count_ = 0;
  int depth_ = 0;  // depth of metrics that use metrics, during their addition
};

}  // namespace rangefinder
