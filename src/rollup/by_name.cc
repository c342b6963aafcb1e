#include "rollup/by_name.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rangefinder {

NameGroups::NameGroups(const RegionTree& tree)
    : counted_in_(tree.regions().size()) {
  using Name = std::pair<StringId, StringId>;
  const auto name_of = [&](std::size_t i) {
    const Frame& frame = tree.regions()[i].frame;
    return Name(frame.domain, frame.name);
  };
  const std::size_t count = tree.regions().size();
  std::map<Name, std::size_t> sizes;
  for (std::size_t i = 1; i < count; ++i) {
    if (!tree.regions()[i].unattributed) ++sizes[name_of(i)];
  }
  std::map<Name, std::size_t> places;
  for (std::size_t i = 1; i < count; ++i) {
    const auto id = static_cast<RegionId>(i);
    if (tree[id].unattributed || sizes[name_of(i)] < 2) continue;
    const auto [place, is_new] = places.try_emplace(name_of(i), groups_.size());
    if (is_new) groups_.push_back({.frame = tree[id].frame});
    groups_[place->second].regions.push_back(id);
    RegionId outer = tree[id].parent;
    while (outer != RegionTree::kRoot && name_of(Index(outer)) != name_of(i))
      outer = tree[outer].parent;
    if (outer == RegionTree::kRoot) counted_in_[i] = place->second;
  }
}

std::optional<std::size_t> NameGroups::CountedIn(RegionId id) const {
  return counted_in_[Index(id)];
}

NameTallies::NameTallies(const NameGroups& groups, const Plan& plan)
    : groups_(groups), plan_(plan), tallies_(groups.groups().size()) {}

void NameTallies::Add(RegionId id, const Tally& inclusive) {
  const auto group = groups_.CountedIn(id);
  if (!group || inclusive.empty()) return;
  std::optional<Tally>& tally = tallies_[*group];
  if (!tally) tally.emplace(plan_);
  tally->Add(inclusive);
}

std::vector<NameRow> NameTallies::Finish() {
  std::vector<NameRow> rows;
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    if (!tallies_[i]) continue;
    const NameGroups::Group& group = groups_.groups()[i];
    rows.push_back({.frame = group.frame,
                    .regions = group.regions,
                    .amounts = tallies_[i]->Finish(plan_)});
  }
  std::ranges::stable_sort(rows, [](const NameRow& a, const NameRow& b) {
    return a.amounts.gpu_time_ns > b.amounts.gpu_time_ns;
  });
  return rows;
}

}  // namespace rangefinder
