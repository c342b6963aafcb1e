#include "ranks/process_tree.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/lists.h"
#include "region/path.h"

namespace rangefinder {
namespace {

class Gathering {
 public:
  Gathering(const Profile& profile, const RegionTree& tree)
      : profile_(profile), tree_(tree), all_(profile.processes.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      all_[i].process = static_cast<ProcessId>(i);
  }

  std::vector<ProcessActivities> Run() {
    AddKernels();
    for (const CopyActivity& copy : profile_.copies) {
      if (copy.left_out) continue;
      if (ProcessActivities* of = Of(copy.process)) of->copies.push_back(&copy);
    }
    for (std::size_t i = 0; i < tree_.regions().size(); ++i)
      AddRows(static_cast<RegionId>(i));
    for (ProcessActivities& one : all_) {
      SortBy(one.kernels, [](const Placed<Measurement>& placed) {
        return placed.work->start_ns;
      });
      SortBy(one.copies,
             [](const CopyActivity* copy) { return copy->start_ns; });
    }
    return std::move(all_);
  }

 private:
  static constexpr RegionId kNowhere{0xFFFFFFFF};

  ProcessActivities* Of(ProcessId process) {
    if (Index(process) >= all_.size() ||
        profile_.processes[Index(process)].run > 0)
      return nullptr;
    return &all_[Index(process)];
  }

  // Adds kernels in the order of the profile.
  void AddKernels() {
    std::vector<RegionId> place(profile_.measurements.size(), kNowhere);
    std::vector<RegionId> traced(profile_.traced.size(), kNowhere);
    for (std::size_t i = 0; i < tree_.regions().size(); ++i) {
      const auto id = static_cast<RegionId>(i);
      const Region& region = tree_[id];
      for (const MeasurementId m : region.kernels) place[Index(m)] = id;
      for (const MeasurementId m : region.unselected) place[Index(m)] = id;
      for (const std::uint32_t m : region.traced) traced[m] = id;
      for (const std::uint32_t m : region.unselected_traced) traced[m] = id;
    }
    for (std::size_t i = 0; i < place.size(); ++i)
      AddKernel(profile_.measurements[i], place[i]);
    for (std::size_t i = 0; i < traced.size(); ++i)
      AddKernel(profile_.traced[i], traced[i]);
  }

  void AddKernel(const Measurement& m, RegionId region) {
    if (region == kNowhere || m.kind == MeasurementKind::kRange ||
        m.start_ns == 0 || m.end_ns < m.start_ns || m.folded != 0)
      return;
    if (tree_[region].unattributed) region = RegionTree::kRoot;
    if (ProcessActivities* of = Of(m.process))
      of->kernels.push_back({&m, region});
  }

  void AddRows(RegionId id) {
    for (const std::uint32_t i : tree_[id].visits) {
      const RangeVisits& visits = profile_.visits[i];
      if (ProcessActivities* of = Of(visits.process))
        of->visits.push_back({&visits, id});
    }
    for (const std::uint32_t i : tree_[id].uses) {
      const RegionUse& use = profile_.uses[i];
      if (ProcessActivities* of = Of(use.process))
        of->uses.push_back({&use, id});
    }
  }

  const Profile& profile_;
  const RegionTree& tree_;
  std::vector<ProcessActivities> all_;
};

// The regions that the process entered, and their outer regions, each once.
std::vector<RegionId> RegionsOf(const RegionTree& tree,
                                const ProcessActivities& activities) {
  std::vector<RegionId> regions;
  std::unordered_set<RegionId> seen{RegionTree::kRoot};
  const auto add = [&](RegionId region) {
    for (; seen.insert(region).second; region = tree[region].parent)
      regions.push_back(region);
  };
  for (const Placed<Measurement>& kernel : activities.kernels)
    add(kernel.region);
  for (const Placed<RangeVisits>& visits : activities.visits)
    add(visits.region);
  for (const Placed<RegionUse>& use : activities.uses) add(use.region);
  return regions;
}

}  // namespace

std::vector<ProcessActivities> ActivitiesOf(const Profile& profile,
                                            const RegionTree& tree) {
  return Gathering(profile, tree).Run();
}

ProcessTree TreeOf(const Profile& profile, const RegionTree& tree,
                   const ProcessActivities& activities) {
  std::vector<RegionId> regions = RegionsOf(tree, activities);
  const auto name_of = [&](RegionId region) {
    const Frame& frame = tree[region].frame;
    return std::pair(profile.Name(frame.domain), profile.Name(frame.name));
  };
  std::ranges::sort(
      regions, [&](RegionId a, RegionId b) { return name_of(a) < name_of(b); });
  std::unordered_map<RegionId, std::vector<RegionId>> inner;
  for (const RegionId region : regions)
    inner[tree[region].parent].push_back(region);

  ProcessTree out;
  out.nodes.emplace(RegionTree::kRoot, 0);
  std::vector<RegionId> open{RegionTree::kRoot};
  while (!open.empty()) {
    const RegionId region = open.back();
    open.pop_back();
    if (region != RegionTree::kRoot) {
      const auto [domain, name] = name_of(region);
      out.nodes.emplace(region,
                        static_cast<std::uint32_t>(out.tree.nodes.size()));
      out.tree.nodes.push_back({.domain = std::string(domain),
                                .name = std::string(name),
                                .parent = out.NodeOf(tree[region].parent)});
    }
    const auto children = inner.find(region);
    if (children == inner.end()) continue;
    open.insert(open.end(), children->second.rbegin(), children->second.rend());
  }
  return out;
}

const std::vector<OpenNode>& ActivityPlaces::Of(
    const Measurement& m, std::optional<RegionId> region) {
  const State state{Index(m.nvtx), m.thread};
  // Most launches have the state of the launch before.
  if (last_ != nullptr && last_state_ == state) return *last_;
  const auto [place, is_new] = places_.try_emplace(state);
  if (is_new) place->second = Find(m, region);
  last_state_ = state;
  last_ = &place->second;
  return *last_;
}

// The tree may lack frames of a path (regions.domains); it keeps their order.
std::vector<OpenNode> ActivityPlaces::Find(const Measurement& m,
                                           std::optional<RegionId> region) {
  std::vector<RegionId> around;
  for (RegionId at = region.value_or(RegionTree::kRoot);
       at != RegionTree::kRoot; at = tree_[at].parent)
    around.push_back(at);
  std::ranges::reverse(around);
  std::vector<OpenNode> open;
  RegionId at = RegionTree::kRoot;
  for (const Frame& frame : PathOf(profile_, m)) {
    const auto next = tree_.Find(at, frame);
    if (!next) continue;
    if (region &&
        (open.size() == around.size() || *next != around[open.size()]))
      continue;
    open.push_back(Opened(*next, frame.execution));
    at = *next;
  }
  return open;
}

OpenNode ActivityPlaces::Opened(RegionId region, std::uint64_t execution) {
  const std::uint32_t node = process_tree_.NodeOf(region);
  const auto number = static_cast<std::uint32_t>(instances_.size());
  return {node,
          instances_.try_emplace({node, execution}, number).first->second};
}

}  // namespace rangefinder
