// Appends the profile `from` to the profile `to`, and translates the ids and
// list indices of `from` to those of `to`.

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profile/profile.h"

namespace rangefinder {
namespace {

auto WhichProcess(const Process& process) {
  return std::tuple(process.pid, process.name, process.host, process.rank,
                    process.run);
}

// Translates ids and list indices of the appended profile.
class Renumbering {
 public:
  // Adds the strings, metrics and processes of `from` to `to`. Must be made
  // before other lists of `to` grow.
  Renumbering(Profile& to, const Profile& from)
      : artifacts_(Count(to.artifacts)),
        states_(Count(to.nvtx_states)),
        sections_(Count(to.sections)),
        rules_(Count(to.rules)),
        lists_(Count(to.instance_lists)),
        folded_(Count(to.folded)),
        samples_(to.samples.size()) {
    strings_.reserve(from.strings.size());
    for (std::size_t i = 0; i < from.strings.size(); ++i)
      strings_.push_back(
          to.strings.Intern(from.strings[static_cast<StringId>(i)]));
    metrics_.reserve(from.metrics.size());
    for (const MetricDefinition& metric : from.metrics)
      metrics_.push_back(to.InternMetric(from.Name(metric.name)));
    std::map<decltype(WhichProcess({})), ProcessId> known;
    for (std::size_t i = 0; i < to.processes.size(); ++i)
      known.try_emplace(WhichProcess(to.processes[i]),
                        static_cast<ProcessId>(i));
    for (Process process : from.processes) {
      process.name = (*this)(process.name);
      process.host = (*this)(process.host);
      const auto [place, is_new] = known.try_emplace(
          WhichProcess(process), static_cast<ProcessId>(to.processes.size()));
      if (is_new) {
        to.processes.push_back(process);
      } else {
        Process& same = to.processes[Index(place->second)];
        same.gpu_recorded &= process.gpu_recorded;
        same.gpu_is_damaged |= process.gpu_is_damaged;
        same.has_only_sums |= process.has_only_sums;
      }
      processes_.push_back(place->second);
    }
  }

  StringId operator()(StringId id) const { return strings_[Index(id)]; }
  MetricId operator()(MetricId id) const { return metrics_[Index(id)]; }
  ProcessId operator()(ProcessId id) const { return processes_[Index(id)]; }
  NvtxStateId operator()(NvtxStateId id) const {
    return static_cast<NvtxStateId>(Index(id) + states_);
  }
  Value operator()(Value value) const {
    if (const auto text = value.text()) return Value::Text((*this)(*text));
    return value;
  }
  Measurement operator()(Measurement m) const {
    m.artifact += artifacts_;
    m.process = (*this)(m.process);
    m.demangled_name = (*this)(m.demangled_name);
    m.function_name = (*this)(m.function_name);
    m.mangled_name = (*this)(m.mangled_name);
    m.communicator = (*this)(m.communicator);
    m.message_size = (*this)(m.message_size);
    m.nvtx = (*this)(m.nvtx);
    m.captured = (*this)(m.captured);
    m.first_sample += samples_;
    if (m.folded != 0) m.folded += folded_;
    for (InstanceRef& ref : m.instances) {
      ref.metric = (*this)(ref.metric);
      ref.list += lists_;
    }
    for (std::uint32_t& section : m.sections) section += sections_;
    for (std::uint32_t& rule : m.rules) rule += rules_;
    return m;
  }
  // For RangeVisits, RegionUse and CopyActivity.
  template <typename Row>
  Row Placed(Row row) const {
    row.process = (*this)(row.process);
    row.nvtx = (*this)(row.nvtx);
    return row;
  }

 private:
  template <typename List>
  static std::uint32_t Count(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  // The sizes of the lists of `to` before `from` is appended.
  std::uint32_t artifacts_, states_, sections_, rules_, lists_, folded_;
  std::size_t samples_;
  std::vector<StringId> strings_;
  std::vector<MetricId> metrics_;
  std::vector<ProcessId> processes_;
};

void AppendNvtxStates(const Renumbering& id, const Profile& from, Profile& to) {
  for (NvtxState state : from.nvtx_states) {
    for (NvtxDomain& domain : state.domains) domain.name = id(domain.name);
    for (NvtxStack& stack : state.stacks) {
      for (NvtxRange& range : stack.ranges) range.name = id(range.name);
    }
    for (NvtxStartEnd& open : state.start_end)
      open.range.name = id(open.range.name);
    to.nvtx_states.push_back(std::move(state));
  }
}

void AppendLeaked(const Renumbering& id, const Profile& from, Profile& to) {
  for (LeakedRange leaked : from.leaked) {
    leaked.domain = id(leaked.domain);
    leaked.name = id(leaked.name);
    to.leaked.push_back(leaked);
  }
}

void AppendSections(const Renumbering& id, const Profile& from, Profile& to) {
  for (Section section : from.sections) {
    section.identifier = id(section.identifier);
    section.display_name = id(section.display_name);
    for (Section::Row& row : section.header) {
      row.metric = id(row.metric);
      row.label = id(row.label);
    }
    to.sections.push_back(std::move(section));
  }
  for (RuleResult rule : from.rules) {
    rule.identifier = id(rule.identifier);
    rule.display_name = id(rule.display_name);
    rule.section = id(rule.section);
    for (RuleResult::Message& message : rule.messages) {
      message.title = id(message.title);
      message.text = id(message.text);
    }
    to.rules.push_back(std::move(rule));
  }
}

void AppendMetrics(const Renumbering& id, const Profile& from, Profile& to) {
  for (std::size_t i = 0; i < from.metrics.size(); ++i) {
    MetricDefinition& metric = to.metrics[Index(id(static_cast<MetricId>(i)))];
    if (!metric.breakdown.empty()) continue;
    for (const MetricId input : from.metrics[i].breakdown)
      metric.breakdown.push_back(id(input));
  }
}

void AppendDevices(const Renumbering& id, const Profile& from, Profile& to) {
  std::vector<Device>& devices = to.devices;
  std::set<std::pair<std::int32_t, StringId>> known;  // by index and name
  for (const Device& device : devices) known.emplace(device.index, device.name);
  for (Device device : from.devices) {
    device.name = id(device.name);
    for (auto& [name, value] : device.attributes) {
      name = id(name);
      value = id(value);
    }
    if (known.emplace(device.index, device.name).second)
      devices.push_back(std::move(device));
  }
}

void AppendValues(const Renumbering& id, const Profile& from, Profile& to) {
  for (std::vector<Instance> list : from.instance_lists) {
    for (Instance& instance : list) instance.value = id(instance.value);
    to.instance_lists.push_back(std::move(list));
  }
  to.samples.reserve(to.samples.size() + from.samples.size());
  for (const Sample& sample : from.samples)
    to.AddSample(id(sample.metric), id(sample.value()));
}

void AppendRanks(const Ranks& from, Ranks& to) {
  const auto trees = static_cast<std::uint32_t>(to.trees.size());
  to.trees.insert(to.trees.end(), from.trees.begin(), from.trees.end());
  for (RankRecord record : from.records) {
    record.tree += trees;
    to.records.push_back(std::move(record));
  }
}

}  // namespace

void Append(Profile& profile, const Profile& other) {
  const Renumbering id(profile, other);
  AppendMetrics(id, other, profile);
  profile.artifacts.insert(profile.artifacts.end(), other.artifacts.begin(),
                           other.artifacts.end());
  AppendDevices(id, other, profile);
  AppendNvtxStates(id, other, profile);
  AppendLeaked(id, other, profile);
  AppendSections(id, other, profile);
  AppendValues(id, other, profile);

  profile.folded.insert(profile.folded.end(), other.folded.begin(),
                        other.folded.end());
  AppendRanks(other.ranks, profile.ranks);
  profile.kernel_sources.Add(other.kernel_sources);
  for (const Measurement& m : other.measurements)
    profile.measurements.push_back(id(m));
  for (const RangeVisits& row : other.visits) {
    RangeVisits copy = id.Placed(row);
    for (CallUse& call : copy.calls) call.function = id(call.function);
    for (ForeignWork& work : copy.foreign)
      work.launched_in = id(work.launched_in);
    profile.visits.push_back(std::move(copy));
  }
  for (const RegionUse& use : other.uses)
    profile.uses.push_back(id.Placed(use));
  for (const Measurement& m : other.repeated) profile.repeated.push_back(id(m));
  for (const Measurement& m : other.left_out) profile.left_out.push_back(id(m));
  for (const CopyActivity& copy : other.copies)
    profile.copies.push_back(id.Placed(copy));
  for (CounterSamples samples : other.counter_samples) {
    samples.process = id(samples.process);
    samples.chip = id(samples.chip);
    for (StringId& metric : samples.metrics) metric = id(metric);
    profile.counter_samples.push_back(std::move(samples));
  }
  if (profile.start_ns == 0 ||
      (other.start_ns != 0 && other.start_ns < profile.start_ns))
    profile.start_ns = other.start_ns;
}

}  // namespace rangefinder
