#include "report/find_ranks.h"

#include <algorithm>
#include <utility>

#include "ranks/rank_analysis.h"
#include "ranks/rank_records.h"

namespace rangefinder {
namespace {

bool IsOfJob(const RankRecord& record) {
  return record.rank >= 0 || !record.collectives.empty();
}

bool IsJob(const Ranks& ranks) {
  return std::ranges::count_if(ranks.records, IsOfJob) > 1;
}

// A summary's are the profile's, and may be many.
std::shared_ptr<const Ranks> RanksIn(const Report& report) {
  const Profile& profile = *report.profile;
  if (!profile.ranks.records.empty())
    return {std::shared_ptr<const Ranks>(), &profile.ranks};
  // Without several processes there is no need to look.
  if (profile.processes.size() < 2) return nullptr;
  return std::make_shared<const Ranks>(RanksOf(profile, *report.tree));
}

}  // namespace

void FindRanks(Report& report) {
  std::shared_ptr<const Ranks> ranks = RanksIn(report);
  if (ranks == nullptr || !IsJob(*ranks)) return;
  report.rank_analysis =
      std::make_shared<const RankAnalysis>(AnalyzeRanks(*ranks));
  report.ranks = std::move(ranks);
}

}  // namespace rangefinder
