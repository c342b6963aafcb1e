#include "analysis/summary_metrics.h"

#include <algorithm>
#include <cmath>

#include "rollup/rule.h"

namespace rangefinder {
namespace {

// What the profiler itself did, which differs from launch to launch.
constexpr std::string_view kOfTheProfiler = "profiler__";
constexpr std::string_view kBreakdown = "breakdown:";

SummaryMetric& EntryOf(SummaryRow& row, const SummaryMetric& wanted) {
  const auto at = std::ranges::find_if(row.metrics, [&](const auto& known) {
    return known.metric == wanted.metric && known.folding == wanted.folding &&
           known.weight == wanted.weight && known.times == wanted.times;
  });
  if (at != row.metrics.end()) return *at;
  row.metrics.push_back(wanted);
  return row.metrics.back();
}

void See(SummaryMetric& metric, double value) {
  value += 0.0;  // there is one zero
  metric.low = metric.present == 0 ? value : std::min(metric.low, value);
  metric.high = metric.present == 0 ? value : std::max(metric.high, value);
  ++metric.present;
}

}  // namespace

TextIndex SummaryTexts::Of(std::string_view text) {
  const auto [at, is_new] = known_.try_emplace(
      std::string(text), static_cast<TextIndex>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

SummaryMetrics::SummaryMetrics(const Profile& profile,
                               const std::vector<UserRule>& rules,
                               SummaryTexts& texts)
    : profile_(profile), texts_(texts), foldings_(profile.metrics.size()) {
  using Kind = MetricFolding::Kind;
  const RuleBook book(profile, rules);
  std::vector<bool> is_text(profile.metrics.size());
  for (const Sample& sample : profile.samples) {
    if (sample.kind == ValueKind::kText) is_text[Index(sample.metric)] = true;
  }
  for (std::size_t i = 0; i < foldings_.size(); ++i) {
    MetricFolding& folding = foldings_[i];
    const std::string name(profile.MetricName(static_cast<MetricId>(i)));
    folding.name = texts_.Of(name);
    if (name.starts_with(kOfTheProfiler)) continue;
    const Rule rule = book.For(name);
    if (is_text[i] || std::holds_alternative<SameRule>(rule) ||
        std::holds_alternative<SpreadRule>(rule)) {
      folding.kind = Kind::kAttribute;
    } else if (std::holds_alternative<SumRule>(rule)) {
      folding.kind = Kind::kSum;
    } else if (const auto* mean = std::get_if<MeanRule>(&rule)) {
      SetMean(*mean, folding);
    } else if (!std::holds_alternative<NoRule>(rule)) {
      SetMean(book.Fallback(name), folding);
    }
  }
}

void SummaryMetrics::SetMean(const MeanRule& rule, MetricFolding& folding) {
  folding.kind = MetricFolding::Kind::kMean;
  folding.weight = WeightOf(kTimeWeight);
  for (const MeanRule::Weight& weight : rule.weights) {
    if (!profile_.FindMetric(weight.source.metric)) continue;
    folding.weight = WeightOf(weight.source.metric);
    if (!weight.source.times.empty())
      folding.times = WeightOf(weight.source.times);
    return;
  }
}

MetricFolding::Weight SummaryMetrics::WeightOf(std::string_view name) {
  MetricFolding::Weight weight{.name = texts_.Of(name)};
  if (name != kTimeWeight) weight.metric = profile_.FindMetric(name);
  return weight;
}

std::size_t SummaryMetrics::without() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < foldings_.size(); ++i) {
    const std::string_view name = profile_.MetricName(static_cast<MetricId>(i));
    count += foldings_[i].kind == MetricFolding::Kind::kNone &&
             !name.starts_with(kBreakdown);
  }
  return count;
}

std::vector<SummaryValue> SummaryMetrics::AttributesOf(const Measurement& m) {
  std::vector<SummaryValue> values;
  for (const Sample& sample : profile_.SamplesOf(m)) {
    const MetricFolding& folding = foldings_[Index(sample.metric)];
    if (folding.kind != MetricFolding::Kind::kAttribute) continue;
    SummaryValue value{
        .metric = folding.name, .kind = sample.kind, .bits = sample.bits};
    if (const auto text = sample.value().text())
      value.bits = texts_.Of(profile_.Name(*text));
    values.push_back(value);
  }
  // Some files repeat a metric; the last one counts.
  std::ranges::stable_sort(values, {}, &SummaryValue::metric);
  std::vector<SummaryValue> last;
  for (const SummaryValue& value : values) {
    if (!last.empty() && last.back().metric == value.metric)
      last.back() = value;
    else
      last.push_back(value);
  }
  return last;
}

std::optional<double> SummaryMetrics::Find(
    std::span<const Sample> samples,
    const MetricFolding::Weight& weight) const {
  if (!weight.metric) return duration_;
  for (std::size_t i = samples.size(); i-- > 0;) {
    if (samples[i].metric != *weight.metric) continue;
    const auto number = samples[i].value().number();
    return number && std::isfinite(*number) ? number : std::nullopt;
  }
  return std::nullopt;
}

void SummaryMetrics::AddMean(SummaryRow& row, std::span<const Sample> samples,
                             const MetricFolding& folding, double value) {
  SummaryMetric entry{.metric = folding.name, .folding = Folding::kMean};
  auto weight = Find(samples, folding.weight);
  if (weight && folding.times) {
    const auto times = Find(samples, *folding.times);
    weight = times ? std::optional(*weight * *times) : std::nullopt;
    entry.times = folding.times->name;
  }
  entry.weight = folding.weight.name;
  if (!weight || !std::isfinite(*weight)) {
    if (!duration_) return;
    weight = duration_;
    entry.weight = texts_.Of(kTimeWeight);
    entry.times = 0;
  }
  SummaryMetric& metric = EntryOf(row, entry);
  See(metric, value);
  metric.sum.AddProduct(value, *weight);
  metric.weights.Add(*weight);
}

void SummaryMetrics::AddTo(SummaryRow& row, const Measurement& m) {
  duration_ = DurationNs(profile_, m);
  const std::span<const Sample> samples = profile_.SamplesOf(m);
  const bool whole = m.kind == MeasurementKind::kRange;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const MetricFolding& folding = foldings_[Index(samples[i].metric)];
    const auto value = samples[i].value().number();
    if (folding.kind == MetricFolding::Kind::kNone ||
        folding.kind == MetricFolding::Kind::kAttribute || !value ||
        !std::isfinite(*value))
      continue;
    const bool again =
        std::ranges::find(samples.subspan(i + 1), samples[i].metric,
                          &Sample::metric) != samples.end();
    if (again) continue;
    if (whole) {
      // Ranges are not added up: of several the mean is kept.
      const auto instances =
          static_cast<double>(std::max<std::uint64_t>(m.counted, 1));
      SummaryMetric& metric =
          EntryOf(row, {.metric = folding.name, .folding = Folding::kMean});
      See(metric, *value);
      metric.sum.AddProduct(*value, instances);
      metric.weights.Add(instances);
    } else if (folding.kind == MetricFolding::Kind::kSum) {
      SummaryMetric& metric = EntryOf(row, {.metric = folding.name});
      See(metric, *value);
      metric.sum.Add(*value);
    } else {
      AddMean(row, samples, folding, *value);
    }
  }
}

}  // namespace rangefinder
