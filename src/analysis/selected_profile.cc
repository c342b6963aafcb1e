#include "analysis/selected_profile.h"

#include <algorithm>
#include <compare>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingest/reader.h"
#include "ranks/rank_analysis.h"
#include "ranks/rank_records.h"
#include "region/path.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

// The instances of traces that `window` leaves out: of the outermost range of a
// path that ran more than once, by time of opening in each process. Needs a
// profile with openings and merged names.
class InstancesLeftOut {
 public:
  InstancesLeftOut(const InstanceWindow& window, const Profile& profile) {
    std::map<std::pair<ProcessId, std::string>, std::vector<Opening>> regions;
    std::vector<std::vector<std::string>> places;  // by row, outermost first
    for (const RangeVisits& row : profile.visits) {
      Measurement there;
      there.process = row.process;
      there.thread = row.thread;
      there.nvtx = row.nvtx;
      std::string place;
      const auto path = PathOf(profile, there);
      auto& outer = places.emplace_back();
      for (const Frame& frame : path) {
        place += fmt::format("/{}.{}", Index(frame.domain), Index(frame.name));
        outer.push_back(place);
      }
      const bool start_end =
          !path.empty() && path.back().kind == FrameKind::kStartEnd;
      auto& openings = regions[{row.process, place}];
      for (const RangeVisits::Opening& opening : row.openings)
        openings.push_back({.ns = opening.ns,
                            .thread = row.thread,
                            .depth = start_end ? 0 : path.size(),
                            .launched = opening.launched});
    }
    const auto repeated = [&](ProcessId process, const std::string& place) {
      const auto found = regions.find({process, place});
      return found != regions.end() && Counted(found->second) > 1;
    };
    std::set<std::pair<ProcessId, std::string>> seen;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ProcessId process = profile.visits[i].process;
      const auto first = std::ranges::find_if(
          places[i],
          [&](const std::string& place) { return repeated(process, place); });
      if (first == places[i].end() || !seen.emplace(process, *first).second)
        continue;
      LeaveOut(window, profile.processes[Index(process)], profile,
               regions[{process, *first}]);
    }
  }

  bool empty() const { return left_out_.empty(); }
  bool Contains(const InstancePlace& place) const {
    return left_out_.contains(KeyOf(place));
  }

 private:
  struct Opening {
    std::uint64_t ns = 0;
    std::uint64_t thread = 0;
    std::size_t depth = 0;
    bool launched = false;
    friend auto operator<=>(const Opening&, const Opening&) = default;
  };

  // Counts instances that launched work; in a region without any, all
  // instances.
  static std::size_t Counted(const std::vector<Opening>& openings) {
    const auto launched = static_cast<std::size_t>(
        std::ranges::count(openings, true, &Opening::launched));
    return launched > 0 ? launched : openings.size();
  }

  // An InstancePlace that owns its text.
  using Key = std::tuple<std::string, std::uint64_t, std::uint64_t,
                         std::uint64_t, std::size_t>;

  static Key KeyOf(const InstancePlace& place) {
    return {std::string(place.host), place.pid, place.thread, place.open_ns,
            place.depth};
  }

  void LeaveOut(const InstanceWindow& window, const Process& process,
                const Profile& profile, std::vector<Opening> openings) {
    std::ranges::sort(openings);
    const bool all_count = Counted(openings) == openings.size();
    std::uint64_t ordinal = 0;
    for (const Opening& opening : openings) {
      if (!window.Takes(ordinal))
        left_out_.insert(KeyOf({.host = profile.Name(process.host),
                                .pid = process.pid,
                                .thread = opening.thread,
                                .open_ns = opening.ns,
                                .depth = opening.depth}));
      if (all_count || opening.launched) ++ordinal;
    }
  }

  std::set<Key> left_out_{};
};

// A kernel by all of its names; several kernels may share a `demangled` name.
std::string NamesOf(const Profile& profile, const Measurement& m) {
  return fmt::format("{}\n{}", profile.Name(m.demangled_name),
                     profile.Name(m.mangled_name));
}

std::unordered_set<std::string> CountedKernels(const Profile& profile,
                                               const Selection& selection) {
  std::unordered_set<std::string> counted;
  if (selection.keeps_all_kernels()) return counted;
  KeptKernels kept(profile, selection);
  for (const Measurement& m : profile.measurements)
    if (kept.Keeps(m)) counted.insert(NamesOf(profile, m));
  return counted;
}

// The time that collectives of several ranks waited for their last rank.
class WaitsOfRanks {
 public:
  WaitsOfRanks(const Profile& profile, const Selection& selection) {
    if (profile.processes.size() < 2 || !profile.ranks.records.empty() ||
        !HasCollectives(profile))
      return;
    Notes ignored;
    const Ranks ranks =
        RanksOf(profile, BuildRegionTree(profile, selection, ignored));
    const auto waits = RankWaits(ranks);
    for (std::size_t r = 0; r < waits.size(); ++r) {
      const RankRecord& record = ranks.records[r];
      for (std::size_t i = 0; i < waits[r].size(); ++i) {
        const Collective& one = record.collectives[i];
        if (waits[r][i] >= 1)
          waits_.emplace(Key{record.host, record.pid, one.start_ns, one.end_ns},
                         static_cast<std::uint64_t>(waits[r][i]));
      }
    }
  }

  bool empty() const { return waits_.empty(); }

  // The wait of a kernel of the last process.
  std::uint64_t Of(const Profile& profile, const Measurement& m) const {
    const Process& process = profile.processes.back();
    const auto found = waits_.find({std::string(profile.Name(process.host)),
                                    process.pid, m.start_ns, m.end_ns});
    return found == waits_.end() ? 0 : found->second;
  }

 private:
  static bool HasCollectives(const Profile& profile) {
    std::set<StringId> seen;
    return std::ranges::any_of(profile.measurements, [&](const Measurement& m) {
      return seen.insert(m.demangled_name).second &&
             !CollectiveKind(profile.Name(m.demangled_name)).empty();
    });
  }

  // The host, the process, start and end.
  using Key =
      std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>;
  std::map<Key, std::uint64_t> waits_{};
};

}  // namespace

Result<Profile> ReadSelected(const RunArtifacts& artifacts,
                             const SelectionOptions& selected,
                             const InstanceWindow& window,
                             const NameMerging& merging, Notes& notes) {
  const Selection selection = TRY(Selection::Make(selected));
  const bool all_kernels = selection.keeps_all_kernels();
  ReadSelection read{.list_instances = !window.takes_all()};
  // Kernels, instances and late ranks are known only after all files are read.
  Notes of_all;
  Profile all =
      TRY(ReadArtifacts(artifacts.files, of_all, artifacts.ranks, read));
  const WaitsOfRanks waits(all, selection);
  if (waits.empty() && all_kernels && !read.list_instances) {
    notes.Merge(of_all);
    return all;
  }
  MergeNames(merging, all);
  const InstancesLeftOut left_out(window, all);
  const auto counted = CountedKernels(all, selection);
  if (all.visits.empty() ||
      (waits.empty() && left_out.empty() && all_kernels)) {
    all.merged = {};
    notes.Merge(of_all);
    return all;
  }
  all = {};
  read.list_instances = false;
  if (!waits.empty()) {
    read.rank_wait = [&](const Profile& profile, const Measurement& m) {
      return waits.Of(profile, m);
    };
  }
  if (!left_out.empty()) {
    read.leaves_out = [&](const InstancePlace& place) {
      return left_out.Contains(place);
    };
  }
  if (!all_kernels) {
    read.counts = [&](const Profile& profile, const Measurement& m) {
      return m.kind != MeasurementKind::kKernel ||
             counted.contains(NamesOf(profile, m));
    };
  }
  return ReadArtifacts(artifacts.files, notes, artifacts.ranks, read);
}

void KeepInstances(const InstanceWindow& window,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes) {
  if (window.takes_all()) return;
  // Instances that ncu already selected stay.
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < profile.artifacts.size(); ++i) {
    const Artifact& artifact = profile.artifacts[i];
    if (artifact.format == "summary" || artifact.format == "report-json") {
      taken.insert(static_cast<std::uint32_t>(i));
      notes.Add(Severity::kWarning, "instances_unknown",
                fmt::format("{}: not applied, since the file has no single "
                            "instances; select them in its capture",
                            WindowText(window)),
                artifact.path);
      continue;
    }
    const auto at = chosen.find(artifact.path);
    if (at == chosen.end()) continue;
    taken.insert(static_cast<std::uint32_t>(i));
    if (at->second == window) continue;
    notes.Add(Severity::kWarning, "instances_not_measured",
              fmt::format(
                  "{}: not applied, since ncu measured other instances "
                  "alone ({}); profile again to see the instances of this key",
                  WindowText(window), WindowText(at->second)),
              artifact.path);
  }
  // Traces were read without the other instances.
  const auto is_chosen = [&](const Measurement& m) {
    return m.mode == ReplayMode::kTrace || taken.contains(m.artifact);
  };
  Executions executions(profile);
  std::uint64_t all = profile.left_out.size();
  for (const Measurement* m : InLaunchOrder(profile)) {
    if (!taken.contains(m->artifact)) ++all;
    if (!is_chosen(*m)) executions.Add(*m);
  }
  if (all == 0) return;
  std::uint64_t ranges = 0;
  const auto left_out =
      profile.left_out.size() +
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        if (is_chosen(m)) return false;
        const auto ordinal = executions.Ordinal(m, PathOf(profile, m));
        const bool out = ordinal && !window.Takes(*ordinal);
        if (out && m.kind == MeasurementKind::kRange) ++ranges;
        return out;
      });
  std::string what = ranges == 0          ? "kernels"
                     : ranges == left_out ? "ranges"
                                          : "kernels and ranges";
  notes.Add(Severity::kInfo, "instances_selected",
            fmt::format("{}: {} of {} {} are left out: they belong to other "
                        "instances",
                        WindowText(window), left_out, all, what));
}

}  // namespace rangefinder
