#include "report/page_scopes.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "insight/imbalance.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {
namespace {

// Rank, process id and host: the order of scopes by owner.
using Whose = std::tuple<std::int32_t, std::uint64_t, std::string_view>;

std::set<Whose> SpokenOf(const Report& report, std::size_t most) {
  std::set<Whose> whose;
  if (!HasRanks(report)) return whose;
  const auto add = [&](std::size_t record) {
    const RankRecord& rank = report.ranks->records[record];
    if (whose.size() < most) whose.emplace(rank.rank, rank.pid, rank.host);
  };
  for (const LateRank& late : report.rank_analysis->late) add(late.record);
  for (const RankGroup& group : report.rank_analysis->groups)
    add(group.typical);
  return whose;
}

}  // namespace

PageRegions::PageRegions(const Report& report) {
  const std::vector<RegionId> order = ReportedByTime(report);
  const std::uint64_t most = report.options.max_page_regions;
  if (order.size() <= most) return;
  shown_.resize(report.tree->regions().size());
  shown_[Index(RegionTree::kRoot)] = true;
  for (std::size_t i = 0; i < most; ++i) shown_[Index(order[i])] = true;
  left_out_ = order.size() - most;
}

RegionId PageRegions::Around(const Report& report, RegionId id) const {
  while (!Has(id)) id = (*report.tree)[id].parent;
  return id;
}

std::size_t MostPageScopes(const Report& report) {
  // Most scopes times regions; each takes some kilobytes of the page.
  constexpr std::size_t kMostRows = 3200;
  constexpr std::size_t kLeastScopes = 16;
  return std::max(kLeastScopes, kMostRows / report.tree->regions().size());
}

std::vector<const ScopeRollup*> ScopesOneByOne(const Report& report,
                                               std::size_t most) {
  const std::vector<const ScopeRollup*> shown = ShownScopes(report);
  if (shown.size() <= most) return shown;
  const Profile& profile = *report.profile;
  const std::set<Whose> spoken_of = SpokenOf(report, most);
  // The aggregate first, then late and typical ranks, then by time.
  const auto weight = [&](std::size_t i) {
    const Scope& scope = shown[i]->scope;
    const double ns = report.rows->TimeNs(*shown[i], RegionTree::kRoot);
    if (scope.aggregate) return std::pair(2, ns);
    const Process& process = profile.processes[Index(scope.process)];
    const bool wanted = spoken_of.contains(
        {process.rank, process.pid, profile.Name(process.host)});
    return std::pair(wanted ? 1 : 0, ns);
  };
  std::vector<std::pair<int, double>> weights;
  for (std::size_t i = 0; i < shown.size(); ++i) weights.push_back(weight(i));
  std::vector<std::size_t> order = NumbersBy(
      shown.size(), [&](std::size_t i) { return weights[i]; },
      std::greater<>());
  order.resize(most);
  std::ranges::sort(order);
  std::vector<const ScopeRollup*> scopes;
  for (const std::size_t i : order) scopes.push_back(shown[i]);
  return scopes;
}

Result<std::vector<const ScopeRollup*>> FindScopes(const Report& report,
                                                   const std::string& asked) {
  std::vector<const ScopeRollup*> shown = ShownScopes(report);
  if (asked == "all") return shown;
  if (asked.empty()) {
    if (!shown.empty() && shown.front()->scope.aggregate) shown.resize(1);
    return shown;
  }
  std::vector<const ScopeRollup*> found;
  std::vector<std::string> names = {"all"};
  for (const ScopeRollup& scope : report.rollup->scopes) {
    const std::string name = ScopeName(report, scope.scope);
    const std::string owner = ScopeOwner(report, scope.scope);
    if (name == asked || (!owner.empty() && owner == asked))
      found.push_back(&scope);
    names.push_back(name);
    if (!owner.empty()) names.push_back(owner);
  }
  if (!found.empty()) return found;
  std::string known = DidYouMean(asked, names);
  if (known.empty())
    known = "; there are " + Printable(JoinedAsList(names, "and"));
  return Error(ErrorCode::kUsage,
               fmt::format("--scope {}: there is no such scope{}",
                           Printable(asked), known));
}

}  // namespace rangefinder
