#include "rollup/plan.h"

#include <string>

namespace rangefinder {
namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";
constexpr std::string_view kBreakdown = "breakdown:";

// Marks a metric whose node is being made: it cannot be its own input.
constexpr std::int64_t kInProgress = -1;

// What each metric holds: the kind of its first value counts.
std::vector<ValueKind> FindKinds(const Profile& profile) {
  std::vector<ValueKind> kinds(profile.metrics.size(), ValueKind::kAbsent);
  for (const Sample& sample : profile.samples) {
    ValueKind& kind = kinds[Index(sample.metric)];
    if (kind == ValueKind::kAbsent) kind = sample.kind;
  }
  return kinds;
}

// Metrics that something has: a value, or instances without one.
std::vector<std::string> FindMeasured(const Profile& profile) {
  std::vector<bool> measured(profile.metrics.size());
  for (const Sample& sample : profile.samples)
    measured[Index(sample.metric)] = true;
  for (const Measurement& m : profile.measurements) {
    for (const InstanceRef& ref : m.instances)
      measured[Index(ref.metric)] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const std::string_view name = profile.MetricName(static_cast<MetricId>(i));
    if (measured[i] && !name.starts_with(kBreakdown)) names.emplace_back(name);
  }
  return names;
}

}  // namespace

Plan::Plan(const Profile& profile, const RollupOptions& options)
    : profile_(profile),
      kinds_(FindKinds(profile)),
      slot_of_metric_(profile.metrics.size(), -1) {
  const std::vector<std::string> names =
      options.metrics.empty() ? FindMeasured(profile) : options.metrics;
  columns_.reserve(names.size());
  for (const std::string& name : names) {
    columns_.push_back(
        {.metric = profile.FindMetric(name).value_or(kNoMetric), .name = name});
    node_of_column_.push_back(NodeFor(name));
  }
}

std::uint32_t Plan::NodeFor(const std::string& metric) {
  const auto [at, is_new] = node_of_metric_.try_emplace(metric, kInProgress);
  if (!is_new && at->second != kInProgress)
    return static_cast<std::uint32_t>(at->second);
  // A metric that needs itself is left to its fallback.
  const Rule rule = is_new ? RuleFromName(metric) : Rule(MeanFromName(metric));
  const std::uint32_t node = AddNode(metric, rule);
  node_of_metric_[metric] = node;
  return node;
}

Node Plan::NewNode(const std::string& metric, const Rule& rule) {
  Node node;
  node.rule = RuleName(rule);
  node.slot = SlotFor(metric);
  if (const auto id = profile_.FindMetric(metric))
    node.is_text = kinds_[Index(*id)] == ValueKind::kText;
  return node;
}

std::uint32_t Plan::AddNode(const std::string& metric, const Rule& rule) {
  Node node = NewNode(metric, rule);
  if (node.is_text && !std::holds_alternative<SpreadRule>(rule)) {
    node.kind = Node::Kind::kSame;
    node.rule = RuleName(SameRule{});
  } else if (const auto* sum = std::get_if<SumRule>(&rule)) {
    node.kind = Node::Kind::kSum;
    node.bound = sum->bound;
  } else if (const auto* mean = std::get_if<MeanRule>(&rule)) {
    return AddMean(metric, *mean);
  } else if (const auto* ratio = std::get_if<RatioRule>(&rule)) {
    node.kind = Node::Kind::kRatio;
    node.scale = ratio->scale;
    for (const auto& term : ratio->over)
      node.over.push_back({term.factor, NodeFor(term.metric)});
    for (const auto& term : ratio->under)
      node.under.push_back({term.factor, NodeFor(term.metric)});
    node.fallback =
        static_cast<std::int32_t>(AddMean(metric, MeanFromName(metric)));
  } else if (const auto* largest = std::get_if<LargestRule>(&rule)) {
    node.kind = Node::Kind::kLargest;
    node.bound = largest->bound;
    std::vector<std::string> inputs = largest->inputs;
    if (const auto id = profile_.FindMetric(metric); id && inputs.empty()) {
      for (const MetricId input : profile_.metrics[Index(*id)].breakdown)
        inputs.emplace_back(profile_.MetricName(input));
    }
    for (const std::string& input : inputs)
      node.under.push_back({1, NodeFor(input)});
    // A mean of maxima is at least the maximum of the means.
    MeanRule fallback = MeanFromName(metric);
    if (fallback.bound == Bound::kNone) fallback.bound = Bound::kUpper;
    node.fallback = static_cast<std::int32_t>(AddMean(metric, fallback));
  } else if (std::holds_alternative<SameRule>(rule)) {
    node.kind = Node::Kind::kSame;
  } else if (std::holds_alternative<SpreadRule>(rule)) {
    node.kind = Node::Kind::kSpread;
    node.distinct = static_cast<std::int32_t>(distinct_count_++);
  } else {
    node.reason = std::get<NoRule>(rule).reason;
  }
  nodes_.push_back(std::move(node));
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Plan::AddMean(const std::string& metric, const MeanRule& rule) {
  Node node = NewNode(metric, rule);
  for (const MeanRule::Weight& weight : rule.weights) {
    const auto id = profile_.FindMetric(weight.metric);
    if (!id) continue;
    node.kind = Node::Kind::kMean;
    node.bound = rule.bound;
    node.weight_exact = weight.exact;
    node.weight_slot = SlotFor(weight.metric);
    // Names of the profile end in a NUL, being kept as strings.
    node.weight = profile_.MetricName(*id).data();
    node.fallback =
        static_cast<std::int32_t>(AddTimeMean(node.slot, false, rule.bound));
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  return AddTimeMean(node.slot, rule.time_is_exact, rule.bound);
}

std::uint32_t Plan::AddTimeMean(std::int32_t slot, bool exact, Bound bound) {
  Node node;
  node.kind = Node::Kind::kMean;
  node.rule = RuleName(MeanRule{});
  node.slot = slot;
  node.bound = bound;
  node.weight_exact = exact;
  node.weight_slot = kTimeSlot;
  node.weight = kDuration.data();
  nodes_.push_back(std::move(node));
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::int32_t Plan::SlotFor(std::string_view metric) {
  const auto id = profile_.FindMetric(metric);
  if (!id) return -1;
  std::int32_t& slot = slot_of_metric_[Index(*id)];
  if (slot < 0) slot = static_cast<std::int32_t>(slot_count_++);
  return slot;
}

}  // namespace rangefinder
