#include "rollup/tally.h"

#include <algorithm>
#include <cmath>

namespace rangefinder {
namespace {

// Values are sorted and made unique whenever they have doubled.
constexpr std::size_t kCompactFrom = 64;

}  // namespace

void DistinctValues::Add(std::uint64_t bits) {
  if (!values_.empty() && values_.back() == bits) return;
  values_.push_back(bits);
  if (values_.size() >= std::max(kCompactFrom, 2 * compacted_)) Compact();
}

void DistinctValues::Add(const DistinctValues& other) {
  for (const std::uint64_t bits : other.values_) Add(bits);
}

std::size_t DistinctValues::count() {
  Compact();
  return values_.size();
}

void DistinctValues::Compact() {
  std::ranges::sort(values_);
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  compacted_ = values_.size();
}

Row::Row(const Profile& profile, const Plan& plan)
    : profile_(profile),
      plan_(plan),
      duration_(profile.FindMetric("gpu__time_duration.sum")),
      text_slots_(plan.slot_count()),
      values_(plan.slot_count()) {
  for (const PlanNode& node : plan.nodes()) {
    if (node.slot >= 0 && node.is_text)
      text_slots_[static_cast<std::size_t>(node.slot)] = true;
  }
}

void Row::Load(const Measurement& m) {
  std::ranges::fill(values_, std::nan(""));
  launches_ = LaunchesOf(profile_, m);
  if (m.end_ns > m.start_ns)
    values_[Plan::kTimeSlot] = static_cast<double>(m.end_ns - m.start_ns);
  for (const Sample& sample : profile_.SamplesOf(m)) {
    const std::int32_t slot = plan_.slot_of(sample.metric);
    if (slot >= 0) {
      const auto at = static_cast<std::size_t>(slot);
      if (sample.kind == ValueKind::kText) {
        if (text_slots_[at]) values_[at] = static_cast<double>(sample.bits);
      } else if (const auto number = sample.value().number();
                 number && !text_slots_[at]) {
        values_[at] = *number;
      }
    }
    if (sample.metric == duration_) {
      // As DurationNs() has it.
      const auto ns = sample.value().number();
      if (ns && *ns >= 0 && std::isfinite(*ns)) values_[Plan::kTimeSlot] = *ns;
    }
  }
}

Tally::Tally(const Plan& plan)
    : nodes_(plan.nodes().size()), distinct_(plan.distinct_count()) {}

void Tally::Clear() {
  if (empty()) return;
  count_ = 0;
  launches_ = 0;
  without_time_ = 0;
  time_ = {};
  std::ranges::fill(nodes_, NodeTally{});
  for (DistinctValues& values : distinct_) values = {};
}

void Tally::Add(const Plan& plan, const Row& row) {
  ++count_;
  launches_ += row.launches();
  if (const double ns = row[Plan::kTimeSlot]; std::isnan(ns)) {
    without_time_ += row.launches();
  } else {
    time_.Add(ns);
  }
  const std::vector<PlanNode>& plan_nodes = plan.nodes();
  for (std::size_t i = 0; i < plan_nodes.size(); ++i) {
    const PlanNode& node = plan_nodes[i];
    if (node.slot < 0) continue;
    const double value = row[node.slot];
    if (std::isnan(value)) continue;
    NodeTally& tally = nodes_[i];
    ++tally.present;
    tally.low = std::min(tally.low, value);
    tally.high = std::max(tally.high, value);
    if (node.kind == PlanNode::Kind::kSum) {
      tally.sum.Add(value);
    } else if (node.kind == PlanNode::Kind::kMean) {
      double weight =
          node.weight_slot < 0 ? std::nan("") : row[node.weight_slot];
      if (node.weight_times >= 0) weight *= row[node.weight_times];
      if (std::isnan(weight)) continue;
      ++tally.weighted;
      tally.sum.Add(value * weight);
      tally.weight.Add(weight);
    } else if (node.distinct >= 0) {
      distinct_[static_cast<std::size_t>(node.distinct)].Add(
          Value::Number(value).bits);
    }
  }
}

void Tally::Add(const Tally& other) {
  if (other.empty()) return;
  count_ += other.count_;
  launches_ += other.launches_;
  without_time_ += other.without_time_;
  time_.Add(other.time_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeTally& from = other.nodes_[i];
    if (from.present == 0) continue;
    NodeTally& to = nodes_[i];
    to.sum.Add(from.sum);
    to.weight.Add(from.weight);
    to.low = std::min(to.low, from.low);
    to.high = std::max(to.high, from.high);
    to.present += from.present;
    to.weighted += from.weighted;
  }
  for (std::size_t i = 0; i < distinct_.size(); ++i)
    distinct_[i].Add(other.distinct_[i]);
}

std::vector<std::uint32_t> Tally::CountDistinct() {
  std::vector<std::uint32_t> counts(distinct_.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = static_cast<std::uint32_t>(distinct_[i].count());
  return counts;
}

Cell Tally::CellOf(const Plan& plan, std::uint32_t node) {
  const std::vector<std::uint32_t> distinct = CountDistinct();
  std::vector<std::optional<Cell>> memo(plan.memo_count());
  return FinishNode({.plan = plan,
                     .nodes = nodes_,
                     .distinct = distinct,
                     .count = count_,
                     .launches = launches_,
                     .memo = memo},
                    node);
}

Amounts Tally::Finish(const Plan& plan) {
  const std::vector<std::uint32_t> distinct = CountDistinct();
  std::vector<std::optional<Cell>> memo(plan.memo_count());
  const TallyView view{.plan = plan,
                       .nodes = nodes_,
                       .distinct = distinct,
                       .count = count_,
                       .launches = launches_,
                       .memo = memo};
  std::vector<Cell> cells;
  cells.reserve(plan.columns().size());
  for (std::size_t i = 0; i < plan.columns().size(); ++i)
    cells.push_back(FinishNode(view, plan.node_of(i)));
  return {.kernel_count = launches_,
          .gpu_time_ns = time_.value(),
          .without_time = without_time_,
          .cells = Cells(std::move(cells))};
}

}  // namespace rangefinder
