#include "insight/imbalance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace rangefinder {
namespace {

// The run of each process that was measured: each ncu report is one run, given
// by its artifact; the traces of all processes are one run, given by nothing.
std::map<ProcessId, std::optional<std::uint32_t>> Runs(const Profile& profile) {
  std::map<ProcessId, std::optional<std::uint32_t>> runs;
  // The previous kernel mostly belongs to the same process.
  std::optional<ProcessId> last;
  for (const Measurement& m : profile.measurements) {
    if (m.process == last) continue;
    last = m.process;
    const bool traced = m.artifact < profile.artifacts.size() &&
                        profile.artifacts[m.artifact].format == "trace";
    runs.try_emplace(m.process,
                     traced ? std::nullopt : std::optional(m.artifact));
  }
  return runs;
}

std::int32_t RankOf(const Profile& profile, ProcessId process) {
  return profile.processes[Index(process)].rank;
}

}  // namespace

Members::Members(const Profile& profile, const RegionTree& tree,
                 const Rollup& rollup, const RegionRows& rows,
                 const TracedRun& traced) {
  std::set<ProcessId> processes;
  for (const ScopeRollup& scope : rollup.scopes) {
    if (!scope.scope.aggregate) processes.insert(scope.scope.process);
  }
  // A run of one process has no members, so the kernels need not be read.
  if (processes.size() < 2) return;
  std::set<std::int32_t> ranks;
  std::set<std::optional<std::uint32_t>> different;
  for (const auto& [process, run] : Runs(profile)) {
    if (RankOf(profile, process) >= 0) ranks.insert(RankOf(profile, process));
    different.insert(run);
  }
  for (const ScopeRollup& scope : rollup.scopes) {
    if (scope.scope.aggregate || hosts_.size() == 2) continue;
    const StringId host = profile.processes[Index(scope.scope.process)].host;
    if (host != StringId{} && (hosts_.empty() || hosts_.front() != host))
      hosts_.push_back(host);
  }
  over_ranks_ = ranks.size() > 1;
  if (!over_ranks_ && different.size() > 1) return;
  std::map<std::int64_t, std::size_t> places;  // by rank, or by ProcessId
  for (const ScopeRollup& scope : rollup.scopes) {
    member_of_.emplace_back();
    if (scope.scope.aggregate) continue;
    const ProcessId process = scope.scope.process;
    const std::int32_t rank = RankOf(profile, process);
    if (over_ranks_ && rank < 0) continue;
    const auto key = over_ranks_ ? std::int64_t{rank}
                                 : static_cast<std::int64_t>(Index(process));
    const auto [place, is_new] = places.try_emplace(key, names_.size());
    if (is_new) {
      names_.push_back(
          over_ranks_ ? fmt::format("rank {}", rank)
                      : fmt::format("process {}",
                                    profile.processes[Index(process)].pid));
    }
    member_of_.back() = place->second;
  }
  if (several()) AddTimes(tree, rollup, rows, traced);
}

void Members::AddTimes(const RegionTree& tree, const Rollup& rollup,
                       const RegionRows& rows, const TracedRun& traced) {
  times_.resize(tree.regions().size());
  for (std::size_t i = 0; i < member_of_.size(); ++i) {
    if (!member_of_[i]) continue;
    const ScopeRollup& scope = rollup.scopes[i];
    const auto add = [&](std::size_t region) {
      const double ns = rows.TimeNs(scope, static_cast<RegionId>(region));
      if (ns == 0) return;
      times_[region].ns[*member_of_[i]] += ns;
      times_[region].sum_ns += ns;
    };
    if (traced.there()) {
      for (std::size_t r = 0; r < times_.size(); ++r) add(r);
    } else {
      for (const auto& [region, rolled] : scope.regions.there()) add(region);
    }
  }
}

std::optional<Imbalance> Members::Of(RegionId region) const {
  if (!several()) return std::nullopt;
  const Times& times = times_[Index(region)];
  if (!(times.sum_ns > 0) || !std::isfinite(times.sum_ns)) return std::nullopt;
  const auto most = std::ranges::max_element(
      times.ns, {}, [](const auto& one) { return one.second; });
  return Imbalance{.over_ranks = over_ranks_,
                   .count = names_.size(),
                   .max_ns = most->second,
                   .mean_ns = times.sum_ns / static_cast<double>(names_.size()),
                   .who = names_[most->first]};
}

bool Members::HasAny() const {
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (Of(static_cast<RegionId>(i))) return true;
  }
  return false;
}

bool Members::OnOtherHostsThan(StringId host) const {
  return std::ranges::any_of(hosts_,
                             [&](StringId other) { return other != host; });
}

}  // namespace rangefinder
