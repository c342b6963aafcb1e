#include "region/phases.h"

namespace rangefinder {

std::vector<StringId> PhasesOfRegions(const KnownNames& names,
                                      const RegionTree& tree) {
  const auto regions = tree.regions();
  std::vector<StringId> strong(regions.size()), weak(regions.size());
  for (std::size_t r = 1; r < regions.size(); ++r) {
    const Region& region = regions[r];
    strong[r] = strong[Index(region.parent)];
    weak[r] = weak[Index(region.parent)];
    const NameFacts* facts = names.Of(region.frame.domain, region.frame.name);
    if (facts == nullptr || facts->phase == StringId{}) continue;
    (facts->weak_phase ? weak : strong)[r] = facts->phase;
  }
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (strong[r] == StringId{}) strong[r] = weak[r];
  }
  return strong;
}

}  // namespace rangefinder
