#include "app/region_plan.h"

#include <map>
#include <optional>

#include "base/text.h"
#include "region/nvtx_translate.h"
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

std::string Label(const KnownPath& path) {
  std::string label;
  for (const KnownFrame& frame : path) {
    if (!label.empty()) label += '/';
    if (!frame.domain.empty()) label += frame.domain + "@";
    label += frame.name;
  }
  return Printable(label);
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
    region.label = Label(known);
    if (tree[id].parent != RegionTree::kRoot)
      region.parent = index.at(tree[id].parent);
    region.wanted =
        patterns.empty() || AnyMatches(patterns, FrameNames(profile, path));
    if (const auto expression = ExpressionFor(known))
      region.expressions = {*expression};
    region.kernels = launches[i];
    index[id] = regions.size();
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace rangefinder
