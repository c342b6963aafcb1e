#include "region/tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"
#include "region/nvtx_hints.h"

namespace rangefinder {
namespace {

// Most frames of a path. No program nests deeper on purpose, and a region's
// documents grow with its depth.
constexpr std::size_t kMostFrames = 256;

// The region of a process, thread and NVTX state; found once for all launches
// with this state.
struct Place {
  std::optional<RegionId> region{};  // nothing: the selection leaves it out
  bool no_range = false;             // no range was open
  bool outside = false;              // of all regions
  std::uint64_t pruned_frames = 0;
  bool last_pruned = false;  // the innermost frame was pruned
  bool cut = false;          // the path has more than kMostFrames
  std::vector<std::uint64_t> executions{};  // of the frames, innermost first
  std::vector<std::pair<RegionId, std::size_t>>
      members{};                        // merged frames: region, member
  std::vector<std::int32_t> devices{};  // of launches counted so far
};

// Counts of the launches of one run, and of the launches that the selection of
// regions leaves out.
struct LaunchCounts {
  std::uint64_t all = 0, rest = 0;
  double all_ns = 0, rest_ns = 0;

  void Add(const Profile& profile, const Measurement& m, bool kept) {
    if (m.kind == MeasurementKind::kRange) return;
    const std::uint64_t launches = LaunchesOf(profile, m);
    const double ns = DurationNs(profile, m).value_or(0);
    all += launches;
    all_ns += ns;
    if (kept) return;
    rest += launches;
    rest_ns += ns;
  }

  RestOfRun Rest() const {
    const double share =
        all_ns > 0 ? rest_ns / all_ns
                   : static_cast<double>(rest) / static_cast<double>(all);
    return {.launches = rest, .gpu_ns = rest_ns, .share = share};
  }
};

using FrameName = std::pair<StringId, StringId>;  // domain, name
FrameName NameOf(const Frame& frame) {
  return {frame.domain, frame.name};
}

class TreeBuilder {
 public:
  TreeBuilder(const Profile& profile, const Selection& selection)
      : profile_(profile),
        selection_(selection),
        kernels_(profile, selection),
        restricted_(selection.chooses_regions() ||
                    !selection.exclude().empty()) {
    FindUnclosed();
  }

  void Add(MeasurementId id) {
    const Measurement& m = profile_.measurements[Index(id)];
    Place& place = PlaceOfLaunch(m);
    if (restricted_) measured_.Add(profile_, m, place.region.has_value());
    if (!kernels_.Keeps(m)) {
      ++left_out_kernels_;
      // The region stays even if none of its kernels is selected.
      if (place.region) tree_[*place.region].unselected.push_back(id);
      return;
    }
    if (!place.region) {
      ++left_out_by_region_;
      return;
    }
    pruned_ += place.pruned_frames > 0;
    deep_ += place.cut;
    CountExecutions(place, m);
    if (!place.members.empty()) CountMembers(place, m);
    Region& region = tree_[*place.region];
    if (m.kind == MeasurementKind::kRange)
      region.ranges.push_back(id);
    else
      region.kernels.push_back(id);
  }

  // A region of a trace is in the tree also without a kernel.
  void AddVisits(std::uint32_t index) {
    const RangeVisits& visits = profile_.visits[index];
    Region* region = RegionOf(visits);
    if (region == nullptr) return;
    region->visits.push_back(index);
    if (!region->members.empty()) CountVisits(*region, visits);
  }
  void AddUse(std::uint32_t index) {
    if (Region* region = RegionOf(profile_.uses[index]))
      region->uses.push_back(index);
  }

  // A kernel of the baseline run is no measurement, and is not counted as one.
  void AddTraced(std::uint32_t index) {
    const Measurement& m = profile_.traced[index];
    const Place& place = PlaceOfLaunch(m);
    if (restricted_) traced_.Add(profile_, m, place.region.has_value());
    if (!place.region) return;
    Region& region = tree_[*place.region];
    if (kernels_.Keeps(m))
      region.traced.push_back(index);
    else
      region.unselected_traced.push_back(index);
  }

  RegionTree Finish(Notes& notes) {
    const auto say = [&](std::uint64_t count, std::string_view kind,
                         std::string_view what) {
      if (count > 0)
        notes.Add(Severity::kInfo, kind, fmt::format("{} {}", count, what));
    };
    say(left_out_kernels_, "kernels_not_selected",
        "measurements are left out by regions.kernels");
    SetRest(notes);
    if (left_out_inside_ && !profile_.visits.empty()) {
      notes.Add(Severity::kInfo, "regions_left_out_inside",
                "wall, idle, copies, GPU busy and GPU each of a region include "
                "the regions inside it that the selection leaves out; its "
                "launches and GPU time do not");
    }
    say(pruned_, "domains_not_selected",
        "measurements count for an outer region, since regions.domains or "
        "regions.start_end leaves ranges out of their paths");
    if (deep_ > 0) {
      notes.Add(Severity::kWarning, "deep_path",
                fmt::format("measurements inside more than {} ranges count for "
                            "the outer {}",
                            kMostFrames, kMostFrames),
                "", deep_);
    }
    NoteNothingLeft(notes);
    if (selection_.chooses_regions() || left_out_) UseOutermost();
    for (std::size_t i = 0; i < tree_.regions().size(); ++i) {
      Region& region = tree_[static_cast<RegionId>(i)];
      KeepEachOnce(region.executions);
      for (Member& member : region.members) KeepEachOnce(member.executions);
      if (!region.members.empty())
        region.visit_names.resize(region.visits.size());
      if (std::ranges::all_of(region.members, [](const Member& member) {
            return member.since_ns > 0;
          }))
        std::ranges::stable_sort(region.members, {}, &Member::since_ns);
    }
    return std::move(tree_);
  }

 private:
  void SetRest(Notes& notes) {
    const LaunchCounts& counts = traced_.all > 0 ? traced_ : measured_;
    if (counts.rest == 0) return;
    tree_.SetRest(counts.Rest());
    notes.Add(Severity::kInfo, "regions_not_selected",
              RestText(*tree_.rest()) +
                  "; regions.include, regions.exclude and regions.only choose "
                  "the regions");
  }

  // A report of selected regions uses the GPU time of the outermost of them,
  // not of whole processes.
  void UseOutermost() {
    std::vector<std::uint32_t> uses;
    std::vector<RegionId> open = {RegionTree::kRoot};
    while (!open.empty()) {
      const Region& region = tree_[open.back()];
      const bool is_root = open.back() == RegionTree::kRoot;
      open.pop_back();
      if (is_root || region.uses.empty())
        open.insert(open.end(), region.children.begin(), region.children.end());
      else
        uses.insert(uses.end(), region.uses.begin(), region.uses.end());
    }
    std::ranges::sort(uses);
    std::ranges::stable_sort(
        uses, {}, [&](std::uint32_t i) { return profile_.uses[i].process; });
    tree_[RegionTree::kRoot].uses = std::move(uses);
  }

  // The region of a row of a trace; null where the selection leaves it out.
  template <typename Row>
  Region* RegionOf(const Row& row) {
    const Measurement m = LaunchIn(row);
    const Place& place = PlaceOf(m);
    if (place.no_range) return &tree_[RegionTree::kRoot];
    if (!place.region || place.outside) return nullptr;
    // If the selection removes the range itself, its outer range would count
    // twice.
    return place.last_pruned ? nullptr : &tree_[*place.region];
  }

  void CountExecutions(Place& place, const Measurement& m) {
    if (Has(place.devices, m.device)) return;
    place.devices.push_back(m.device);
    RegionId at = *place.region;
    auto member = place.members.rbegin();
    for (const std::uint64_t key : place.executions) {
      const Execution execution{
          .process = m.process, .key = key, .device = m.device};
      tree_[at].executions.push_back(execution);
      if (member != place.members.rend() && member->first == at) {
        tree_[at].members[member->second].executions.push_back(execution);
        ++member;
      }
      at = tree_[at].parent;
    }
  }

  static void KeepEachOnce(std::vector<Execution>& executions) {
    std::ranges::sort(executions);
    executions.erase(std::unique(executions.begin(), executions.end()),
                     executions.end());
  }

  static void See(Member& member, std::uint64_t ns) {
    if (ns > 0 && (member.since_ns == 0 || ns < member.since_ns))
      member.since_ns = ns;
  }

  MemberShare& ShareOf(RegionId region, std::size_t index, ProcessId process,
                       std::int32_t device) {
    std::vector<MemberShare>& shares = tree_[region].members[index].shares;
    const auto [known, is_new] =
        shares_.try_emplace({region, index, process, device}, shares.size());
    if (is_new) shares.push_back({.process = process, .device = device});
    return shares[known->second];
  }

  void CountMembers(const Place& place, const Measurement& m) {
    const bool range = m.kind == MeasurementKind::kRange;
    const double ns = range ? 0 : DurationNs(profile_, m).value_or(0);
    for (const auto& [region, index] : place.members) {
      See(tree_[region].members[index], m.launch_ns);
      MemberShare& share = ShareOf(region, index, m.process, m.device);
      share.kernel_count += range ? 0 : LaunchesOf(profile_, m);
      share.gpu_time_ns += ns;
    }
  }

  // Counts visits of the region itself; inner regions have their own.
  void CountVisits(Region& region, const RangeVisits& visits) {
    const Place& place = PlaceOf(LaunchIn(visits));
    if (place.members.empty() || place.members.back().first != *place.region)
      return;
    const auto [id, index] = place.members.back();
    Member& member = region.members[index];
    region.visit_names.resize(region.visits.size() - 1);
    region.visit_names.push_back(member.name);
    if (!visits.first.empty()) See(member, visits.first[0].start_ns);
    MemberShare& share = ShareOf(id, index, visits.process, -1);
    share.visits += visits.instances;
    share.cpu_ns += visits.cpu_ns.sum();
  }

  // The member `name` of `region`, which is made if it is new.
  std::size_t MemberOf(RegionId region, StringId name) {
    std::vector<Member>& all = tree_[region].members;
    const auto key = std::uint64_t{Index(region)} << 32 | Index(name);
    const auto [known, fresh] = members_.try_emplace(key, all.size());
    if (fresh) all.push_back({.name = name});
    return known->second;
  }

  // The place of a launch: (unattributed) outside of all regions.
  Place& PlaceOfLaunch(const Measurement& m) {
    Place& place = PlaceOf(m);
    if (place.outside && !place.region) place.region = tree_.Unattributed();
    return place;
  }

  Place& PlaceOf(const Measurement& m) {
    // Most launches follow a launch with the same state.
    const State state{m.nvtx, m.thread, m.process};
    if (last_ == nullptr || last_->first != state) {
      const auto [known, fresh] = places_.try_emplace(state);
      if (fresh) known->second = FindPlace(m);
      last_ = &*known;
    }
    return last_->second;
  }

  // Ranges of libraries that are never closed: the program cannot close them.
  void FindUnclosed() {
    if (std::ranges::none_of(profile_.visits, &RangeVisits::unclosed)) return;
    std::map<FrameName, bool> never;
    for (const RangeVisits& visits : profile_.visits) {
      const std::vector<Frame> path = PathOf(profile_, LaunchIn(visits));
      if (path.empty() || !IsOfLibrary(profile_.Name(path.back().domain)))
        continue;
      bool& all = never.try_emplace(NameOf(path.back()), true).first->second;
      all = all && visits.unclosed == visits.instances;
    }
    for (const auto& [frame, all] : never)
      if (all) unclosed_.insert(frame);
  }

  // Removes unclosed ranges of libraries that have inner ranges in `path`.
  void DropUnclosed(std::vector<Frame>& path) const {
    if (unclosed_.empty()) return;
    for (std::size_t i = path.size(); i-- > 1;) {
      const auto outer = path.begin() + static_cast<std::ptrdiff_t>(i) - 1;
      if (unclosed_.contains(NameOf(*outer))) path.erase(outer);
    }
  }

  Place FindPlace(const Measurement& m) {
    Place place;
    std::vector<Frame> path = PathOf(profile_, m);
    place.no_range = path.empty();
    const auto pruned = [&](const Frame& frame) {
      return (!selection_.start_end() && frame.kind == FrameKind::kStartEnd) ||
             !selection_.KeepsDomain(profile_.Name(frame.domain));
    };
    place.last_pruned = !path.empty() && pruned(path.back());
    DropUnclosed(path);
    place.pruned_frames = std::erase_if(path, pruned);
    if (path.size() > kMostFrames) {
      path.resize(kMostFrames);
      place.cut = place.last_pruned = true;
    }
    if (!selection_.KeepsRegion(FrameNames(profile_, path)) ||
        !selection_.KeepsState(profile_, m)) {
      left_out_ = true;
      FindOuterOfLeftOut(std::move(path));
      return place;
    }
    place.outside = path.empty();
    if (place.outside) return place;
    RegionId at = RegionTree::kRoot;
    for (const Frame& frame : path) {
      at = tree_.FindOrAdd(at, frame);
      if (frame.is_merged())
        place.members.emplace_back(at, MemberOf(at, frame.given));
      place.executions.insert(place.executions.begin(), frame.execution);
    }
    place.region = at;
    return place;
  }

  // Whether the region around a path that is left out is in the report.
  void FindOuterOfLeftOut(std::vector<Frame> path) {
    while (!left_out_inside_ && path.size() > 1) {
      path.pop_back();
      left_out_inside_ = selection_.KeepsRegion(FrameNames(profile_, path));
    }
  }

  void NoteNothingLeft(Notes& notes) const {
    const std::size_t all = profile_.measurements.size();
    if (all == 0 || left_out_kernels_ + left_out_by_region_ < all) return;
    if (tree_.regions().size() > 1) return;  // regions without launches
    if (left_out_by_region_ == 0) {
      notes.Add(Severity::kWarning, kNoKernelSelected,
                "regions.kernels selects none of the kernels of this capture");
      return;
    }
    std::string text =
        "the selection (regions.*) matches nothing in this capture";
    for (const Pattern& pattern : selection_.include()) {
      std::vector<std::string> hints;
      if (auto left_out = ExplainLeftOut(pattern, selection_, profile_))
        hints.push_back(std::move(*left_out));
      else
        hints = ExplainPattern(pattern.text(), profile_);
      for (const std::string& hint : hints)
        text += fmt::format("; '{}': {}", Printable(pattern.text()), hint);
    }
    notes.Add(Severity::kWarning, kNothingSelected, text);
  }

  const Profile& profile_;
  const Selection& selection_;
  KeptKernels kernels_;
  const bool restricted_;  // some region may be left out
  std::set<FrameName> unclosed_{};
  LaunchCounts measured_{};
  LaunchCounts traced_{};
  RegionTree tree_;
  // Equal NVTX states of two threads or processes are two places.
  using State = std::tuple<NvtxStateId, std::uint64_t, ProcessId>;
  std::map<State, Place> places_;
  // Index among the members of its region, by region and name.
  std::unordered_map<std::uint64_t, std::size_t> members_;
  // Index among the shares of a region's member.
  std::map<std::tuple<RegionId, std::size_t, ProcessId, std::int32_t>,
           std::size_t>
      shares_;
  std::pair<const State, Place>* last_ = nullptr;  // of the last launch
  std::uint64_t left_out_kernels_ = 0;
  std::uint64_t left_out_by_region_ = 0;
  bool left_out_ = false;         // the selection leaves out a region
  bool left_out_inside_ = false;  // one inside a reported region
  std::uint64_t pruned_ = 0;
  std::uint64_t deep_ = 0;
};

}  // namespace

std::size_t RegionTree::ChildHash::operator()(const ChildKey& key) const {
  std::uint64_t hash = Index(key.parent);
  hash = hash * 0x9E3779B97F4A7C15U + Index(key.domain);
  hash = hash * 0x9E3779B97F4A7C15U + Index(key.name);
  return std::hash<std::uint64_t>{}(hash);
}

std::string RestText(const RestOfRun& rest) {
  std::string text =
      "rest of the run: " + Plural(rest.launches, "launch", "launches");
  if (rest.gpu_ns > 0)
    text += fmt::format(", {} of GPU time", FormatNs(rest.gpu_ns));
  return text + fmt::format(", {}", FormatShare(rest.share, 1));
}

RegionId RegionTree::FindOrAdd(RegionId parent, const Frame& frame) {
  const ChildKey key{parent, frame.domain, frame.name};
  const auto id = static_cast<RegionId>(regions_.size());
  const auto [known, is_new] = children_.try_emplace(key, id);
  if (!is_new) return known->second;
  Region region;
  region.frame = frame;
  region.frame.given = frame.name;
  region.parent = parent;
  region.depth = regions_[Index(parent)].depth + 1;
  regions_.push_back(std::move(region));
  regions_[Index(parent)].children.push_back(id);
  return id;
}

std::optional<RegionId> RegionTree::Find(RegionId parent,
                                         const Frame& frame) const {
  const auto known = children_.find({parent, frame.domain, frame.name});
  if (known == children_.end()) return std::nullopt;
  return known->second;
}

RegionId RegionTree::Unattributed() {
  if (!unattributed_) {
    unattributed_ = static_cast<RegionId>(regions_.size());
    Region region;
    region.depth = 0;
    region.unattributed = true;
    regions_.push_back(std::move(region));
    regions_[0].children.push_back(*unattributed_);
  }
  return *unattributed_;
}

std::vector<Frame> RegionTree::PathTo(RegionId id) const {
  std::vector<Frame> path;
  if ((*this)[id].unattributed) return path;
  path.reserve(static_cast<std::size_t>((*this)[id].depth + 1));
  for (; id != kRoot; id = (*this)[id].parent)
    path.push_back((*this)[id].frame);
  std::ranges::reverse(path);
  return path;
}

RegionTree BuildRegionTree(const Profile& profile, const Selection& selection,
                           Notes& notes) {
  TreeBuilder builder(profile, selection);
  for (std::size_t i = 0; i < profile.measurements.size(); ++i)
    builder.Add(static_cast<MeasurementId>(i));
  for (const std::uint32_t i : ByProcess(profile.visits)) builder.AddVisits(i);
  for (const std::uint32_t i : ByProcess(profile.uses)) builder.AddUse(i);
  for (std::size_t i = 0; i < profile.traced.size(); ++i)
    builder.AddTraced(static_cast<std::uint32_t>(i));
  return builder.Finish(notes);
}

}  // namespace rangefinder
