// The kernels of regions together with those of their inner regions: rows that
// wait for their outer region, each with its tally.
//
// A region whose inner ones have no kernels has no rows here: its own are all.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/plan.h"
#include "rollup/rollup.h"
#include "rollup/tally.h"

namespace rangefinder {

using KernelKey = std::pair<StringId, std::int32_t>;  // demangled, device

// Most time first, then by name and device.
void SortByTime(const Profile& profile, std::vector<KernelRow>& rows);

class KernelRows {
 public:
  KernelRows(const Profile& profile, const Plan& plan, std::size_t regions)
      : profile_(profile), plan_(plan), waiting_(regions) {}

  // Whether inner regions handed on any.
  bool HasInner(RegionId region) const {
    return waiting_[Index(region)] != nullptr;
  }
  // A row of the region's own.
  void Add(RegionId region, const KernelRow& row, std::unique_ptr<Tally> tally);
  // The rows of the region where inner ones have some, finished and sorted.
  void Finish(RegionId region, std::vector<KernelRow>& rows);
  // All of the region's to its outer one.
  void HandOn(RegionId region, RegionId outer);

 private:
  struct Waiting {
    KernelRow row{};
    std::unique_ptr<Tally> tally{};
  };
  struct Rows {
    std::map<KernelKey, Waiting> by_key{};
    bool inner = false;  // some are of inner regions
  };

  Rows& At(RegionId region);
  static void Merge(Waiting& into, Waiting&& from);

  const Profile& profile_;
  const Plan& plan_;
  std::vector<std::unique_ptr<Rows>> waiting_;  // by RegionId
};

}  // namespace rangefinder
