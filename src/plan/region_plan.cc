#include "plan/region_plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "region/nvtx_translate.h"
#include "region/path.h"
#include "region/pattern.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

KnownPath Known(const Profile& profile, std::span<const Frame> path) {
  KnownPath known;
  for (const Frame& frame : path) {
    known.push_back({.domain = std::string(profile.Name(frame.domain)),
                     .name = std::string(profile.Name(frame.name)),
                     .kind = frame.kind});
  }
  return known;
}

// How often the region ran, and how long one of the times took: of a trace as
// it was seen, of a capture as its kernels tell.
void AddInstances(const Profile& profile, const Region& from,
                  RegionToMeasure& to) {
  double seconds = 0;
  std::uint64_t timed = 0;
  to.instances = 0;
  for (const std::uint32_t index : from.visits) {
    const RangeVisits& visits = profile.visits[index];
    to.instances += visits.instances;
    timed += visits.cpu_ns.count();
    seconds += static_cast<double>(visits.cpu_ns.sum()) * 1e-9;
  }
  if (timed > 0) to.seconds = seconds / static_cast<double>(timed);
  if (to.instances == 0)
    to.instances = std::max<std::uint64_t>(1, from.executions.size());
}

}  // namespace

Result<std::vector<RegionToMeasure>> PlannableRegions(const Profile& profile,
                                                      const NcuSettings& ncu) {
  std::vector<std::string> texts;
  for (const std::string& text : ncu.nvtx_include) {
    for (std::string& pattern : SplitPatterns(text))
      texts.push_back(std::move(pattern));
  }
  std::vector<Pattern> patterns;
  if (!ncu.nvtx_native) patterns = TRY(ParsePatterns(texts));

  Notes ignored;
  const RegionTree tree = BuildRegionTree(profile, Selection(), ignored);
  std::vector<RegionToMeasure> regions;
  std::vector<std::uint64_t> launches(tree.regions().size());
  for (std::size_t i = tree.regions().size(); i-- > 1;) {
    const Region& region = tree.regions()[i];
    launches[i] += region.kernels.size();
    if (region.parent != RegionTree::kRoot)
      launches[Index(region.parent)] += launches[i];
  }
  std::map<RegionId, std::size_t> index;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    if (tree[id].unattributed) continue;
    const std::vector<Frame> path = tree.PathTo(id);
    const KnownPath known = Known(profile, path);
    RegionToMeasure region;
    region.label = RegionLabel(profile, path);
    if (tree[id].parent != RegionTree::kRoot)
      region.parent = index.at(tree[id].parent);
    region.wanted =
        patterns.empty() || AnyMatches(patterns, FrameNames(profile, path));
    if (const auto expression = ExpressionFor(known))
      region.expressions = {*expression};
    region.kernels = launches[i];
    AddInstances(profile, tree[id], region);
    index[id] = regions.size();
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace rangefinder
