#include "insight/rank_names.h"

#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// Most cells of a name in a sentence.
constexpr std::size_t kWidest = 60;

std::string Shown(std::string_view frame) {
  if (frame.empty()) return "\"\"";
  return Ellipsize(Printable(frame), kWidest);
}

}  // namespace

RankNames::RankNames(const Ranks& ranks, const RankAnalysis& analysis)
    : ranks_(ranks), analysis_(analysis) {
  std::map<std::pair<std::int32_t, std::string_view>, std::size_t> starts;
  for (const RankRecord& record : ranks.records) {
    several_hosts_ = several_hosts_ || record.host != ranks.records[0].host;
    ++starts[{record.rank, record.host}];
  }
  for (const RankRecord& record : ranks.records)
    is_again_.push_back(starts[{record.rank, record.host}] > 1);
  std::map<std::string_view, std::size_t> ends;
  for (const RegionOverRanks& region : analysis.regions) {
    if (!region.path.empty()) ++ends[region.path.back()];
  }
  for (const RegionOverRanks& region : analysis.regions)
    ends_alike_.push_back(!region.path.empty() && ends[region.path.back()] > 1);
}

std::string RankNames::Who(std::size_t record) const {
  const RankRecord& rank = ranks_.records[record];
  std::string text = rank.rank < 0 ? fmt::format("process {}", rank.pid)
                                   : fmt::format("rank {}", rank.rank);
  if (several_hosts_ && !rank.host.empty()) text += " on " + Shown(rank.host);
  if (rank.rank >= 0 && is_again_[record])
    text += fmt::format(", process {}", rank.pid);
  return text;
}

std::string RankNames::ShortWho(std::size_t record) const {
  const RankRecord& rank = ranks_.records[record];
  return rank.rank < 0 ? fmt::format("process {}", rank.pid)
                       : fmt::format("{}", rank.rank);
}

std::string RankNames::Frame(std::size_t region) const {
  const RegionOverRanks& over = analysis_.regions[region];
  return over.path.empty() ? "the run" : Shown(over.path.back());
}

std::string RankNames::Region(std::size_t region) const {
  const RegionOverRanks& over = analysis_.regions[region];
  std::string text = Frame(region);
  if (ends_alike_[region] && over.path.size() > 1)
    text = Shown(over.path[over.path.size() - 2]) + " › " + text;
  return text;
}

}  // namespace rangefinder
