#include "profile/baseline_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace rangefinder {
namespace {

bool IsTraced(const Measurement& m) {
  return m.mode == ReplayMode::kTrace;
}

std::string_view BaseName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

class Matching {
 public:
  explicit Matching(Profile& profile) : profile_(profile) {}

  // The number of traced processes without a counterpart, which stay as they
  // are.
  std::uint64_t Apply() {
    Collect();
    const auto name = [&](const Process& process) {
      return BaseName(profile_.Name(process.name));
    };
    // From the most certain sign to the least; processes with equal signs by
    // order.
    Match([&](const Process& process) {
      return Sign(process.pid, process.host, name(process), process.rank);
    });
    Match([&](const Process& process) {
      return Sign(0, StringId{}, name(process), process.rank);
    });
    Match([&](const Process& process) -> std::optional<Sign> {
      if (process.rank < 0) return std::nullopt;
      return Sign(0, StringId{}, "", process.rank);
    });
    Match([&](const Process& process) {
      return Sign(0, StringId{}, name(process), 0);
    });
    if (traced_.size() == 1 && measured_.size() == 1)
      Match([](const Process&) { return Sign(0, StringId{}, "", 0); });
    Rename();
    return static_cast<std::uint64_t>(traced_.size());
  }

 private:
  // Id, host, name and rank of a process; parts that are not compared are
  // empty.
  using Sign = std::tuple<std::uint64_t, StringId, std::string_view, int>;

  // Orders processes by their first kernel; processes without a kernel come
  // last.
  void Collect() {
    std::map<ProcessId, std::uint64_t> first;
    std::set<ProcessId> measured;
    const auto see = [&](ProcessId process, std::uint64_t ns) {
      const auto [at, fresh] = first.emplace(process, ns);
      if (!fresh) at->second = std::min(at->second, ns);
    };
    for (const Measurement& m : profile_.measurements) {
      if (IsTraced(m))
        see(m.process, m.start_ns);
      else if (measured.insert(m.process).second)
        measured_.push_back(m.process);
    }
    constexpr auto kNever = ~std::uint64_t{0};
    for (const RangeVisits& row : profile_.visits) see(row.process, kNever);
    for (const RegionUse& row : profile_.uses) see(row.process, kNever);
    for (const auto& [process, ns] : first) traced_.push_back(process);
    std::ranges::stable_sort(traced_, {},
                             [&](ProcessId process) { return first[process]; });
  }

  // `sign_of` returns the sign of a process; nothing if it has none.
  template <typename SignOf>
  void Match(SignOf sign_of) {
    std::map<Sign, std::deque<ProcessId>> waiting;
    for (const ProcessId measured : measured_) {
      const std::optional<Sign> sign =
          sign_of(profile_.processes[Index(measured)]);
      if (sign) waiting[*sign].push_back(measured);
    }
    std::set<ProcessId> found;
    std::erase_if(traced_, [&](ProcessId traced) {
      const std::optional<Sign> sign =
          sign_of(profile_.processes[Index(traced)]);
      if (!sign) return false;
      const auto same = waiting.find(*sign);
      if (same == waiting.end() || same->second.empty()) return false;
      counterpart_[traced] = same->second.front();
      found.insert(same->second.front());
      same->second.pop_front();
      return true;
    });
    std::erase_if(measured_,
                  [&](ProcessId measured) { return found.contains(measured); });
  }

  void Rename() {
    const auto rename = [&](ProcessId& process) {
      const auto known = counterpart_.find(process);
      if (known != counterpart_.end()) process = known->second;
    };
    for (Measurement& m : profile_.measurements) {
      if (IsTraced(m)) rename(m.process);
    }
    for (RangeVisits& row : profile_.visits) rename(row.process);
    for (RegionUse& row : profile_.uses) rename(row.process);
    for (CopyActivity& copy : profile_.copies) rename(copy.process);
    for (CounterSamples& samples : profile_.counter_samples)
      rename(samples.process);
    for (const auto& [traced, measured] : counterpart_) {
      Process& to = profile_.processes[Index(measured)];
      const Process& from = profile_.processes[Index(traced)];
      if (to.rank < 0) to.rank = from.rank;
      to.devices = from.devices;
      to.gpu_recorded = from.gpu_recorded;
      to.gpu_is_damaged = from.gpu_is_damaged;
    }
  }

  Profile& profile_;
  std::vector<ProcessId> traced_, measured_;  // without a counterpart yet
  std::map<ProcessId, ProcessId> counterpart_;
};

// Keeps our trace if a run directory also has a trace of Nsight Systems: one
// baseline run suffices, and ours has the launches.
void KeepOneTrace(Profile& profile, Notes& notes) {
  const auto is_ours = [&](const Measurement& m) {
    return IsTraced(m) && m.artifact < profile.artifacts.size() &&
           profile.artifacts[m.artifact].format == "trace";
  };
  if (std::ranges::none_of(profile.measurements, is_ours)) return;
  std::set<ProcessId> second;
  const auto count =
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        const bool left_out = IsTraced(m) && !is_ours(m);
        if (left_out) second.insert(m.process);
        return left_out;
      });
  const auto of_second = [&](const auto& row) {
    return second.contains(row.process);
  };
  std::erase_if(profile.visits, of_second);
  std::erase_if(profile.uses, of_second);
  std::erase_if(profile.copies, of_second);
  if (count > 0) {
    notes.Add(Severity::kInfo, "second_trace_left_out",
              "kernels of a second baseline run (Nsight Systems) are left out: "
              "the trace has them",
              "", count);
  }
}

}  // namespace

void SetBaselineRunApart(Profile& profile, Notes& notes) {
  const auto is_measured = [](const Measurement& m) { return !IsTraced(m); };
  const bool measured = std::ranges::any_of(profile.measurements, is_measured);
  const bool traced = !profile.visits.empty() || !profile.uses.empty() ||
                      std::ranges::any_of(profile.measurements, IsTraced);
  if (!measured || !traced) return;
  KeepOneTrace(profile, notes);
  if (const std::uint64_t alone = Matching(profile).Apply(); alone > 0) {
    notes.Add(
        Severity::kInfo, "traced_process_alone",
        "processes of the baseline run have no counterpart among the measured "
        "processes; their times are in the aggregate alone",
        "", alone);
  }
  const auto traced_apart =
      std::ranges::stable_partition(profile.measurements, is_measured);
  profile.traced.assign(std::make_move_iterator(traced_apart.begin()),
                        std::make_move_iterator(traced_apart.end()));
  profile.measurements.erase(traced_apart.begin(), traced_apart.end());
}

}  // namespace rangefinder
