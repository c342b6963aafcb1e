#include "ranks/rank_records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "ranks/activity_sweep.h"
#include "ranks/process_tree.h"

namespace rangefinder {

namespace {

// Collectives kept per rank, of 40 bytes each. Further ones are only counted.
constexpr std::size_t kMostCollectives = std::size_t{1} << 20;

// ---- The clock rate of SMs, from counter samples ---------------------------

// Cycles of an SM, and the time in which they were counted.
struct CountedCycles {
  double cycles = 0;
  double ns = 0;

  void operator+=(const CountedCycles& other) {
    cycles += other.cycles;
    ns += other.ns;
  }
};

// Each of these counts the cycles of one SM. The cycles of all SMs do not tell
// the clock rate: the number of SMs is not known here.
constexpr std::array<std::string_view, 4> kMetrics{
    "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max",
    "smsp__cycles_elapsed.avg", "smsp__cycles_elapsed.max"};

std::optional<std::size_t> MetricOf(const Profile& profile,
                                    const CounterSamples& samples) {
  for (const std::string_view name : kMetrics) {
    for (std::size_t i = 0; i < samples.metrics.size(); ++i) {
      if (profile.Name(samples.metrics[i]) == name) return i;
    }
  }
  return std::nullopt;
}

// The cycles in `ns` of one sample.
CountedCycles PartOf(const CounterSamples& samples, std::size_t metric,
                     std::size_t i, double ns) {
  const double cycles = samples.Row(i)[metric];
  const auto all = static_cast<double>(samples.end_ns[i] - samples.start_ns[i]);
  if (!std::isfinite(cycles) || cycles < 0 || all <= 0) return {};
  return {cycles * ns / all, ns};
}

class SmClock {
 public:
  SmClock(const Profile& profile, ProcessId process) {
    for (const CounterSamples& samples : profile.counter_samples) {
      const auto metric = MetricOf(profile, samples);
      if (samples.process != process || samples.device < 0 || !metric) continue;
      Device device{.samples = &samples, .metric = *metric};
      CountedCycles sum;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        device.before.push_back(sum);
        sum += PartOf(
            samples, *metric, i,
            static_cast<double>(samples.end_ns[i] - samples.start_ns[i]));
      }
      if (!device.before.empty())
        by_device_.try_emplace(samples.device, std::move(device));
    }
  }

  bool empty() const { return by_device_.empty(); }

  // The cycles in the sampled part of a time on a device.
  CountedCycles In(std::int32_t device, std::uint64_t start_ns,
                   std::uint64_t end_ns) const {
    const auto at = by_device_.find(device);
    if (at == by_device_.end()) return {};
    const CountedCycles from = Until(at->second, start_ns);
    const CountedCycles to = Until(at->second, end_ns);
    return {to.cycles - from.cycles, to.ns - from.ns};
  }

 private:
  // Samples in order of time, and the sums before each.
  struct Device {
    const CounterSamples* samples = nullptr;
    std::size_t metric = 0;
    std::vector<CountedCycles> before{};
  };

  static CountedCycles Until(const Device& device, std::uint64_t ns) {
    const CounterSamples& samples = *device.samples;
    const auto after = std::ranges::upper_bound(samples.start_ns, ns);
    if (after == samples.start_ns.begin()) return {};
    const auto i =
        static_cast<std::size_t>(after - samples.start_ns.begin()) - 1;
    CountedCycles sum = device.before[i];
    const std::uint64_t to = std::min(ns, samples.end_ns[i]);
    sum += PartOf(samples, device.metric, i,
                  static_cast<double>(to - std::min(to, samples.start_ns[i])));
    return sum;
  }

  std::map<std::int32_t, Device> by_device_;
};

// ---- Records ---------------------------------------------------------------

// Makes the record of one process.
class RecordOfProcess {
 public:
  RecordOfProcess(const Profile& profile, const RegionTree& tree,
                  const ProcessActivities& activities)
      : profile_(profile),
        activities_(activities),
        process_tree_(TreeOf(profile, tree, activities)),
        places_(profile, tree, process_tree_),
        clock_(profile, activities.process) {
    const std::size_t nodes = process_tree_.tree.nodes.size();
    record_.regions.resize(nodes);
    sweeps_.resize(nodes);
    cycles_.resize(nodes);
  }

  RankRecord Run() {
    Describe();
    AddActivities();
    AddVisits();
    AddSums();
    return std::move(record_);
  }

  RankTree& tree() { return process_tree_.tree; }

 private:
  // From the first to the last activity of one instance of a node.
  struct Span {
    std::uint32_t node = 0;
    std::uint64_t first_ns = 0, last_ns = 0;
  };

  // From the end of an activity to the next start, while nothing of the process
  // ran.
  struct Pause {
    std::uint64_t start_ns = 0, end_ns = 0;
    std::uint64_t before_ns = 0;  // sum of all earlier pauses
  };

  void Describe() {
    const Process& process = profile_.processes[Index(activities_.process)];
    record_.rank = process.rank;
    record_.host = profile_.Name(process.host);
    record_.pid = process.pid;
    record_.world = World();
    std::map<std::int32_t, std::string_view> used;
    for (const Placed<Measurement>& placed : activities_.kernels)
      used.try_emplace(placed.work->device);
    for (const Device& device : profile_.devices) {
      const auto known = used.find(device.index);
      if (known != used.end() && known->second.empty())
        known->second = profile_.Name(device.name);
    }
    for (const auto& [index, name] : used) record_.devices.emplace_back(name);
  }

  // The number of ranks, which the launcher told the tracer; 0: not known.
  std::int32_t World() const {
    if (activities_.kernels.empty()) return 0;
    const std::uint32_t artifact = activities_.kernels.front().work->artifact;
    if (artifact >= profile_.artifacts.size()) return 0;
    for (const auto& [name, text] : profile_.artifacts[artifact].versions) {
      std::int32_t world = 0;
      if (name == "world" &&
          std::from_chars(text.data(), text.data() + text.size(), world).ec ==
              std::errc() &&
          world > 0)
        return world;
    }
    return 0;
  }

  // Adds kernels and copies by start.
  void AddActivities() {
    auto copy = activities_.copies.begin();
    const auto copies_until = [&](std::uint64_t ns) {
      for (; copy != activities_.copies.end() && (*copy)->start_ns < ns; ++copy)
        AddCopy(**copy);
    };
    for (const Placed<Measurement>& placed : activities_.kernels) {
      copies_until(placed.work->start_ns);
      AddKernel(placed);
    }
    copies_until(~std::uint64_t{0});
  }

  void AddKernel(const Placed<Measurement>& placed) {
    const Measurement& m = *placed.work;
    const std::vector<OpenNode>& open = places_.Of(m, placed.region);
    const std::string_view kind = KindOf(m);
    Add(kind.empty() ? ActivityClass::kCompute : ActivityClass::kCommunication,
        m.start_ns, m.end_ns, open);
    const std::uint64_t latency = m.launch_ns != 0 && m.start_ns > m.launch_ns
                                      ? m.start_ns - m.launch_ns
                                      : 0;
    const auto count = [&](RankRegion& region) {
      ++region.kernels;
      region.latency_ns += latency;
    };
    count(record_.regions[0]);
    for (const OpenNode& at : open) count(record_.regions[at.node]);
    See(m.launch_ns != 0 ? m.launch_ns : m.start_ns, m.end_ns);
    if (!kind.empty()) return AddCollective(m, kind, open);
    if (clock_.empty()) return;
    const CountedCycles cycles = clock_.In(m.device, m.start_ns, m.end_ns);
    cycles_[0] += cycles;
    for (const OpenNode& at : open) cycles_[at.node] += cycles;
  }

  void AddCopy(const CopyActivity& copy) {
    if (copy.start_ns == 0 || copy.end_ns < copy.start_ns) return;
    Add(ActivityClass::kCopy, copy.start_ns, copy.end_ns,
        places_.Of(LaunchIn(copy), std::nullopt));
    See(copy.start_ns, copy.end_ns);
  }

  void Add(ActivityClass what, std::uint64_t start, std::uint64_t end,
           const std::vector<OpenNode>& open) {
    sweeps_[0].Add(what, start, end);
    if (whole_.last_ns != 0 && start > whole_.last_ns)
      pauses_.push_back({whole_.last_ns, start, IdleUntil(~std::uint64_t{0})});
    Extend(whole_, start, end);
    if (spans_.size() < places_.instances()) spans_.resize(places_.instances());
    for (const OpenNode& at : open) {
      sweeps_[at.node].Add(what, start, end);
      spans_[at.instance].node = at.node;
      Extend(spans_[at.instance], start, end);
    }
  }

  // The sum of the pauses up to `ns`.
  std::uint64_t IdleUntil(std::uint64_t ns) const {
    const auto after =
        std::ranges::upper_bound(pauses_, ns, {}, &Pause::start_ns);
    if (after == pauses_.begin()) return 0;
    const Pause& last = after[-1];
    return last.before_ns + std::min(ns, last.end_ns) - last.start_ns;
  }

  static void Extend(Span& span, std::uint64_t start, std::uint64_t end) {
    if (span.first_ns == 0) span.first_ns = start;
    span.last_ns = std::max(span.last_ns, end);
  }

  // Extends the time of the process.
  void See(std::uint64_t from, std::uint64_t to) {
    if (from == 0) return;
    if (record_.started_ns == 0 || from < record_.started_ns)
      record_.started_ns = from;
    until_ns_ = std::max(until_ns_, to);
  }

  std::string_view KindOf(const Measurement& m) {
    const std::size_t name = Index(m.demangled_name);
    if (kind_of_.empty()) kind_of_.resize(profile_.strings.size());
    std::optional<std::string_view>& kind = kind_of_[name];
    if (!kind) kind = CollectiveKind(profile_.Name(m.demangled_name));
    return *kind;
  }

  void AddCollective(const Measurement& m, std::string_view kind,
                     const std::vector<OpenNode>& open) {
    if (record_.collectives.size() >= kMostCollectives) {
      ++record_.lost_collectives;
      return;
    }
    const auto [number, is_new] =
        kinds_.try_emplace({kind, m.communicator, m.message_size},
                           static_cast<std::uint32_t>(record_.kinds.size()));
    if (is_new) {
      std::string& text = record_.kinds.emplace_back(kind);
      for (const StringId known : {m.communicator, m.message_size})
        if (known != StringId{}) text.append(" ").append(profile_.Name(known));
    }
    const auto channel =
        channels_
            .try_emplace({m.device, m.context, m.stream, m.communicator},
                         static_cast<std::uint32_t>(channels_.size()))
            .first->second;
    record_.collectives.push_back(
        {.region = open.empty() ? 0 : open.back().node,
         .kind = number->second,
         .channel = channel,
         .launch_ns = m.launch_ns,
         .start_ns = m.start_ns,
         .end_ns = m.end_ns});
  }

  void AddVisits() {
    for (const Placed<RangeVisits>& placed : activities_.visits) {
      const RangeVisits& visits = *placed.work;
      RankRegion& region = record_.regions[process_tree_.NodeOf(placed.region)];
      region.instances += visits.instances;
      region.wall_ns += visits.cpu_ns.sum();
      for (const InstanceTimes& one : visits.first)
        See(one.start_ns, one.start_ns + one.cpu_ns);
      if (!visits.spans.empty())
        See(visits.spans.back().start_ns, visits.spans.back().end_ns);
    }
  }

  void AddSums() {
    std::vector<std::uint64_t> idle_ns(record_.regions.size());
    std::vector<std::uint64_t> until(record_.regions.size());
    std::vector<std::uint64_t> executions(record_.regions.size());
    // Instances are numbered in the order of their first activity.
    for (const Span& span : spans_) {
      ++executions[span.node];
      if (span.last_ns <= until[span.node]) continue;
      idle_ns[span.node] +=
          IdleUntil(span.last_ns) -
          IdleUntil(std::max(span.first_ns, until[span.node]));
      until[span.node] = span.last_ns;
    }
    executions[0] = 1;
    idle_ns[0] = IdleUntil(whole_.last_ns);
    record_.regions[0].instances = 1;
    record_.regions[0].wall_ns =
        until_ns_ > record_.started_ns ? until_ns_ - record_.started_ns : 0;
    for (std::size_t i = 0; i < sweeps_.size(); ++i) {
      ActivitySweep& sweep = sweeps_[i];
      sweep.Finish();
      RankRegion& region = record_.regions[i];
      region.compute_ns = sweep.compute_ns;
      region.overlapped_ns = sweep.overlapped_ns;
      region.exposed_ns = sweep.exposed_ns;
      region.copy_ns = sweep.copy_ns;
      region.idle_ns = idle_ns[i];
      // A clock rate of a few samples would be chance.
      constexpr double kLeastNs = 1e6;
      if (cycles_[i].ns >= kLeastNs)
        region.sm_clock_hz = cycles_[i].cycles * 1e9 / cycles_[i].ns;
      // Exports of other profilers have no visits.
      if (region.instances == 0) region.instances = executions[i];
    }
    if (activities_.copies.empty()) AddCopyTimes();
  }

  // For devices whose copies are not known one by one: the copy time of a
  // region is the device's busy time beyond kernels. Idle times are upper
  // bounds here: pauses between kernels include copies, and an instance's own
  // idle time includes the work of other regions.
  void AddCopyTimes() {
    for (const Placed<RegionUse>& placed : activities_.uses) {
      if (placed.work->gpu.size() != 1) continue;
      RankRegion& region = record_.regions[process_tree_.NodeOf(placed.region)];
      const std::uint64_t kernels =
          region.compute_ns + region.overlapped_ns + region.exposed_ns;
      const GpuUse& use = placed.work->gpu[0];
      region.copy_ns = use.busy_ns - std::min(use.busy_ns, kernels);
      if (placed.region == RegionTree::kRoot) {
        const std::uint64_t span = use.last_ns - use.first_ns;
        region.idle_ns = span - std::min(span, use.busy_ns);
      }
    }
    std::vector<std::uint64_t> idle(record_.regions.size());
    std::vector<bool> known(record_.regions.size());
    for (const Placed<RangeVisits>& placed : activities_.visits) {
      const Spread& of = placed.work->gpu_idle_ns;
      const std::uint32_t node = process_tree_.NodeOf(placed.region);
      idle[node] += of.sum();
      known[node] = known[node] || of.count() > 0;
    }
    for (std::size_t i = 1; i < idle.size(); ++i) {
      if (known[i])
        record_.regions[i].idle_ns =
            std::min(record_.regions[i].idle_ns, idle[i]);
    }
  }

  const Profile& profile_;
  const ProcessActivities& activities_;
  ProcessTree process_tree_;
  ActivityPlaces places_;
  SmClock clock_;
  RankRecord record_{};
  std::vector<ActivitySweep> sweeps_;  // by node
  std::vector<CountedCycles> cycles_;  // by node, of computing kernels
  std::vector<Span> spans_;            // by OpenNode::instance
  Span whole_{};
  std::vector<Pause> pauses_{};
  std::uint64_t until_ns_ = 0;
  std::vector<std::optional<std::string_view>> kind_of_;  // by StringId
  std::map<std::tuple<std::string_view, StringId, StringId>, std::uint32_t>
      kinds_;
  std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t, StringId>,
           std::uint32_t>
      channels_;
};

// The nodes of a tree as one text; equal texts are equal trees.
std::string KeyOf(const RankTree& tree) {
  std::string key;
  for (const RankTree::Node& node : tree.nodes)
    key += fmt::format("{} {} {} {}{}", node.parent, node.domain.size(),
                       node.name.size(), node.domain, node.name);
  return key;
}

}  // namespace

Ranks RanksOf(const Profile& profile, const RegionTree& tree) {
  if (!profile.ranks.records.empty()) return profile.ranks;
  Ranks ranks;
  std::unordered_map<std::string, std::uint32_t> trees;  // by KeyOf()
  for (const ProcessActivities& activities : ActivitiesOf(profile, tree)) {
    if (activities.empty()) continue;
    RecordOfProcess process(profile, tree, activities);
    RankRecord record = process.Run();
    const auto [tree_at, is_new] = trees.try_emplace(
        KeyOf(process.tree()), static_cast<std::uint32_t>(ranks.trees.size()));
    if (is_new) ranks.trees.push_back(std::move(process.tree()));
    record.tree = tree_at->second;
    ranks.records.push_back(std::move(record));
  }
  std::ranges::stable_sort(ranks.records, {}, [](const RankRecord& record) {
    return std::tie(record.rank, record.host, record.pid, record.started_ns);
  });
  return ranks;
}

// ---- Communication kernels -------------------------------------------------

// Recognizes communication kernels and their collectives by name: exactly the
// kernels that pipeline.ncu.exclude_communication leaves out.
std::string_view CollectiveKind(std::string_view kernel_name) {
  // Parts of kernel names in lower case, and the kind that each stands for; the
  // first match counts.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 20>
      kKinds{{
          {"allreduce", "AllReduce"},
          {"all_reduce", "AllReduce"},
          {"reducescatter", "ReduceScatter"},
          {"reduce_scatter", "ReduceScatter"},
          {"allgather", "AllGather"},
          {"all_gather", "AllGather"},
          {"fcollect", "AllGather"},
          {"alltoall", "AllToAll"},
          {"all_to_all", "AllToAll"},
          {"sendrecv", "SendRecv"},
          {"broadcast", "Broadcast"},
          {"barrier", "Barrier"},
          {"notify_dispatch", "NotifyDispatch"},
          {"dispatch", "Dispatch"},
          {"combine", "Combine"},
          {"reduce", "Reduce"},
          {"gather", "Gather"},
          {"scatter", "Scatter"},
          {"put", "Put"},
          {"get", "Get"},
      }};
  constexpr std::array<std::string_view, 4> kLibraries{"nccl", "nvshmem",
                                                       "msccl", "deep_ep"};
  const std::string all = AsciiLower(kernel_name);
  // The arguments name types of the libraries too.
  const std::string name = all.substr(0, all.find('('));
  if (std::ranges::none_of(kLibraries, [&](std::string_view library) {
        return all.find(library) != all.npos;
      }))
    return {};
  for (const auto& [part, kind] : kKinds) {
    if (name.find(part) != name.npos) return kind;
  }
  return "Generic";
}

}  // namespace rangefinder
