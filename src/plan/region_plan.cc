#include "plan/region_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "capture/plan.h"
#include "region/nvtx_hints.h"
#include "region/nvtx_translate.h"
#include "region/path.h"
#include "region/pattern.h"
#include "region/tree.h"

namespace rangefinder {

namespace {

std::vector<std::string> PatternsOf(const NcuSettings& ncu) {
  std::vector<std::string> patterns;
  for (const std::string& text : ncu.nvtx_include) {
    for (std::string& pattern : SplitPatterns(text))
      patterns.push_back(std::move(pattern));
  }
  return patterns;
}

// Sets the number of instances of a region and, from a trace, the seconds per
// instance. Without a trace the instances are the executions that have
// measurements, at least 1, and the seconds stay unknown.
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

// The names that ncu needs for a region: the names that the program gave, all
// of them for a merged region.
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

// Sets kernels, instances, and seconds per instance from some of the ranges of
// a merged region.
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

// Sets whether the region is wanted, and its expressions for ncu. A pattern
// that matches the merged region's name selects all of its ranges; a pattern
// that matches the names of single ranges selects these ranges.
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
  std::vector<Pattern> patterns;
  if (!ncu.nvtx_native) patterns = TRY(ParsePatterns(PatternsOf(ncu)));

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

// ---- Requested regions -----------------------------------------------------

namespace {

constexpr const char* kIncludeKey = "pipeline.ncu.ncu_cli.nvtx.include";

struct Candidate {
  std::vector<FrameName> names{};
  std::string label{};
  bool launches = false;  // the region or an inner region has kernels
};

// The names point into `profile`.
std::vector<Candidate> CandidatesOf(const Profile& profile) {
  Notes ignored;
  const RegionTree tree = BuildRegionTree(profile, Selection(), ignored);
  std::vector<Candidate> candidates(tree.regions().size());
  for (std::size_t i = tree.regions().size(); i-- > 1;) {
    const auto id = static_cast<RegionId>(i);
    const std::vector<Frame> path = tree.PathTo(id);
    Candidate& candidate = candidates[i];
    candidate.launches = candidate.launches || !tree[id].kernels.empty();
    candidate.names = FrameNames(profile, path);
    candidate.label = RegionLabel(profile, path);
    Candidate& outer = candidates[Index(tree[id].parent)];
    outer.launches = outer.launches || candidate.launches;
  }
  // Patterns never match the root or (unattributed).
  std::erase_if(candidates, [](const auto& c) { return c.names.empty(); });
  return candidates;
}

// The note for a pattern that matches no region with launches.
void NoteUnmatched(const std::string& text, const Candidate* idle,
                   const Profile& known, Notes& notes) {
  std::string said = fmt::format("{}: ", kIncludeKey);
  if (idle != nullptr) {
    said +=
        fmt::format("'{}' means {}, in which the program launched no kernel",
                    Printable(text), idle->label);
  } else {
    said +=
        fmt::format("no region of the program matches '{}'", Printable(text));
    const std::string again = fmt::format("no range is called '{}'; ", text);
    for (const std::string& hint : ExplainPattern(text, known))
      said += "; " + hint.substr(hint.starts_with(again) ? again.size() : 0);
  }
  notes.Add(Severity::kWarning, "include_matches_nothing", std::move(said));
}

}  // namespace

Result<bool> CheckIncludes(const NcuSettings& ncu, const Profile& known,
                           Notes& notes) {
  const std::vector<std::string> texts = PatternsOf(ncu);
  if (ncu.nvtx_native || texts.empty()) return true;
  const std::vector<Pattern> patterns =
      TRY(ParsePatterns(texts).In(kIncludeKey));
  const std::vector<Candidate> candidates = CandidatesOf(known);
  bool any = false;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Candidate* idle = nullptr;
    bool launches = false;
    for (const Candidate& candidate : candidates) {
      if (!patterns[i].Matches(candidate.names)) continue;
      launches = launches || candidate.launches;
      if (idle == nullptr) idle = &candidate;
    }
    any = any || launches;
    if (!launches) NoteUnmatched(texts[i], idle, known, notes);
  }
  return any;
}

void NoteNothingToMeasure(const NcuSettings& ncu, const Profile& known,
                          Notes& notes) {
  const std::vector<Candidate> candidates = CandidatesOf(known);
  std::string why;
  if (candidates.empty()) {
    why = "the program opened no NVTX range";
    if (!IsRangeMode(ncu.replay_mode))
      why +=
          "; pipeline.ncu.gating_nvtx=false measures kernels outside of "
          "ranges too";
  } else if (std::ranges::none_of(candidates, &Candidate::launches)) {
    why = "the program launched no kernel inside its NVTX ranges";
  } else if (!ncu.nvtx_include.empty() && !ncu.nvtx_native) {
    std::vector<std::string> quoted;
    for (const std::string& pattern : PatternsOf(ncu))
      quoted.push_back("'" + Printable(pattern) + "'");
    why = fmt::format("no region that launches kernels matches {} ({})",
                      fmt::join(quoted, ", "), kIncludeKey);
  } else {
    why = "the selection leaves no launch to measure";
  }
  notes.Add(Severity::kWarning, kNoMatchingRegions,
            why + ": ncu has nothing to measure and is not started");
}

}  // namespace rangefinder
