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

// Number of instances of a region, and seconds per instance: measured in a
// trace, derived from the kernels in a capture.
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

// The names that ncu needs for a region: the names of the program, all of them
// for a merged region.
KnownPath Known(const Profile& profile, const RegionTree& tree, RegionId id) {
  KnownPath known;
  for (; id != RegionTree::kRoot; id = tree[id].parent) {
    const Frame& frame = tree[id].frame;
    const std::string domain(profile.Name(frame.domain));
    std::vector<std::string> names;
    for (const Member& member : tree[id].members)
      names.emplace_back(profile.Name(member.name));
    if (names.empty()) {
      known.push_back({.domain = domain,
                       .name = std::string(profile.Name(frame.name)),
                       .kind = frame.kind});
    } else {
      known.push_back(
          MergedFrame(domain, profile.Name(frame.name), frame.kind, names));
    }
  }
  std::ranges::reverse(known);
  return known;
}

// The same for some ranges of a merged region.
void CountMembers(const std::vector<const Member*>& members,
                  RegionToMeasure& region) {
  std::uint64_t cpu_ns = 0;
  region.instances = region.kernels = 0;
  for (const Member* member : members) {
    std::uint64_t visits = 0;
    for (const MemberShare& share : member->shares) {
      visits += share.visits;
      cpu_ns += share.cpu_ns;
      region.kernels += share.kernel_count;
    }
    region.instances += visits > 0 ? visits : member->executions.size();
  }
  if (cpu_ns > 0) {
    region.seconds = static_cast<double>(cpu_ns) * 1e-9 /
                     static_cast<double>(region.instances);
  }
}

// The expressions for the region, and whether the region is wanted. A pattern
// selects single merged ranges by their own name, or all by the name of the
// region.
void Ask(const Profile& profile, const RegionTree& tree, RegionId id,
         std::span<const Pattern> patterns, RegionToMeasure& region) {
  const std::vector<Frame> path = tree.PathTo(id);
  const std::vector<FrameName> names = FrameNames(profile, path);
  KnownPath known = Known(profile, tree, id);
  const auto ask = [&] {
    if (const auto expression = ExpressionFor(known))
      region.expressions.push_back(*expression);
  };
  region.wanted = patterns.empty() || AnyMatches(patterns, names);
  if (!region.wanted) {
    std::vector<FrameName> one = names;
    std::vector<const Member*> wanted;
    for (const Member& member : tree[id].members) {
      one.back().given = profile.Name(member.name);
      if (!AnyMatches(patterns, one)) continue;
      wanted.push_back(&member);
      known.back().regex.clear();
      known.back().name = one.back().given;
      ask();
    }
    region.wanted = !wanted.empty();
    if (region.wanted) return CountMembers(wanted, region);
  }
  ask();
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
    RegionToMeasure region;
    region.label = RegionLabel(profile, path);
    if (tree[id].parent != RegionTree::kRoot)
      region.parent = index.at(tree[id].parent);
    region.kernels = launches[i];
    AddInstances(profile, tree[id], region);
    Ask(profile, tree, id, patterns, region);
    index[id] = regions.size();
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace rangefinder
