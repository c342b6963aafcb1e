#include "ingest/ncu/ncu_metrics.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace rangefinder {
namespace {

using ncu::Bytes;
using ncu::Each;
using ncu::Into;
using ncu::ReadFields;
using ncu::Unread;

constexpr MetricId kUnknownMetric{0xFFFFFFFF};
constexpr std::string_view kBreakdown = "breakdown:";

// A correlation id: an integer, or in older reports a floating-point number.
std::uint64_t InstanceKey(Value value) {
  if (value.kind == ValueKind::kInteger) return value.bits;
  const double key = value.number().value_or(0);
  return key >= 0 && key < 0x1p64 ? static_cast<std::uint64_t>(key) : 0;
}

}  // namespace

void NcuMetrics::Read(std::string_view message, Measurement& m) {
  std::uint32_t name_id = 0;
  Value value;
  std::size_t instances = 0;
  std::string_view rest;  // from the first instance on
  using enum ncu::MetricResult;
  ReadFields(message, Into(kNameId, name_id),
             Each(kValue, [&](Bytes bytes) { value = ReadValue(bytes); }),
             Each(kInstance,
                  [&](Bytes instance) {
                    const std::size_t at = static_cast<std::size_t>(
                        instance.data() - message.data());
                    if (instances++ == 0) rest = message.substr(at);
                  }),
             Unread{[&](ncu::Tag field) {
               if (field != ncu::kMetricCategory)
                 place_.NoteUnknown("metric", field);
             }});
  if (name_id >= strings_.size()) {
    place_.notes.Add(Severity::kDataLoss, "unnamed_metric",
                     "a metric's name is not in the file's string table",
                     place_.where);
    return;
  }
  const std::string_view name = profile_.strings[strings_[name_id]];
  if (name.starts_with(kBreakdown)) {
    if (const auto inputs = value.text())
      ReadBreakdown(name.substr(kBreakdown.size()), profile_.strings[*inputs]);
    return;
  }
  const MetricId metric = MetricOf(name_id, name);
  Keep(metric, value, m);
  if (instances == 0) return;
  const std::uint32_t list = ListOf(message, rest, instances);
  m.instances.push_back({.metric = metric, .list = list});
}

void NcuMetrics::EndResult(const Measurement& m) {
  for (std::size_t i = m.first_sample; i < profile_.samples.size(); ++i)
    sample_at_[Index(profile_.samples[i].metric)] = 0;
}

MetricId NcuMetrics::MetricOf(std::uint32_t name_id, std::string_view name) {
  // Grown here, since reading a damaged string table ends early.
  if (metric_of_.size() < strings_.size())
    metric_of_.resize(strings_.size(), kUnknownMetric);
  MetricId& metric = metric_of_[name_id];
  if (metric == kUnknownMetric) metric = profile_.InternMetric(name);
  return metric;
}

void NcuMetrics::Keep(MetricId metric, Value value, Measurement& m) {
  if (sample_at_.size() <= Index(metric)) sample_at_.resize(Index(metric) + 1);
  std::uint32_t& at = sample_at_[Index(metric)];
  const Sample sample{.metric = metric, .kind = value.kind, .bits = value.bits};
  // app-range repeats some metrics in each pass: the last value counts.
  if (at != 0) {
    profile_.samples[m.first_sample + at - 1] = sample;
    std::erase_if(m.instances,
                  [&](const InstanceRef& ref) { return ref.metric == metric; });
  } else {
    profile_.samples.push_back(sample);
    at = static_cast<std::uint32_t>(profile_.samples.size() - m.first_sample);
  }
}

void NcuMetrics::ReadBreakdown(std::string_view metric,
                               std::string_view inputs) {
  const MetricId throughput = profile_.InternMetric(metric);
  if (!profile_.metrics[Index(throughput)].breakdown.empty()) return;
  for (const std::string& input : Split(inputs, ',')) {
    if (Trim(input).empty()) continue;
    const MetricId id = profile_.InternMetric(Trim(input));
    profile_.metrics[Index(throughput)].breakdown.push_back(id);
  }
}

// The list of a metric's `count` instances. Equal lists are decoded once. Their
// key is their bytes from the first instance's content on.
std::uint32_t NcuMetrics::ListOf(std::string_view message,
                                 std::string_view instances,
                                 std::size_t count) {
  if (const auto known = lists_known_.find(instances);
      known != lists_known_.end())
    return known->second;
  std::vector<Instance> list;
  list.reserve(count);
  ReadFields(message, Each(ncu::MetricResult::kInstance, [&](Bytes instance) {
               list.push_back(ReadInstance(instance));
             }));
  // Stored only now, so that no later result shares a damaged list.
  const auto id = static_cast<std::uint32_t>(profile_.instance_lists.size());
  profile_.instance_lists.push_back(std::move(list));
  lists_known_.emplace(instances, id);
  return id;
}

Instance NcuMetrics::ReadInstance(std::string_view message) const {
  Instance instance;
  using enum ncu::MetricInstance;
  ReadFields(
      message,
      Each(kCorrelationId,
           [&](Bytes key) { instance.key = InstanceKey(ReadValue(key)); }),
      Into(kCorrelationId, instance.key),
      Each(kValue, [&](Bytes value) { instance.value = ReadValue(value); }));
  return instance;
}

}  // namespace rangefinder
