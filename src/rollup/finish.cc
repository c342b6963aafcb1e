// From sums to a value: the arithmetic of every rule, and the honest word for
// how exact it is.

#include <algorithm>

#include "rollup/tally.h"

namespace rangefinder {
namespace {

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
constexpr const char* kFormulaInputs = "inputs of the formula are missing";
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

// Some measurements stand for several launches, whose values they are sums or
// means of: they say nothing of how single launches differ.
bool IsFolded(const TallyView& view) {
  return view.launches != view.count;
}

// All measurements had the same value, text or number.
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
  // What was counted is not more than what there is.
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

// sum(factor * value) of inputs that every measurement has.
std::optional<double> SumOf(const TallyView& view,
                            std::span<const PlanNode::Term> terms) {
  ExactSum sum;
  for (const PlanNode::Term& term : terms) {
    const NodeTally& tally = view.nodes[term.node];
    const PlanNode& node = view.plan.nodes()[term.node];
    const bool product = node.kind == PlanNode::Kind::kMean;
    if (tally.present != view.count ||
        (product && tally.weighted != view.count))
      return std::nullopt;
    sum.Add(term.factor * tally.sum.high);
    sum.Add(term.factor * tally.sum.low);
  }
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
  const auto over = SumOf(view, node.over);
  const auto under = SumOf(view, node.under);
  if (!over || !under || node.under.empty())
    return FinishFallback(view, node, cell, kRatioInputs);
  cell.how = How::kExact;
  if (*under != 0) {
    cell.value = node.scale * *over / *under;
  } else if (tally.present > 0 && tally.low == tally.high) {
    // What one measurement makes of 0 / 0, another makes of it as well.
    cell.value = tally.low;
  } else {
    return Absent(cell, kZeroUnder);
  }
  if (cell.present == 0) {  // not collected itself, and not needed
    cell.present = view.count;
    cell.missing = 0;
  }
  return cell;
}

// The most that a combined input can truly be.
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
  for (const PlanNode::Term& term : node.under) {
    inputs.push_back(FinishNode(view, term.node));
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
  // An input that is not certain does not matter where it cannot be the
  // largest.
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

// The formula on what its metrics amount to; as good as the worst that it uses.
Cell FinishFormula(const TallyView& view, const PlanNode& node, Cell cell) {
  cell.present = view.count;
  cell.missing = 0;
  cell.how = How::kExact;
  const Formula& formula = view.plan.formula(node.formula);
  Formula::Used used;
  Formula::Used doubtful;
  const auto value = formula.Evaluate(
      [&](std::size_t i) -> std::optional<double> {
        const Cell input = FinishNode(view, node.under[i].node);
        if (input.how == How::kAbsent || input.is_text) return std::nullopt;
        doubtful.set(i, !IsCertain(input) || input.missing > 0);
        return input.value;
      },
      &used);
  doubtful &= used;
  for (std::size_t i = 0; doubtful.any(); ++i, doubtful >>= 1) {
    if (!doubtful.test(0)) continue;
    const Cell input = FinishNode(view, node.under[i].node);
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
  if (!value) return Absent(cell, kFormulaInputs);
  cell.value = *value;
  return cell;
}

}  // namespace

std::string_view HowName(How how) {
  switch (how) {
    case How::kMeasured:
      return "measured";
    case How::kExact:
      return "exact";
    case How::kEstimated:
      return "estimated";
    case How::kApprox:
      return "approx";
    case How::kBound:
      return "bound";
    case How::kAbsent:
      return "absent";
  }
  return "absent";
}

std::string_view BoundName(Bound bound) {
  switch (bound) {
    case Bound::kNone:
      return "";
    case Bound::kUpper:
      return "upper";
    case Bound::kLower:
      return "lower";
  }
  return "";
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

}  // namespace rangefinder
