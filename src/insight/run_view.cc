#include "insight/run_view.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "insight/imbalance.h"
#include "ranks/rank_analysis.h"
#include "ranks/rank_records.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

bool IsOfJob(const RankRecord& record) {
  return record.rank >= 0 || !record.collectives.empty();
}

bool IsJob(const Ranks& ranks) {
  return std::ranges::count_if(ranks.records, IsOfJob) > 1;
}

// The ranks of a summary may be many; they stay in the profile.
std::shared_ptr<const Ranks> RanksIn(const RunView& run) {
  const Profile& profile = *run.profile;
  if (!profile.ranks.records.empty())
    return {std::shared_ptr<const Ranks>(), &profile.ranks};
  // With one process there are no ranks to compare.
  if (profile.processes.size() < 2) return nullptr;
  return std::make_shared<const Ranks>(RanksOf(profile, *run.tree));
}

// Sets RunView::ranks and rank_analysis if at least two processes are ranks of
// a job, or communicate. Processes that a program merely starts are not
// compared with each other.
void FindRanks(RunView& run) {
  std::shared_ptr<const Ranks> ranks = RanksIn(run);
  if (ranks == nullptr || !IsJob(*ranks)) return;
  run.rank_analysis =
      std::make_shared<const RankAnalysis>(AnalyzeRanks(*ranks));
  run.ranks = std::move(ranks);
}

// The children of regions that may have content in a scope: each of thousands
// of processes has only some.
class ChildrenInScope {
 public:
  ChildrenInScope(const RunView& run, const ScopeRollup& scope)
      : tree_(*run.tree),
        all_(scope.scope.aggregate || !run.profile->visits.empty() ||
             run.traced->there()) {
    if (all_) return;
    std::set<std::size_t> regions;
    run.rows->AddRegions(scope, regions);
    for (const std::size_t region : regions) {
      const auto id = static_cast<RegionId>(region);
      if (id != RegionTree::kRoot) children_[tree_[id].parent].push_back(id);
    }
  }

  // In order of first appearance.
  std::span<const RegionId> Of(RegionId region) const {
    if (all_) return tree_[region].children;
    const auto known = children_.find(region);
    if (known == children_.end()) return {};
    return known->second;
  }

 private:
  const RegionTree& tree_;
  bool all_;
  std::map<RegionId, std::vector<RegionId>> children_;
};

// A frame's text for people: an empty name becomes visible.
std::string ShownFrame(const Profile& profile, const Frame& frame) {
  std::string text = FrameText(profile, frame);
  if (profile.Name(frame.name).empty()) text += "\"\"";
  return text;
}

}  // namespace

RunView ViewOf(const Profile& profile, const RegionTree& tree,
               const Rollup& rollup, const WarmupRule& warmup) {
  RunView run{
      .profile = &profile, .tree = &tree, .rollup = &rollup, .warmup = warmup};
  run.traced = std::make_shared<TracedRun>(profile, tree, rollup);
  run.rows = std::make_shared<RegionRows>(profile, tree, rollup, *run.traced);
  run.members =
      std::make_shared<Members>(profile, tree, rollup, *run.rows, *run.traced);
  FindRanks(run);
  return run;
}

bool HasRanks(const RunView& run) {
  return run.ranks != nullptr && run.rank_analysis != nullptr &&
         run.ranks->records.size() > 1;
}

bool IsShown(const RunView& run, const ScopeRollup& scope, RegionId id) {
  if (!scope.regions[Index(id)].empty) return true;
  if (run.rows->Unselected(scope, id) > 0) return true;
  if (id == RegionTree::kRoot) return !run.profile->visits.empty();
  if (run.traced->there() && run.traced->Of(scope, id).inclusive.count > 0)
    return true;
  const Region& region = (*run.tree)[id];
  if (!RowsIn(scope.scope, region.visits, run.profile->visits).empty() ||
      !RowsIn(scope.scope, region.uses, run.profile->uses).empty())
    return true;
  // A selection may leave this region out, and include an inner one without
  // launches.
  return !run.profile->visits.empty() &&
         std::ranges::any_of(region.children, [&](RegionId inner) {
           return IsShown(run, scope, inner);
         });
}

std::vector<RegionId> ReadingOrder(const RunView& run, const ScopeRollup& scope,
                                   RegionId from) {
  const RegionTree& tree = *run.tree;
  const ChildrenInScope children(run, scope);
  std::vector<RegionId> order;
  std::vector<RegionId> stack;
  if (IsShown(run, scope, from)) stack.push_back(from);
  while (!stack.empty()) {
    const RegionId at = stack.back();
    stack.pop_back();
    if (at != RegionTree::kRoot) order.push_back(at);
    // Unattributed work is last.
    std::vector<std::tuple<bool, double, RegionId>> inner;
    for (const RegionId child : children.Of(at)) {
      if (IsShown(run, scope, child))
        inner.emplace_back(tree[child].unattributed,
                           -run.rows->TimeNs(scope, child), child);
    }
    std::ranges::stable_sort(inner, {}, [](const auto& one) {
      return std::pair(std::get<bool>(one), std::get<double>(one));
    });
    for (const auto& one : inner | std::views::reverse)
      stack.push_back(std::get<RegionId>(one));
  }
  return order;
}

bool IsReported(const RunView& run, RegionId id) {
  return std::ranges::any_of(run.rollup->scopes, [&](const ScopeRollup& scope) {
    return IsShown(run, scope, id);
  });
}

std::string ScopeOwner(const RunView& run, const Scope& scope) {
  if (scope.aggregate) return {};
  const Profile& profile = *run.profile;
  const Process& process = profile.processes[Index(scope.process)];
  // Only hosts of measured processes count: ncu and the tracer may name the
  // same host differently.
  const bool several_hosts = run.members->OnOtherHostsThan(process.host);
  std::string owner;
  if (process.rank >= 0) owner = fmt::format("rank {}", process.rank);
  if (several_hosts && process.host != StringId{}) {
    owner += owner.empty() ? "on " : " on ";
    owner += profile.Name(process.host);
  }
  return owner;
}

std::string ScopeTitle(const RunView& run, const Scope& scope) {
  // Only the process of a merged summary, which stands for all, has no id.
  const std::size_t processes = run.profile->ranks.records.size();
  if (!scope.aggregate && processes > 1 &&
      run.profile->processes[Index(scope.process)].pid == 0)
    return fmt::format("{} processes together, device {}",
                       FormatCount(processes), scope.device);
  const std::string owner = ScopeOwner(run, scope);
  const std::string name = ScopeName(run, scope);
  return owner.empty() ? name : fmt::format("{} ({})", name, Printable(owner));
}

std::string InFirstScope(const RunView& run) {
  const std::vector<ScopeRollup>& scopes = run.rollup->scopes;
  if (scopes.size() < 2 || scopes.front().scope.aggregate) return {};
  return " in " + ScopeTitle(run, scopes.front().scope);
}

std::string ScopeName(const RunView& run, const Scope& scope) {
  if (scope.aggregate) return "aggregate";
  return fmt::format("process:{}/device:{}",
                     run.profile->processes[Index(scope.process)].pid,
                     scope.device);
}

std::string HeadlineOf(const RunView& run, const ScopeRollup& scope) {
  const RegionRow row = run.rows->Of(scope, RegionTree::kRoot);
  const RegionRows::Wholes wholes =
      run.rows->WholesIn(scope, RegionTree::kRoot);
  std::string text;
  if (row.launches && (*row.launches > 0 || wholes.count == 0)) {
    text = Plural(*row.launches, "kernel", "kernels");
    if (row.time_ns)
      text += fmt::format(", {} GPU time", FormatNs(*row.time_ns));
    if (run.traced->there()) text += " in the baseline run";
    if (row.measured && run.traced->there())
      text += fmt::format(", {} measured", FormatCount(*row.measured));
  }
  if (wholes.count > 0) {
    text += text.empty() ? "" : ", ";
    text += Plural(wholes.count, "range", "ranges") + " measured as a whole";
  }
  if (row.unselected > 0) {
    text += text.empty() ? "" : ", ";
    text += fmt::format("{} left out by regions.kernels",
                        Plural(row.unselected, "kernel", "kernels"));
  }
  if (!text.empty()) return text;
  return row.reason.empty() ? "nothing was measured" : row.reason;
}

std::vector<Finding> FindingsIn(const RunView& run, const Scope& scope,
                                RegionId id) {
  if (run.profile->rules.empty()) return {};
  return FindingsOf(*run.profile,
                    KernelsIn(*run.profile, *run.tree, id, scope));
}

std::vector<const ScopeRollup*> ShownScopes(const RunView& run) {
  std::vector<const ScopeRollup*> shown;
  const std::vector<ScopeRollup>& scopes = run.rollup->scopes;
  const bool alike = scopes.size() == 2 && scopes[0].scope.aggregate;
  for (const ScopeRollup& scope : scopes) {
    if (!alike || scope.scope.aggregate) shown.push_back(&scope);
  }
  return shown;
}

const Amounts& ShownOf(const RegionRollup& region) {
  if (region.inclusive.kernel_count == 0 && !region.inclusive.estimated &&
      !region.measured.empty())
    return region.measured.front().amounts;
  return region.inclusive;
}

std::string RegionName(const RunView& run, RegionId id) {
  const Region& region = (*run.tree)[id];
  if (region.unattributed) return std::string(RegionTree::kUnattributed);
  return ShownFrame(*run.profile, region.frame);
}

std::string RegionTitle(const RunView& run, RegionId id) {
  std::string title;
  for (const Frame& frame : run.tree->PathTo(id)) {
    if (!title.empty()) title += " › ";
    title += ShownFrame(*run.profile, frame);
  }
  return title.empty() ? std::string(RegionTree::kUnattributed) : title;
}

}  // namespace rangefinder
