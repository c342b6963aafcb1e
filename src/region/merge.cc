#include "region/merge.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "region/merge_text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// A path of names as the program gave them.
struct GivenPath {
  std::uint32_t parent = kNone;
  StringId domain{};
  StringId name{};
  std::uint64_t since_ns = 0;  // of its first opening or launch; 0: not known
  bool recurs = false;         // a thread ran it more than once
  std::vector<std::uint32_t> children{};
};

// Every path of a profile, each once.
class GivenPaths {
 public:
  explicit GivenPaths(const Profile& profile) : profile_(profile), all_(1) {
    for (const Measurement& m : profile.measurements) Add(m, m.launch_ns);
    for (const RangeVisits& row : profile.visits) {
      const Measurement there{
          .process = row.process, .thread = row.thread, .nvtx = row.nvtx};
      const std::uint32_t path =
          Add(there, row.first.empty() ? 0 : row.first[0].start_ns);
      if (row.instances > 1) all_[path].recurs = true;
    }
    for (const RegionUse& row : profile.uses)
      Add({.process = row.process, .thread = row.thread, .nvtx = row.nvtx}, 0);
  }

  const GivenPath& operator[](std::uint32_t path) const { return all_[path]; }
  // 0, the empty path, is not counted.
  bool empty() const { return all_.size() == 1; }

 private:
  // By artifact, process, thread and path: its first execution. Launches of
  // several artifacts are of several runs.
  using Runner = std::tuple<std::uint32_t, ProcessId, std::uint64_t>;

  // The path in which `m` was launched.
  std::uint32_t Add(const Measurement& m, std::uint64_t ns) {
    const std::tuple context{m.artifact, m.process, m.thread, m.nvtx};
    if (last_ == context) return See(at_, ns);
    last_ = context;
    const auto [known, fresh] = contexts_.try_emplace(context, 0);
    at_ = known->second;
    if (!fresh) return See(at_, ns);
    const Runner runner{m.artifact, m.process, m.thread};
    std::uint32_t at = 0;
    for (const Frame& frame : GivenPathOf(profile_, m)) {
      at = Child(at, frame);
      const auto [first, new_here] =
          executions_.try_emplace({at, runner}, frame.execution);
      if (!new_here && first->second != frame.execution) all_[at].recurs = true;
    }
    known->second = at_ = at;
    return See(at, ns);
  }

  std::uint32_t See(std::uint32_t path, std::uint64_t ns) {
    // An outer range was open already.
    for (std::uint32_t at = path; ns > 0 && at != 0; at = all_[at].parent) {
      std::uint64_t& since = all_[at].since_ns;
      if (since > 0 && since <= ns) break;
      since = ns;
    }
    return path;
  }

  std::uint32_t Child(std::uint32_t parent, const Frame& frame) {
    const auto [known, fresh] = children_.try_emplace(
        {.parent = parent, .domain = frame.domain, .name = frame.name},
        static_cast<std::uint32_t>(all_.size()));
    if (fresh) {
      all_[parent].children.push_back(known->second);
      all_.push_back(
          {.parent = parent, .domain = frame.domain, .name = frame.name});
    }
    return known->second;
  }

  const Profile& profile_;
  std::vector<GivenPath> all_;  // parents before children
  std::map<std::tuple<std::uint32_t, ProcessId, std::uint64_t, NvtxStateId>,
           std::uint32_t>
      contexts_;
  std::tuple<std::uint32_t, ProcessId, std::uint64_t, NvtxStateId> last_{
      ~std::uint32_t{0}, {}, 0, {}};
  std::uint32_t at_ = 0;
  std::unordered_map<MergedNames::Key, std::uint32_t, MergedNames::Hash>
      children_;
  std::map<std::pair<std::uint32_t, Runner>, std::uint64_t> executions_;
};

// The ranges of one name under one merged path.
struct Child {
  StringId domain{};
  StringId name{};
  std::uint64_t since_ns = 0;
  bool recurs = false;
  std::vector<std::uint32_t> paths{};
};

class Merger {
 public:
  Merger(const NameMerging& merging, Profile& profile)
      : merging_(merging), profile_(profile), paths_(profile) {}

  void Run() {
    profile_.merged = {};
    std::vector<Open> open = {{.node = 0, .paths = {0}}};
    // Every path is in one node, and is looked at once.
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Open node = std::move(open[i]);
      Descend(node, open);
    }
    if (!any_) profile_.merged = {};
  }

 private:
  struct Open {
    MergedNames::Node node = 0;
    std::vector<std::uint32_t> paths{};
    std::vector<std::pair<StringId, StringId>> frames{};  // domain, shown
  };

  void Descend(const Open& node, std::vector<Open>& open) {
    const std::vector<Child> children = ChildrenOf(node);
    if (children.empty()) return;
    const std::vector<StringId> shown = ShownOf(node, children);
    std::map<std::pair<StringId, StringId>, std::size_t> nodes;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Child& child = children[i];
      const auto [known, fresh] =
          nodes.try_emplace({child.domain, shown[i]}, open.size());
      if (fresh) {
        Open& next = open.emplace_back();
        next.node = ++last_node_;
        if (!merging_.patterns().empty()) {
          next.frames = node.frames;
          next.frames.emplace_back(child.domain, shown[i]);
        }
      }
      Open& into = open[known->second];
      into.paths.insert(into.paths.end(), child.paths.begin(),
                        child.paths.end());
      any_ = any_ || shown[i] != child.name;
      profile_.merged.Add(
          {.parent = node.node, .domain = child.domain, .name = child.name},
          {.node = into.node, .shown = shown[i]});
    }
  }

  // In order of first appearance.
  std::vector<Child> ChildrenOf(const Open& node) const {
    std::vector<Child> children;
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (const std::uint32_t outer : node.paths) {
      for (const std::uint32_t path : paths_[outer].children) {
        const GivenPath& given = paths_[path];
        const std::uint64_t key =
            std::uint64_t{Index(given.domain)} << 32 | Index(given.name);
        const auto [at, fresh] = known.try_emplace(key, children.size());
        if (fresh) {
          children.push_back({.domain = given.domain,
                              .name = given.name,
                              .since_ns = given.since_ns});
        }
        Child& child = children[at->second];
        child.recurs = child.recurs || !fresh || given.recurs;
        if (given.since_ns > 0 &&
            (child.since_ns == 0 || given.since_ns < child.since_ns))
          child.since_ns = given.since_ns;
        child.paths.push_back(path);
      }
    }
    return children;
  }

  // What each is shown as: its own name, where nothing says otherwise.
  std::vector<StringId> ShownOf(const Open& node,
                                const std::vector<Child>& children) {
    std::vector<StringId> shown;
    std::vector<SiblingName> counted;
    std::vector<std::size_t> which;
    // Where a time is not known, none is compared with it.
    const bool timed = std::ranges::all_of(
        children, [](const Child& child) { return child.since_ns > 0; });
    std::unordered_set<std::uint64_t> names;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Child& child = children[i];
      names.insert(KeyOf(child.domain, child.name));
      shown.push_back(child.name);
      if (auto text = ByItsName(node, child)) {
        shown.back() = profile_.strings.Intern(*text);
      } else if (merging_.by_itself()) {
        counted.push_back({.domain = profile_.Name(child.domain),
                           .name = profile_.Name(child.name),
                           .since = timed ? child.since_ns : i,
                           .recurs = child.recurs,
                           .of_counter = node.paths.size() >= kFewestCounted &&
                                         child.paths.size() == 1});
        which.push_back(i);
      }
    }
    const auto counters = MergeCounters(counted);
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!counters[i]) continue;
      const Child& child = children[which[i]];
      const StringId name = profile_.strings.Intern(*counters[i]);
      // A range that is really called `decode_*` is another one.
      if (!names.contains(KeyOf(child.domain, name))) shown[which[i]] = name;
    }
    return shown;
  }

  static std::uint64_t KeyOf(StringId domain, StringId name) {
    return std::uint64_t{Index(domain)} << 32 | Index(name);
  }

  // By what the name says alone, whatever is beside it: the same in every run.
  std::optional<std::string> ByItsName(const Open& node,
                                       const Child& child) const {
    if (!merging_.patterns().empty()) {
      std::vector<FrameName> path;
      for (const auto& [domain, name] : node.frames) {
        path.push_back(
            {.domain = profile_.Name(domain), .name = profile_.Name(name)});
      }
      path.push_back({.domain = profile_.Name(child.domain),
                      .name = profile_.Name(child.name)});
      for (const MergePattern& pattern : merging_.patterns()) {
        if (auto text = pattern.Shown(path)) return text;
      }
    }
    if (!merging_.by_itself()) return std::nullopt;
    return WithoutOperands(profile_.Name(child.name));
  }

  const NameMerging& merging_;
  Profile& profile_;
  const GivenPaths paths_;
  MergedNames::Node last_node_ = 0;
  bool any_ = false;
};

}  // namespace

Result<NameMerging> NameMerging::Make(const MergeOptions& options) {
  NameMerging merging;
  merging.by_itself_ = options.by_itself;
  for (const std::string& text : options.patterns) {
    merging.patterns_.push_back(
        TRY(MergePattern::Parse(text).In("regions.merge.patterns")));
  }
  return merging;
}

void MergeNames(const NameMerging& merging, Profile& profile) {
  profile.merged = {};
  if (!merging.by_itself() && merging.patterns().empty()) return;
  Merger(merging, profile).Run();
}

void MergeNamesAs(const Profile& known, Profile& profile) {
  profile.merged = {};
  const auto id = [&](StringId name) {
    return profile.strings.Intern(known.Name(name));
  };
  for (const auto& [key, step] : known.merged.steps()) {
    profile.merged.Add(
        {.parent = key.parent, .domain = id(key.domain), .name = id(key.name)},
        {.node = step.node, .shown = id(step.shown)});
  }
}

}  // namespace rangefinder
