#include "report/imbalance.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// What a run left: an ncu report is one, the traces of all processes are one.
std::string RunOf(const Profile& profile, std::uint32_t artifact) {
  const bool traced = artifact < profile.artifacts.size() &&
                      profile.artifacts[artifact].format == "trace";
  return traced ? "trace" : fmt::format("{}", artifact);
}

// The run of each process that was measured.
std::map<ProcessId, std::string> Runs(const Profile& profile) {
  std::map<ProcessId, std::string> runs;
  std::optional<ProcessId> last;  // of millions, most are of one
  for (const Measurement& m : profile.measurements) {
    if (m.process == last) continue;
    last = m.process;
    if (!runs.contains(m.process))
      runs.emplace(m.process, RunOf(profile, m.artifact));
  }
  return runs;
}

std::int32_t RankOf(const Profile& profile, ProcessId process) {
  return profile.processes[Index(process)].rank;
}

}  // namespace

Members::Members(const Report& report) : report_(report) {
  const Profile& profile = *report.profile;
  std::set<ProcessId> processes;
  for (const ScopeRollup& scope : report.rollup->scopes) {
    if (!scope.scope.aggregate) processes.insert(scope.scope.process);
  }
  // Every document asks, and one process is known without a look at each
  // kernel.
  if (processes.size() < 2) return;
  const std::map<ProcessId, std::string> runs = Runs(profile);
  std::set<std::int32_t> ranks;
  std::set<std::string> different;
  for (const auto& [process, run] : runs) {
    if (RankOf(profile, process) >= 0) ranks.insert(RankOf(profile, process));
    different.insert(run);
  }
  over_ranks_ = ranks.size() > 1;
  if (!over_ranks_ && different.size() > 1) return;
  std::map<std::int64_t, std::size_t> places;  // by rank, or by ProcessId
  for (const ScopeRollup& scope : report.rollup->scopes) {
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
}

std::optional<Imbalance> Members::Of(RegionId region) const {
  if (!several()) return std::nullopt;
  std::vector<double> times(names_.size());
  double sum = 0;
  for (std::size_t i = 0; i < member_of_.size(); ++i) {
    if (!member_of_[i]) continue;
    const double ns = report_.rows->TimeNs(report_.rollup->scopes[i], region);
    times[*member_of_[i]] += ns;
    sum += ns;
  }
  if (!(sum > 0)) return std::nullopt;
  const auto most = std::ranges::max_element(times);
  return Imbalance{
      .over_ranks = over_ranks_,
      .count = names_.size(),
      .max_ns = *most,
      .mean_ns = sum / static_cast<double>(names_.size()),
      .who = names_[static_cast<std::size_t>(most - times.begin())]};
}

bool Members::HasAny() const {
  for (std::size_t i = 0; i < report_.tree->regions().size(); ++i) {
    if (Of(static_cast<RegionId>(i))) return true;
  }
  return false;
}

std::string ImbalanceText(const std::optional<Imbalance>& imbalance) {
  if (!imbalance) return "–";
  return fmt::format("{:.2f}× {}", imbalance->ratio(), imbalance->who);
}

std::string ScopeOwner(const Report& report, const Scope& scope) {
  if (scope.aggregate) return {};
  const Profile& profile = *report.profile;
  const Process& process = profile.processes[Index(scope.process)];
  // Of what was measured: ncu and the tracer name one host differently.
  const bool several_hosts =
      std::ranges::any_of(report.rollup->scopes, [&](const ScopeRollup& other) {
        if (other.scope.aggregate) return false;
        const StringId host =
            profile.processes[Index(other.scope.process)].host;
        return host != StringId{} && host != process.host;
      });
  std::string owner;
  if (process.rank >= 0) owner = fmt::format("rank {}", process.rank);
  if (several_hosts && process.host != StringId{}) {
    owner += owner.empty() ? "on " : " on ";
    owner += profile.Name(process.host);
  }
  return owner;
}

std::string ScopeTitle(const Report& report, const Scope& scope) {
  const std::string owner = ScopeOwner(report, scope);
  const std::string name = ScopeName(report, scope);
  return owner.empty() ? name : fmt::format("{} ({})", name, Printable(owner));
}

}  // namespace rangefinder
