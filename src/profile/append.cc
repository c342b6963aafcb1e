// Appends one profile to another, with ids of the other profile.

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profile/profile.h"

namespace rangefinder {
namespace {

// Maps the ids of one profile to those of another.
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

void AppendLeaked(const Renumbering& id, const Profile& from) {
  for (LeakedRange leaked : from.leaked) {
    leaked.domain = id(leaked.domain);
    leaked.name = id(leaked.name);
    id.to().leaked.push_back(leaked);
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

auto WhichProcess(const Process& process) {
  return std::tuple(process.pid, process.name, process.host, process.rank,
                    process.run);
}

// The ids of the processes of `from` in the other profile, by their ids in
// `from`.
std::vector<ProcessId> AppendProcesses(const Renumbering& id,
                                       const Profile& from) {
  std::vector<Process>& all = id.to().processes;
  std::map<decltype(WhichProcess({})), ProcessId> known;
  for (std::size_t i = 0; i < all.size(); ++i)
    known.try_emplace(WhichProcess(all[i]), static_cast<ProcessId>(i));
  std::vector<ProcessId> processes;
  for (Process process : from.processes) {
    process.name = id(process.name);
    process.host = id(process.host);
    const auto [place, is_new] = known.try_emplace(
        WhichProcess(process), static_cast<ProcessId>(all.size()));
    if (is_new) all.push_back(process);
    processes.push_back(place->second);
  }
  return processes;
}

void AppendMetrics(const Renumbering& id, const Profile& from) {
  for (std::size_t i = 0; i < from.metrics.size(); ++i) {
    MetricDefinition& metric =
        id.to().metrics[Index(id(static_cast<MetricId>(i)))];
    if (!metric.breakdown.empty()) continue;
    for (const MetricId input : from.metrics[i].breakdown)
      metric.breakdown.push_back(id(input));
  }
}

void AppendDevices(const Renumbering& id, const Profile& from) {
  std::vector<Device>& devices = id.to().devices;
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

void AppendValues(const Renumbering& id, const Profile& from) {
  Profile& to = id.to();
  for (std::vector<Instance> list : from.instance_lists) {
    for (Instance& instance : list) instance.value = id(instance.value);
    to.instance_lists.push_back(std::move(list));
  }
  to.samples.reserve(to.samples.size() + from.samples.size());
  for (const Sample& sample : from.samples) {
    const Value value = id(sample.value());
    to.samples.push_back(
        {.metric = id(sample.metric), .kind = value.kind, .bits = value.bits});
  }
}

CounterSamples Renumbered(const Renumbering& id, CounterSamples samples) {
  samples.chip = id(samples.chip);
  for (StringId& metric : samples.metrics) metric = id(metric);
  return samples;
}

// The sizes of a profile's lists before another profile is appended.
struct Ends {
  explicit Ends(const Profile& profile)
      : artifacts(Count(profile.artifacts)),
        states(Count(profile.nvtx_states)),
        sections(Count(profile.sections)),
        rules(Count(profile.rules)),
        lists(Count(profile.instance_lists)),
        folded(Count(profile.folded)),
        samples(profile.samples.size()) {}

  std::uint32_t artifacts, states, sections, rules, lists, folded;
  std::size_t samples;

 private:
  template <typename List>
  static std::uint32_t Count(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }
};

// Rewrites the references of measurements and other rows. `processes`: by the
// id in the appended profile.
class Moving {
 public:
  Moving(const Renumbering& id, const Ends& ends,
         std::vector<ProcessId> processes)
      : id_(id), ends_(ends), processes_(std::move(processes)) {}

  ProcessId operator()(ProcessId process) const {
    return processes_[Index(process)];
  }
  NvtxStateId operator()(NvtxStateId state) const {
    return static_cast<NvtxStateId>(Index(state) + ends_.states);
  }
  Measurement operator()(Measurement m) const {
    m.artifact += ends_.artifacts;
    m.process = (*this)(m.process);
    m.demangled_name = id_(m.demangled_name);
    m.function_name = id_(m.function_name);
    m.mangled_name = id_(m.mangled_name);
    m.renamed = id_(m.renamed);
    m.communicator = id_(m.communicator);
    m.message_size = id_(m.message_size);
    m.nvtx = (*this)(m.nvtx);
    m.captured = (*this)(m.captured);
    m.first_sample += ends_.samples;
    if (m.folded != 0) m.folded += ends_.folded;
    for (InstanceRef& ref : m.instances) {
      ref.metric = id_(ref.metric);
      ref.list += ends_.lists;
    }
    for (std::uint32_t& section : m.sections) section += ends_.sections;
    for (std::uint32_t& rule : m.rules) rule += ends_.rules;
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
  const Renumbering& id_;
  const Ends& ends_;
  std::vector<ProcessId> processes_;
};

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
  const Ends ends(profile);
  AppendMetrics(id, other);
  profile.artifacts.insert(profile.artifacts.end(), other.artifacts.begin(),
                           other.artifacts.end());
  AppendDevices(id, other);
  AppendNvtxStates(id, other);
  AppendLeaked(id, other);
  AppendSections(id, other);
  AppendValues(id, other);

  profile.folded.insert(profile.folded.end(), other.folded.begin(),
                        other.folded.end());
  AppendRanks(other.ranks, profile.ranks);
  profile.kernel_sources.Add(other.kernel_sources);

  const Moving moved(id, ends, AppendProcesses(id, other));
  for (const Measurement& m : other.measurements)
    profile.measurements.push_back(moved(m));
  for (const RangeVisits& row : other.visits) {
    RangeVisits copy = moved.Placed(row);
    for (CallUse& call : copy.calls) call.function = id(call.function);
    for (ForeignWork& work : copy.foreign)
      work.launched_in = moved(work.launched_in);
    profile.visits.push_back(std::move(copy));
  }
  for (const RegionUse& use : other.uses)
    profile.uses.push_back(moved.Placed(use));
  for (const Measurement& m : other.repeated)
    profile.repeated.push_back(moved(m));
  for (const Measurement& m : other.left_out)
    profile.left_out.push_back(moved(m));
  for (const CopyActivity& copy : other.copies)
    profile.copies.push_back(moved.Placed(copy));
  for (const CounterSamples& samples : other.counter_samples) {
    CounterSamples copy = Renumbered(id, samples);
    copy.process = moved(samples.process);
    profile.counter_samples.push_back(std::move(copy));
  }
  if (profile.start_ns == 0 ||
      (other.start_ns != 0 && other.start_ns < profile.start_ns))
    profile.start_ns = other.start_ns;
}

}  // namespace rangefinder
