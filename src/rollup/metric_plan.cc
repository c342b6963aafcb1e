#include "rollup/metric_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rangefinder {
namespace {

constexpr std::string_view kBreakdown = "breakdown:";

// The depth to which inputs of metrics are followed; a damaged file may have
// loops.
constexpr int kMaxInputDepth = 64;

// Marks a metric whose node is being made; it cannot be its own input.
constexpr std::int64_t kInProgress = -1;

// Metrics that counter samples have.
std::vector<MetricId> SampledMetrics(const Profile& profile) {
  std::vector<MetricId> metrics;
  for (const CounterSamples& samples : profile.counter_samples) {
    for (const StringId name : samples.metrics) {
      if (const auto metric = profile.FindMetric(profile.Name(name)))
        metrics.push_back(*metric);
    }
  }
  return metrics;
}

// The kind of each metric, by its first value.
std::vector<ValueKind> FindKinds(const Profile& profile) {
  std::vector<ValueKind> kinds(profile.metrics.size(), ValueKind::kAbsent);
  for (const Sample& sample : profile.samples) {
    ValueKind& kind = kinds[Index(sample.metric)];
    if (kind == ValueKind::kAbsent) kind = sample.kind;
  }
  for (const MetricId metric : SampledMetrics(profile)) {
    ValueKind& kind = kinds[Index(metric)];
    if (kind == ValueKind::kAbsent) kind = ValueKind::kNumber;
  }
  return kinds;
}

// Metrics with a value or with instances in some measurement.
std::vector<std::string> FindMeasured(const Profile& profile) {
  std::vector<bool> measured(profile.metrics.size());
  for (const Sample& sample : profile.samples)
    measured[Index(sample.metric)] = true;
  for (const Measurement& m : profile.measurements) {
    for (const InstanceRef& ref : m.instances)
      measured[Index(ref.metric)] = true;
  }
  for (const MetricId metric : SampledMetrics(profile))
    measured[Index(metric)] = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const std::string_view name = profile.MetricName(static_cast<MetricId>(i));
    if (measured[i] && !name.starts_with(kBreakdown)) names.emplace_back(name);
  }
  return names;
}

// Whether a run with counter samples knows the metric from another source than
// samples: the time of kernels, the peaks of devices.
bool IsKnownOfSampledRuns(const Profile& profile, std::string_view metric) {
  if (profile.counter_samples.empty()) return false;
  if (metric == kTimeWeight) return true;
  if (!metric.starts_with("device__attribute_")) return false;
  return std::ranges::any_of(profile.devices, [&](const Device& device) {
    return std::ranges::any_of(device.attributes, [&](const auto& attribute) {
      return profile.Name(attribute.first) == metric;
    });
  });
}

}  // namespace

Plan::Plan(const Profile& profile, const RollupOptions& options)
    : profile_(profile),
      book_(profile, options.rules),
      derived_(options.derived),
      kinds_(FindKinds(profile)),
      slot_of_metric_(profile.metrics.size(), -1) {
  std::vector<std::string> names = options.metrics;
  if (names.empty()) {
    names = FindMeasured(profile);
    for (const DerivedMetric& metric : derived_) {
      if (CanCompute(metric)) names.push_back(metric.name);
    }
  }
  columns_.reserve(names.size());
  for (const std::string& name : names) {
    const DerivedMetric* derived = FindDerived(name);
    columns_.push_back(
        {.metric = profile.FindMetric(name).value_or(kNoMetric),
         .name = name,
         .unit = derived != nullptr ? derived->unit : book_.Unit(name)});
    node_of_column_.push_back(NodeFor(name));
  }
}

std::uint32_t Plan::NodeFor(const std::string& metric) {
  const auto [at, is_new] = node_of_metric_.try_emplace(metric, kInProgress);
  if (!is_new && at->second != kInProgress)
    return static_cast<std::uint32_t>(at->second);
  // A metric that needs itself uses its fallback.
  const bool usable = is_new && depth_ < kMaxInputDepth;
  const DerivedMetric* derived = usable ? FindDerived(metric) : nullptr;
  ++depth_;
  const std::uint32_t node =
      derived != nullptr
          ? AddFormula(*derived)
          : AddNode(metric,
                    usable ? book_.For(metric) : Rule(book_.Fallback(metric)));
  --depth_;
  node_of_metric_[metric] = node;
  return node;
}

const DerivedMetric* Plan::FindDerived(std::string_view name) const {
  const auto at = std::ranges::find(derived_, name, &DerivedMetric::name);
  return at == derived_.end() ? nullptr : &*at;
}

// Whether the measured metrics suffice: if each of them has a number, the
// formula has a value or divides by 0.
bool Plan::CanCompute(const DerivedMetric& metric) {
  // Until its value is known, a metric counts as missing, so that it cannot
  // need itself.
  const auto [known, is_new] = computable_.try_emplace(metric.name, false);
  if (!is_new) return known->second;
  const Result<Formula> formula = Formula::Parse(metric.formula);
  if (!formula.ok()) return false;
  const std::vector<std::string>& names = formula.value().metrics();
  const auto number = [&](std::size_t i) -> std::optional<double> {
    // Unrelated numbers, so that no divisor is 0 by chance.
    const double some = std::sqrt(2 + static_cast<double>(i));
    if (const DerivedMetric* inner = FindDerived(names[i]))
      return CanCompute(*inner) ? std::optional(some) : std::nullopt;
    if (IsKnownOfSampledRuns(profile_, names[i])) return some;
    const auto id = profile_.FindMetric(names[i]);
    if (!id || kinds_[Index(*id)] == ValueKind::kAbsent) return std::nullopt;
    return some;
  };
  bool by_zero = false;
  const auto value = formula.value().Evaluate(number, nullptr, &by_zero);
  return computable_[metric.name] = value || by_zero;
}

std::uint32_t Plan::AddFormula(const DerivedMetric& metric) {
  PlanNode node{.kind = PlanNode::Kind::kFormula, .rule = "formula"};
  Result<Formula> formula = Formula::Parse(metric.formula);
  if (!formula.ok()) {
    node.kind = PlanNode::Kind::kNone;
    node.reason = "its formula cannot be read";
    return Add(std::move(node));
  }
  for (const std::string& name : formula.value().metrics())
    node.inputs.push_back(NodeFor(name));
  node.formula = static_cast<std::int32_t>(formulas_.size());
  formulas_.push_back(std::move(formula).value());
  return Add(std::move(node));
}

std::uint32_t Plan::Add(PlanNode node) {
  if (node.kind == PlanNode::Kind::kLargest ||
      node.kind == PlanNode::Kind::kFormula)
    node.memo = static_cast<std::int32_t>(memo_count_++);
  nodes_.push_back(std::move(node));
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

PlanNode Plan::NewNode(const std::string& metric, const Rule& rule) {
  PlanNode node;
  node.rule = RuleName(rule);
  node.slot = SlotFor(metric);
  if (const auto id = profile_.FindMetric(metric)) {
    node.is_text = kinds_[Index(*id)] == ValueKind::kText;
    // Names of a profile end with NUL, since StringPool keeps strings.
    node.source = profile_.MetricName(*id).data();
  }
  return node;
}

std::uint32_t Plan::AddNode(const std::string& metric, const Rule& rule) {
  PlanNode node = NewNode(metric, rule);
  if (node.is_text && !std::holds_alternative<SpreadRule>(rule)) {
    node.kind = PlanNode::Kind::kSame;
    node.rule = RuleName(SameRule{});
  } else if (const auto* sum = std::get_if<SumRule>(&rule)) {
    node.kind = PlanNode::Kind::kSum;
    node.bound = sum->bound;
    node.sampled = sum->sampled;
  } else if (const auto* mean = std::get_if<MeanRule>(&rule)) {
    return AddMean(metric, *mean);
  } else if (const auto* ratio = std::get_if<RatioRule>(&rule)) {
    node.kind = PlanNode::Kind::kRatio;
    node.scale = ratio->scale;
    node.inputs = {AddSource(ratio->over), AddSource(ratio->under)};
    node.fallback =
        static_cast<std::int32_t>(AddMean(metric, book_.Fallback(metric)));
  } else if (const auto* largest = std::get_if<LargestRule>(&rule)) {
    node.kind = PlanNode::Kind::kLargest;
    node.bound = largest->bound;
    for (const std::string& input : largest->inputs)
      node.inputs.push_back(NodeFor(input));
    // A mean of maxima is at least the maximum of the means. A mean of minima
    // over instances is no bound.
    MeanRule fallback = book_.Fallback(metric);
    fallback.time_is_exact = false;
    for (MeanRule::Weight& weight : fallback.weights) weight.exact = false;
    fallback.bound =
        fallback.bound == Bound::kLower ? Bound::kNone : Bound::kUpper;
    node.fallback = static_cast<std::int32_t>(AddMean(metric, fallback));
  } else if (std::holds_alternative<SameRule>(rule)) {
    node.kind = PlanNode::Kind::kSame;
  } else if (std::holds_alternative<SpreadRule>(rule)) {
    node.kind = PlanNode::Kind::kSpread;
    node.distinct = static_cast<std::int32_t>(distinct_count_++);
  } else {
    node.reason = std::get<NoRule>(rule).reason;
  }
  return Add(std::move(node));
}

std::uint32_t Plan::AddMean(const std::string& metric, const MeanRule& rule) {
  PlanNode node = NewNode(metric, rule);
  for (const MeanRule::Weight& weight : rule.weights) {
    const auto id = profile_.FindMetric(weight.source.metric);
    if (!id) continue;
    node.kind = PlanNode::Kind::kMean;
    node.bound = rule.bound;
    node.weight_exact = weight.exact;
    node.weight_slot = SlotFor(weight.source.metric);
    if (!weight.source.times.empty())
      node.weight_times = SlotFor(weight.source.times);
    node.weight = profile_.MetricName(*id).data();
    node.fallback =
        static_cast<std::int32_t>(AddTimeMean(node.slot, false, rule.bound));
    return Add(std::move(node));
  }
  return AddTimeMean(node.slot, rule.time_is_exact, rule.bound);
}

std::uint32_t Plan::AddTimeMean(std::int32_t slot, bool exact, Bound bound) {
  PlanNode node;
  node.kind = PlanNode::Kind::kMean;
  node.rule = RuleName(MeanRule{});
  node.slot = slot;
  node.bound = bound;
  node.weight_exact = exact;
  node.weight_slot = kTimeSlot;
  node.weight = kTimeWeight.data();
  return Add(std::move(node));
}

// A node whose sum is the sum of the source; for a product, the undivided mean.
std::uint32_t Plan::AddSource(const MetricSource& source) {
  if (source.times.empty()) {
    PlanNode node = NewNode(source.metric, SumRule{});
    node.kind = PlanNode::Kind::kSum;
    return Add(std::move(node));
  }
  PlanNode node = NewNode(source.metric, MeanRule{});
  node.kind = PlanNode::Kind::kMean;
  node.weight_slot = SlotFor(source.times);
  return Add(std::move(node));
}

std::int32_t Plan::SlotFor(std::string_view metric) {
  if (metric == kTimeWeight && !profile_.FindMetric(metric)) return kTimeSlot;
  const auto id = profile_.FindMetric(metric);
  if (!id) return -1;
  std::int32_t& slot = slot_of_metric_[Index(*id)];
  if (slot < 0) slot = static_cast<std::int32_t>(slot_count_++);
  return slot;
}

}  // namespace rangefinder
