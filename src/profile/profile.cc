#include "profile/profile.h"

#include <bit>

namespace rangefinder {

Value Value::Number(double number) {
  return {ValueKind::kNumber, std::bit_cast<std::uint64_t>(number)};
}

Value Value::Integer(std::uint64_t integer) {
  return {ValueKind::kInteger, integer};
}

Value Value::Text(StringId text) {
  return {ValueKind::kText, static_cast<std::uint64_t>(text)};
}

std::optional<double> Value::number() const {
  if (kind == ValueKind::kNumber) return std::bit_cast<double>(bits);
  if (kind == ValueKind::kInteger) return static_cast<double>(bits);
  return std::nullopt;
}

std::optional<StringId> Value::text() const {
  if (kind != ValueKind::kText) return std::nullopt;
  return static_cast<StringId>(bits);
}

std::string_view KindName(MeasurementKind kind) {
  switch (kind) {
    case MeasurementKind::kKernel:
      return "kernel";
    case MeasurementKind::kGraph:
      return "graph";
    case MeasurementKind::kCommandList:
      return "cmdlist";
    case MeasurementKind::kRange:
      return "range";
  }
  return "kernel";
}

std::string_view ModeName(ReplayMode mode) {
  switch (mode) {
    case ReplayMode::kUnknown:
      return "unknown";
    case ReplayMode::kKernel:
      return "kernel";
    case ReplayMode::kApplication:
      return "application";
    case ReplayMode::kRange:
      return "range";
    case ReplayMode::kAppRange:
      return "app-range";
    case ReplayMode::kTrace:
      return "trace";
    case ReplayMode::kCounters:
      return "counters";
  }
  return "unknown";
}

MetricId Profile::InternMetric(std::string_view name) {
  const StringId string = strings.Intern(name);
  if (Index(string) >= metric_by_string_.size())
    metric_by_string_.resize(Index(string) + 1);
  std::uint32_t& entry = metric_by_string_[Index(string)];
  if (entry == 0) {
    metrics.push_back({.name = string});
    entry = static_cast<std::uint32_t>(metrics.size());
  }
  return static_cast<MetricId>(entry - 1);
}

std::optional<MetricId> Profile::FindMetric(std::string_view name) const {
  const std::optional<StringId> string = strings.Find(name);
  if (!string || Index(*string) >= metric_by_string_.size())
    return std::nullopt;
  const std::uint32_t entry = metric_by_string_[Index(*string)];
  if (entry == 0) return std::nullopt;
  return static_cast<MetricId>(entry - 1);
}

Value Profile::ValueOf(const Measurement& m, MetricId metric) const {
  const std::span<const Sample> all = SamplesOf(m);
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].metric == metric) return all[i].value();
  }
  return {};
}

std::optional<double> DurationNs(const Profile& profile, const Measurement& m) {
  if (const auto metric = profile.FindMetric("gpu__time_duration.sum")) {
    if (const auto ns = profile.ValueOf(m, *metric).number()) return ns;
  }
  if (m.end_ns > m.start_ns) return static_cast<double>(m.end_ns - m.start_ns);
  return std::nullopt;
}

namespace {

// Rewrites the ids of one profile into those of another.
class Renumbering {
 public:
  Renumbering(Profile& to, const Profile& from) : to_(to) {
    strings_.reserve(from.strings.size());
    for (std::size_t i = 0; i < from.strings.size(); ++i)
      strings_.push_back(
          to.strings.Intern(from.strings[static_cast<StringId>(i)]));
    metrics_.reserve(from.metrics.size());
    for (const MetricDefinition& metric : from.metrics)
      metrics_.push_back(to.InternMetric(from.Name(metric.name)));
  }

  StringId operator()(StringId id) const { return strings_[Index(id)]; }
  MetricId operator()(MetricId id) const { return metrics_[Index(id)]; }
  Value operator()(Value value) const {
    if (const auto text = value.text()) return Value::Text((*this)(*text));
    return value;
  }
  NvtxRange operator()(NvtxRange range) const {
    range.name = (*this)(range.name);
    range.payload = (*this)(range.payload);
    return range;
  }

  Profile& to() const { return to_; }

 private:
  Profile& to_;
  std::vector<StringId> strings_;
  std::vector<MetricId> metrics_;
};

void AppendNvtxStates(const Renumbering& id, const Profile& from) {
  for (NvtxState state : from.nvtx_states) {
    for (NvtxDomain& domain : state.domains) domain.name = id(domain.name);
    for (NvtxStack& stack : state.stacks) {
      for (NvtxRange& range : stack.ranges) range = id(range);
    }
    for (NvtxStartEnd& open : state.start_end) open.range = id(open.range);
    id.to().nvtx_states.push_back(std::move(state));
  }
}

void AppendSections(const Renumbering& id, const Profile& from) {
  for (Section section : from.sections) {
    section.identifier = id(section.identifier);
    section.display_name = id(section.display_name);
    section.description = id(section.description);
    for (Section::Row& row : section.header) {
      row.metric = id(row.metric);
      row.label = id(row.label);
      row.unit = id(row.unit);
      row.filter = id(row.filter);
    }
    id.to().sections.push_back(std::move(section));
  }
  for (RuleResult rule : from.rules) {
    rule.identifier = id(rule.identifier);
    rule.display_name = id(rule.display_name);
    rule.section = id(rule.section);
    for (RuleResult::Message& message : rule.messages) {
      message.title = id(message.title);
      message.text = id(message.text);
    }
    id.to().rules.push_back(std::move(rule));
  }
}

ProcessId FindOrAddProcess(Profile& profile, const Process& process) {
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    const Process& known = profile.processes[i];
    if (known.pid == process.pid && known.name == process.name &&
        known.host == process.host && known.rank == process.rank)
      return static_cast<ProcessId>(i);
  }
  profile.processes.push_back(process);
  return static_cast<ProcessId>(profile.processes.size() - 1);
}

}  // namespace

void Append(Profile& profile, const Profile& other) {
  const Renumbering id(profile, other);
  const auto base = [](const auto& list) {
    return static_cast<std::uint32_t>(list.size());
  };
  const std::uint32_t artifacts = base(profile.artifacts);
  const std::uint32_t states = base(profile.nvtx_states);
  const std::uint32_t sections = base(profile.sections);
  const std::uint32_t rules = base(profile.rules);
  const std::uint32_t lists = base(profile.instance_lists);
  const std::size_t samples = profile.samples.size();

  for (std::size_t i = 0; i < other.metrics.size(); ++i) {
    MetricDefinition& metric =
        profile.metrics[Index(id(static_cast<MetricId>(i)))];
    if (!metric.breakdown.empty()) continue;
    for (const MetricId input : other.metrics[i].breakdown)
      metric.breakdown.push_back(id(input));
  }
  profile.artifacts.insert(profile.artifacts.end(), other.artifacts.begin(),
                           other.artifacts.end());
  std::vector<ProcessId> processes;
  for (Process process : other.processes) {
    process.name = id(process.name);
    process.host = id(process.host);
    processes.push_back(FindOrAddProcess(profile, process));
  }
  for (Device device : other.devices) {
    device.name = id(device.name);
    for (auto& [name, value] : device.attributes) {
      name = id(name);
      value = id(value);
    }
    bool known = false;
    for (const Device& there : profile.devices)
      known =
          known || (there.index == device.index && there.name == device.name);
    if (!known) profile.devices.push_back(std::move(device));
  }
  AppendNvtxStates(id, other);
  AppendSections(id, other);
  for (std::vector<Instance> list : other.instance_lists) {
    for (Instance& instance : list) instance.value = id(instance.value);
    profile.instance_lists.push_back(std::move(list));
  }
  profile.samples.reserve(samples + other.samples.size());
  for (const Sample& sample : other.samples) {
    const Value value = id(sample.value());
    profile.samples.push_back(
        {.metric = id(sample.metric), .kind = value.kind, .bits = value.bits});
  }
  for (Measurement m : other.measurements) {
    m.artifact += artifacts;
    m.process = processes[Index(m.process)];
    m.demangled_name = id(m.demangled_name);
    m.function_name = id(m.function_name);
    m.mangled_name = id(m.mangled_name);
    m.renamed = id(m.renamed);
    m.nvtx = static_cast<NvtxStateId>(Index(m.nvtx) + states);
    m.first_sample += samples;
    for (InstanceRef& ref : m.instances) {
      ref.metric = id(ref.metric);
      ref.list += lists;
    }
    for (std::uint32_t& section : m.sections) section += sections;
    for (std::uint32_t& rule : m.rules) rule += rules;
    profile.measurements.push_back(std::move(m));
  }
  for (RangeVisits row : other.visits) {
    row.process = processes[Index(row.process)];
    row.nvtx = static_cast<NvtxStateId>(Index(row.nvtx) + states);
    profile.visits.push_back(std::move(row));
  }
  for (RegionUse use : other.uses) {
    use.process = processes[Index(use.process)];
    use.nvtx = static_cast<NvtxStateId>(Index(use.nvtx) + states);
    profile.uses.push_back(std::move(use));
  }
  if (profile.start_ns == 0 ||
      (other.start_ns != 0 && other.start_ns < profile.start_ns))
    profile.start_ns = other.start_ns;
}

}  // namespace rangefinder
