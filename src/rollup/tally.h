// What some measurements add up to, before it is divided: can be added to a
// measurement at a time, and to another tally.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "profile/profile.h"
#include "rollup/plan.h"

namespace rangefinder {

// A sum that keeps what rounding loses (Neumaier's), so that it hardly depends
// on the order of its terms.
struct ExactSum {
  double high = 0;
  double low = 0;

  void Add(double x) {
    const double sum = high + x;
    const double rest = sum - high;
    low += (high - (sum - rest)) + (x - rest);
    high = sum;
  }
  void Add(const ExactSum& other) {
    Add(other.high);
    low += other.low;
  }
  double value() const {
    const double sum = high + low;
    return sum == sum ? sum : high;  // an infinity has no low part
  }
};

// One node's part of a tally.
struct NodeTally {
  ExactSum sum{};     // of the values, or of value times weight
  ExactSum weight{};  // of the weights
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::uint32_t present = 0;
  std::uint32_t weighted = 0;  // of them, those that had the weight
};

// The different values among many, counted in memory in proportion to them.
class DistinctValues {
 public:
  void Add(std::uint64_t bits);
  void Add(const DistinctValues& other);
  std::size_t count();

 private:
  void Compact();

  std::vector<std::uint64_t> values_;
  std::size_t compacted_ = 0;
};

// The values of one measurement by slot, NaN where there is none. Text is its
// StringId as a number.
class Row {
 public:
  Row(const Profile& profile, const Plan& plan);

  void Load(const Measurement& m);
  double operator[](std::int32_t slot) const {
    return values_[static_cast<std::size_t>(slot)];
  }
  // That the measurement stands for.
  std::uint64_t launches() const { return launches_; }

 private:
  const Profile& profile_;
  const Plan& plan_;
  std::optional<MetricId> duration_;
  std::vector<bool> text_slots_;
  std::vector<double> values_;
  std::uint64_t launches_ = 0;
};

// A finished tally, as the arithmetic of the rules sees it.
struct TallyView {
  const Plan& plan;
  std::span<const NodeTally> nodes;
  std::span<const std::uint32_t> distinct;
  std::uint32_t count = 0;  // measurements in all
  std::uint64_t launches = 0;
  // Cells made of other cells, by PlanNode::memo: each is worked out once.
  std::vector<std::optional<Cell>>& memo;
};

// What node `id` amounts to: the rule's arithmetic.
Cell FinishNode(const TallyView& view, std::uint32_t id);

class Tally {
 public:
  explicit Tally(const Plan& plan);

  void Add(const Plan& plan, const Row& row);
  void Add(const Tally& other);
  void Clear();

  bool empty() const { return count_ == 0; }
  std::uint64_t timed() const { return launches_ - without_time_; }

  // What it all amounts to. Sorts its sets of values, so it is not const.
  Amounts Finish(const Plan& plan);
  // What one node amounts to.
  Cell CellOf(const Plan& plan, std::uint32_t node);
  std::span<const NodeTally> nodes() const { return nodes_; }

 private:
  std::vector<std::uint32_t> CountDistinct();

  std::uint32_t count_ = 0;  // measurements
  std::uint64_t launches_ = 0;
  std::uint64_t without_time_ = 0;  // of the launches
  ExactSum time_{};
  std::vector<NodeTally> nodes_;
  std::vector<DistinctValues> distinct_;
};

}  // namespace rangefinder
