#include "ranks/process_activities.h"

#include <algorithm>

namespace rangefinder {
namespace {

// Most lists are sorted already.
template <typename List, typename Key>
void SortBy(List& list, Key key) {
  if (!std::ranges::is_sorted(list, {}, key))
    std::ranges::stable_sort(list, {}, key);
}

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
      if (ProcessActivities* of = Of(copy.process)) of->copies.push_back(&copy);
    }
    for (std::size_t i = 0; i < tree_.regions().size(); ++i)
      AddRows(static_cast<RegionId>(i));
    for (ProcessActivities& one : all_) {
      SortBy(one.kernels, [](const PlacedKernel& placed) {
        return placed.kernel->start_ns;
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

}  // namespace

std::vector<ProcessActivities> ActivitiesOf(const Profile& profile,
                                            const RegionTree& tree) {
  return Gathering(profile, tree).Run();
}

}  // namespace rangefinder
