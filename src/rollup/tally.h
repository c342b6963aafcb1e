// A tally: the sums of some measurements before the rules divide them.
// Measurements and other tallies can be added to it.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "profile/profile.h"
#include "rollup/metric_plan.h"

namespace rangefinder {

// Neumaier's sum, which keeps the rounding errors, so that it hardly depends on
// the order of its terms.
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

// The tally of one PlanNode.
struct NodeTally {
  ExactSum sum{};     // of the values, or of value times weight
  ExactSum weight{};  // of the weights
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::uint32_t present = 0;
  std::uint32_t weighted = 0;  // with a weight
};

// Counts different values, in memory proportional to their number.
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

// The values of one measurement by slot; NaN: none. A text is its StringId as a
// number.
class Row {
 public:
  Row(const Profile& profile, const Plan& plan);

  void Load(const Measurement& m);
  double operator[](std::int32_t slot) const {
    return values_[static_cast<std::size_t>(slot)];
  }
  // The launches that the measurement stands for.
  std::uint64_t launches() const { return launches_; }

 private:
  const Profile& profile_;
  const Plan& plan_;
  std::optional<MetricId> duration_;
  std::vector<bool> text_slots_;
  std::vector<double> values_;
  std::uint64_t launches_ = 0;
};

struct TallyView;  // tally.cc

class Tally {
 public:
  explicit Tally(const Plan& plan);

  void Add(const Plan& plan, const Row& row);
  void Add(const Tally& other);
  void Clear();

  bool empty() const { return count_ == 0; }
  std::uint64_t timed() const { return launches_ - without_time_; }

  // The cells of all columns. Not const, since it sorts the sets of values.
  Amounts Finish(const Plan& plan);
  // The cell of one node.
  Cell CellOf(const Plan& plan, std::uint32_t node);
  std::span<const NodeTally> nodes() const { return nodes_; }

 private:
  TallyView View(const Plan& plan);

  std::uint32_t count_ = 0;  // measurements
  std::uint64_t launches_ = 0;
  std::uint64_t without_time_ = 0;  // of the launches
  ExactSum time_{};
  std::vector<NodeTally> nodes_;
  std::vector<DistinctValues> distinct_;
};

}  // namespace rangefinder
