#include "ranks/joined_regions.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace rangefinder {

JoinedRegions::JoinedRegions(const Ranks& ranks) {
  using Key = std::tuple<std::size_t, std::string_view, std::string_view>;
  std::map<Key, std::size_t> known;
  parents_.push_back(0);
  frames_.emplace_back();
  nodes_.emplace_back();
  for (std::size_t t = 0; t < ranks.trees.size(); ++t) {
    const std::vector<RankTree::Node>& nodes = ranks.trees[t].nodes;
    std::vector<std::size_t>& of = of_.emplace_back();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const RankTree::Node& node = nodes[i];
      if (i == 0) {
        of.push_back(0);
      } else {
        const std::size_t parent =
            of[std::min<std::size_t>(node.parent, i - 1)];
        const auto [region, is_new] = known.try_emplace(
            Key{parent, node.domain, node.name}, parents_.size());
        of.push_back(region->second);
        if (is_new) {
          parents_.push_back(parent);
          frames_.push_back(
              node.domain.empty() ? node.name : node.domain + "@" + node.name);
          nodes_.emplace_back();
        }
      }
      nodes_[of.back()].emplace_back(t, i);
    }
  }
  records_.resize(ranks.trees.size());
  for (std::size_t r = 0; r < ranks.records.size(); ++r)
    records_[ranks.records[r].tree].push_back(r);
}

std::vector<std::string> JoinedRegions::PathTo(std::size_t region) const {
  std::vector<std::string> path;
  for (; region != 0; region = parents_[region])
    path.push_back(frames_[region]);
  std::ranges::reverse(path);
  return path;
}

std::size_t JoinedRegions::NodeIn(const RankRecord& record,
                                  std::size_t region) const {
  const auto at =
      std::ranges::lower_bound(nodes_[region], std::size_t{record.tree}, {},
                               [](const auto& node) { return node.first; });
  return at != nodes_[region].end() && at->first == record.tree ? at->second
                                                                : kNone;
}

}  // namespace rangefinder
