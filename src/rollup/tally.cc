#include "rollup/tally.h"

#include <algorithm>
#include <cmath>

namespace rangefinder {

// A finished tally, for the arithmetic of the rules.
struct TallyView {
  const Plan& plan;
  std::span<const NodeTally> nodes;
  std::vector<std::uint32_t> distinct{};
  std::uint32_t count = 0;  // measurements in all
  std::uint64_t launches = 0;
  // Cells made of other cells, by PlanNode::memo; each is computed once.
  mutable std::vector<std::optional<Cell>> memo{};
};

namespace {

// The cell of node `id`, by the arithmetic of its rule.
Cell FinishNode(const TallyView& view, std::uint32_t id);

// Duplicates are removed from this many values on, and then at each doubling.
constexpr std::size_t kCompactFrom = 64;

// ---- from sums to a value: the arithmetic of every rule --------------------

constexpr const char* kNotCollected = "not collected";
constexpr const char* kNoValue = "no value in any measurement";
constexpr const char* kSomeMissing = "not every measurement has it";
constexpr const char* kDiffers = "differs between the measurements";
constexpr const char* kNoWeight = "no duration or cycles to weight it by";
constexpr const char* kStandIn = "weighted by a stand-in for its own weight";
constexpr const char* kMaxima = "of maxima over hardware instances";
constexpr const char* kMinima = "of minima over hardware instances";
constexpr const char* kSampled = "sampled over time, not counted";
constexpr const char* kZeroUnder = "its denominator is zero";
constexpr const char* kRatioInputs = "inputs of the ratio were not collected";
constexpr const char* kLargestInputs = "breakdown inputs were not collected";

Cell Absent(Cell cell, Word reason) {
  cell.how = How::kAbsent;
  cell.bound = Bound::kNone;
  cell.value = 0;
  cell.reason = reason;
  return cell;
}

void SetBound(Cell& cell, Bound bound, Word reason) {
  cell.how = How::kBound;
  cell.bound = bound;
  cell.reason = reason;
}

// Whether some measurements stand for several launches. Their values are sums
// or means over launches, so the spread of launches is unknown.
bool IsFolded(const TallyView& view) {
  return view.launches != view.count;
}

// Sets the value, text or number, that all measurements share.
void SetValue(Cell& cell, const PlanNode& node, double value) {
  if (node.is_text) {
    cell.is_text = true;
    cell.text = static_cast<StringId>(static_cast<std::uint32_t>(value));
  } else {
    cell.value = value;
  }
}

Cell FinishSum(const PlanNode& node, const NodeTally& tally, Cell cell) {
  cell.value = tally.sum.value();
  cell.how = How::kExact;
  if (node.sampled) {
    cell.how = How::kApprox;
    cell.reason = kSampled;
    return cell;
  }
  if (node.bound != Bound::kNone) {
    SetBound(cell, node.bound, node.bound == Bound::kUpper ? kMaxima : kMinima);
  }
  if (cell.missing == 0) return cell;
  // Measurements are missing, so the true sum is at least this one.
  if (node.bound == Bound::kUpper) {
    cell.how = How::kApprox;
    cell.bound = Bound::kNone;
    cell.reason = kSomeMissing;
  } else {
    SetBound(cell, Bound::kLower, kSomeMissing);
  }
  return cell;
}

Cell FinishMean(const TallyView& view, const PlanNode& node,
                const NodeTally& tally, Cell cell) {
  const bool same = tally.low == tally.high;
  const double weight = tally.weight.value();
  const bool usable = tally.weighted == tally.present && weight > 0;
  if (!usable && !same) {
    if (node.fallback >= 0) {
      const Word rule = cell.rule;
      cell = FinishNode(view, static_cast<std::uint32_t>(node.fallback));
      cell.rule = rule;
      return cell;
    }
    return Absent(cell, kNoWeight);
  }
  cell.value =
      same ? tally.low
           : std::clamp(tally.sum.value() / weight, tally.low, tally.high);
  cell.weight = usable ? node.weight : Word();
  cell.how = How::kExact;
  if (node.bound != Bound::kNone) {
    SetBound(cell, node.bound, node.bound == Bound::kUpper ? kMaxima : kMinima);
  } else if (!node.weight_exact && (!same || IsFolded(view))) {
    cell.how = How::kApprox;
    cell.reason = kStandIn;
  }
  if (cell.missing != 0) {
    cell.how = How::kApprox;
    cell.bound = Bound::kNone;
    cell.reason = kSomeMissing;
  }
  return cell;
}

// The sum of an input; nothing if a measurement lacks the input.
std::optional<double> SumOf(const TallyView& view, std::uint32_t input) {
  const NodeTally& tally = view.nodes[input];
  const PlanNode& node = view.plan.nodes()[input];
  const bool product = node.kind == PlanNode::Kind::kMean;
  if (tally.present != view.count || (product && tally.weighted != view.count))
    return std::nullopt;
  ExactSum sum;
  sum.Add(tally.sum.high);
  sum.Add(tally.sum.low);
  return sum.value();
}

Cell FinishFallback(const TallyView& view, const PlanNode& node, Cell cell,
                    Word reason) {
  if (cell.present == 0 || node.fallback < 0) return Absent(cell, reason);
  Cell other = FinishNode(view, static_cast<std::uint32_t>(node.fallback));
  if (other.how == How::kAbsent || other.how == How::kExact) return other;
  other.reason = reason;
  return other;
}

Cell FinishRatio(const TallyView& view, const PlanNode& node,
                 const NodeTally& tally, Cell cell) {
  const auto over = SumOf(view, node.inputs[0]);
  const auto under = SumOf(view, node.inputs[1]);
  if (!over || !under) return FinishFallback(view, node, cell, kRatioInputs);
  cell.how = How::kExact;
  if (*under != 0) {
    cell.value = node.scale * *over / *under;
  } else if (tally.present > 0 && tally.low == tally.high) {
    // All measurements give the same value for 0 / 0.
    cell.value = tally.low;
  } else {
    return Absent(cell, kZeroUnder);
  }
  if (cell.present == 0) {  // the ratio itself was not collected
    cell.present = view.count;
    cell.missing = 0;
  }
  return cell;
}

// The largest possible true value of a combined input.
double Ceiling(const Cell& input) {
  if (input.how == How::kBound && input.bound == Bound::kUpper)
    return input.value;
  return input.has_spread ? std::max(input.high, input.value) : input.value;
}

bool IsCertain(const Cell& input) {
  return input.how == How::kMeasured || input.how == How::kExact;
}

Cell FinishLargest(const TallyView& view, const PlanNode& node, Cell cell) {
  std::vector<Cell> inputs;
  for (const std::uint32_t input : node.inputs) {
    inputs.push_back(FinishNode(view, input));
    if (inputs.back().how == How::kAbsent || inputs.back().missing != 0)
      return FinishFallback(view, node, cell, kLargestInputs);
  }
  if (inputs.empty()) return FinishFallback(view, node, cell, kLargestInputs);
  if (cell.present == 0) {
    cell.present = view.count;
    cell.missing = 0;
  }
  double certain = -std::numeric_limits<double>::infinity();
  for (const Cell& input : inputs) {
    if (IsCertain(input)) certain = std::max(certain, input.value);
  }
  // An uncertain input matters only if it may be the largest.
  cell.how = How::kExact;
  cell.value = certain;
  for (const Cell& input : inputs) {
    if (IsCertain(input) || Ceiling(input) <= certain) continue;
    cell.value = std::max(cell.value, input.value);
    if (input.how <= cell.how) continue;
    cell.how = input.how;
    cell.bound = input.bound;
    cell.weight = input.weight;
    cell.reason = input.reason;
  }
  return cell;
}

// Evaluates a formula on cells; the result is as good as the worst cell used.
Cell FinishFormula(const TallyView& view, const PlanNode& node, Cell cell) {
  cell.present = view.count;
  cell.missing = 0;
  cell.how = How::kExact;
  const Formula& formula = view.plan.formula(node.formula);
  Formula::Used used;
  Formula::Used doubtful;
  bool by_zero = false;
  const auto value = formula.Evaluate(
      [&](std::size_t i) -> std::optional<double> {
        const Cell input = FinishNode(view, node.inputs[i]);
        if (input.how == How::kAbsent || input.is_text) return std::nullopt;
        doubtful.set(i, !IsCertain(input) || input.missing > 0);
        return input.value;
      },
      &used, &by_zero);
  doubtful &= used;
  for (std::size_t i = 0; doubtful.any(); ++i, doubtful >>= 1) {
    if (!doubtful.test(0)) continue;
    const Cell input = FinishNode(view, node.inputs[i]);
    if (!IsCertain(input)) {
      cell.how = How::kApprox;
      cell.weight = input.weight;
      cell.reason = input.reason;
    }
    if (input.missing > cell.missing) {
      cell.missing = input.missing;
      cell.present = input.present;
    }
  }
  if (!value)
    return Absent(cell, by_zero ? Formula::kByZero : Formula::kMissing);
  cell.value = *value;
  return cell;
}

Cell FinishNode(const TallyView& view, std::uint32_t id) {
  const PlanNode& node = view.plan.nodes()[id];
  const NodeTally& tally = view.nodes[id];
  Cell cell;
  cell.rule = node.rule;
  cell.present = tally.present;
  cell.missing = view.count - tally.present;
  if (tally.present == 1 && view.launches == 1) {
    SetValue(cell, node, tally.low);
    cell.how = How::kMeasured;
    return cell;
  }
  const bool is_attribute = node.kind == PlanNode::Kind::kSpread ||
                            node.kind == PlanNode::Kind::kSame;
  if (tally.present > 1 && !node.is_text && (is_attribute || !IsFolded(view))) {
    cell.has_spread = true;
    cell.low = tally.low;
    cell.high = tally.high;
  }
  if (node.distinct >= 0)
    cell.distinct = view.distinct[static_cast<std::size_t>(node.distinct)];
  if (node.kind == PlanNode::Kind::kRatio)
    return FinishRatio(view, node, tally, cell);
  if (node.memo >= 0) {
    std::optional<Cell>& known = view.memo[static_cast<std::size_t>(node.memo)];
    if (!known) {
      const Cell made = node.kind == PlanNode::Kind::kFormula
                            ? FinishFormula(view, node, cell)
                            : FinishLargest(view, node, cell);
      known = made;
    }
    return *known;
  }
  if (tally.present == 0)
    return Absent(cell, node.slot < 0 ? kNotCollected : kNoValue);
  switch (node.kind) {
    case PlanNode::Kind::kSum:
      return FinishSum(node, tally, cell);
    case PlanNode::Kind::kMean:
      return FinishMean(view, node, tally, cell);
    case PlanNode::Kind::kSame:
    case PlanNode::Kind::kSpread:
      if (tally.low != tally.high) return Absent(cell, kDiffers);
      SetValue(cell, node, tally.low);
      cell.how = How::kExact;
      if (cell.missing != 0) {
        cell.how = How::kApprox;
        cell.reason = kSomeMissing;
      }
      return cell;
    default:
      return Absent(cell, node.reason);
  }
}

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
      // As in DurationNs().
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

TallyView Tally::View(const Plan& plan) {
  TallyView view{.plan = plan,
                 .nodes = nodes_,
                 .count = count_,
                 .launches = launches_,
                 .memo = std::vector<std::optional<Cell>>(plan.memo_count())};
  for (DistinctValues& values : distinct_)
    view.distinct.push_back(static_cast<std::uint32_t>(values.count()));
  return view;
}

Cell Tally::CellOf(const Plan& plan, std::uint32_t node) {
  return FinishNode(View(plan), node);
}

Amounts Tally::Finish(const Plan& plan) {
  const TallyView view = View(plan);
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
