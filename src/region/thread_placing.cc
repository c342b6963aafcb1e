#include "region/thread_placing.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

constexpr std::uint32_t kOutermost = 0xFFFFFFFF;
// The frame between a forward region and its backward work.
constexpr std::string_view kBackward = "backward";

using Names = std::vector<std::pair<StringId, StringId>>;  // domain, name

Names NamesOf(std::span<const Frame> path) {
  Names names;
  for (const Frame& frame : path) names.emplace_back(frame.domain, frame.given);
  return names;
}

// The ranges that a thread had open, and the times of its calls.
class ThreadTimes {
 public:
  void AddSpan(const TimeSpan& span, std::uint32_t row) {
    spans_.push_back({span.start_ns, span.end_ns, row});
    events_.push_back(span.start_ns);
    events_.push_back(span.end_ns);
  }
  void AddLaunch(std::uint64_t ns) { events_.push_back(ns); }

  void Sort() {
    std::ranges::sort(events_);
    // Of two that begin at once, the outer range comes first.
    std::ranges::sort(spans_, [](const Span& a, const Span& b) {
      return std::pair(a.start, ~a.end) < std::pair(b.start, ~b.end);
    });
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < spans_.size(); ++i) {
      while (!open.empty() && spans_[open.back()].end < spans_[i].end)
        open.pop_back();
      spans_[i].outer = open.empty() ? kOutermost : open.back();
      open.push_back(i);
    }
  }

  struct Open {
    std::uint64_t since = 0;
    std::uint32_t row = 0;
  };
  // The innermost range that is open from `from` to `to`, if the thread opens,
  // closes and launches nothing in between.
  std::optional<Open> WaitingIn(std::uint64_t from, std::uint64_t to) const {
    const auto next = std::ranges::lower_bound(events_, from);
    if (next != events_.end() && *next <= to) return std::nullopt;
    auto at = std::ranges::upper_bound(spans_, from, {}, &Span::start);
    if (at == spans_.begin()) return std::nullopt;
    for (auto i = static_cast<std::uint32_t>(at - spans_.begin()) - 1;
         i != kOutermost; i = spans_[i].outer) {
      if (spans_[i].end >= to) return Open{spans_[i].start, spans_[i].row};
    }
    return std::nullopt;
  }

 private:
  struct Span {
    std::uint64_t start = 0, end = 0;
    std::uint32_t row = 0;
    std::uint32_t outer = kOutermost;
  };
  std::vector<Span> spans_;
  std::vector<std::uint64_t> events_;
};

// Makes NVTX states with frames before those of another state.
class StateMaker {
 public:
  explicit StateMaker(Profile& profile) : profile_(profile) {}

  NvtxStateId Under(const Names& prefix, NvtxStateId nvtx,
                    std::uint64_t thread) {
    const auto [known, is_new] = made_.try_emplace({prefix, nvtx, thread});
    if (!is_new) return known->second;
    NvtxState state = profile_.nvtx_states[Index(nvtx)];
    state.order = NvtxState::Order::kTime;
    state.start_end.clear();  // `prefix` has those of the process
    for (NvtxStack& stack : state.stacks) {
      for (NvtxRange& range : stack.ranges) range.order += prefix.size();
    }
    std::map<StringId, std::ptrdiff_t> before;  // frames inserted, by domain
    for (std::size_t i = 0; i < prefix.size(); ++i) {
      const auto& [domain, name] = prefix[i];
      std::vector<NvtxRange>& ranges = StackOf(state, domain, thread).ranges;
      ranges.insert(ranges.begin() + before[domain]++,
                    {.name = name, .order = i + 1});
    }
    profile_.nvtx_states.push_back(std::move(state));
    known->second = static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
    return known->second;
  }

 private:
  Profile& profile_;
  std::map<std::tuple<Names, NvtxStateId, std::uint64_t>, NvtxStateId> made_;
};

// The number that PyTorch writes into the range names of an operation and of
// its backward function: "aten::mm, seq = 7, op_id = 9". Nothing if there is
// none.
std::optional<std::uint64_t> SequenceOf(std::string_view name) {
  constexpr std::string_view kMark = ", seq = ";
  const std::size_t at = name.find(kMark);
  if (at == name.npos) return std::nullopt;
  // PyTorch writes -1 where an operation has no number.
  const std::string_view number = name.substr(at + kMark.size());
  return ParseNumber<std::size_t>(number.substr(0, number.find(',')));
}

bool IsBackward(std::string_view name) {
  return name.find("Backward") != name.npos || name.starts_with("autograd::");
}

class PlacingByThread {
 public:
  PlacingByThread(ThreadPlacement placement, Profile& profile)
      : placement_(placement), profile_(profile), states_(profile) {}

  // Kernels in no range that a range of another thread would adopt, and the
  // range with most of them.
  struct Adoptable {
    std::uint64_t kernels = 0;
    double ns = 0;
    Names range{};
  };
  // Nothing is moved. Gives up if the work is not linear.
  Adoptable CountAdoptable() {
    constexpr std::uint64_t kMostSearches = 20'000'000;
    std::vector<const Measurement*> outside;
    std::map<std::tuple<ProcessId, std::uint64_t, NvtxStateId>, bool> in_range;
    for (const Measurement& m : profile_.measurements) {
      if (IsMain(m)) continue;
      const auto [known, is_new] =
          in_range.try_emplace({m.process, m.thread, m.nvtx});
      if (is_new) known->second = OwnRoot(GivenPathOf(profile_, m)) != nullptr;
      if (!known->second) outside.push_back(&m);
    }
    if (outside.empty()) return {};
    ReadRows();
    if (outside.size() * threads_.size() > kMostSearches) return {};
    Adoptable found;
    std::map<Names, std::uint64_t> ranges;
    for (const Measurement* m : outside) {
      Names range = PrefixOf(*m);
      if (range.empty()) continue;
      ++found.kernels;
      found.ns += DurationNs(profile_, *m).value_or(0);
      ++ranges[std::move(range)];
    }
    if (!ranges.empty()) found.range = MostFrequent(ranges);
    return found;
  }

  // The number of kernels that were moved.
  std::uint64_t Run() {
    ReadRows();
    Vote();
    // All decisions come before the first change.
    std::vector<Names> kernels;
    kernels.reserve(profile_.measurements.size());
    for (const Measurement& m : profile_.measurements)
      kernels.push_back(PrefixOf(m));
    std::vector<Names> rows;
    for (std::uint32_t i = 0; i < profile_.visits.size(); ++i)
      rows.push_back(PrefixOfRow(profile_.visits[i].process,
                                 profile_.visits[i].thread, paths_[i]));
    std::vector<UsePlace> uses;
    for (const RegionUse& use : profile_.uses) {
      const auto path = GivenPathOf(profile_, LaunchIn(use));
      uses.push_back(
          {NamesOf(path), PrefixOfRow(use.process, use.thread, path)});
    }
    const std::vector<std::vector<Names>> foreign = PlacesOfForeign(kernels);
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      Measurement& m = profile_.measurements[i];
      moved += !kernels[i].empty();
      Move(kernels[i], m.process, m.thread, m.nvtx);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      RangeVisits& visits = profile_.visits[i];
      for (std::size_t w = 0; w < foreign[i].size(); ++w)
        Move(foreign[i][w], visits.process, visits.foreign[w].thread,
             visits.foreign[w].launched_in);
      Move(rows[i], visits.process, visits.thread, visits.nvtx);
    }
    ForgetUses(uses, rows);
    ForgetOwn();
    return moved;
  }

 private:
  using ThreadKey = std::pair<ProcessId, std::uint64_t>;
  // A RegionUse: its frames, and the frames to put before them.
  struct UsePlace {
    Names names{};
    Names prefix{};
  };
  // An outermost range of a thread; all work in it goes to the same place.
  using Root = std::tuple<ProcessId, std::uint64_t, StringId, StringId>;

  static Root RootOf(ProcessId process, std::uint64_t thread,
                     const Frame& frame) {
    return {process, thread, frame.domain, frame.given};
  }

  static const Frame* OwnRoot(std::span<const Frame> path) {
    const auto own = std::ranges::find(path, FrameKind::kPushPop, &Frame::kind);
    return own == path.end() ? nullptr : &*own;
  }

  void ReadRows() {
    for (std::uint32_t i = 0; i < profile_.visits.size(); ++i) {
      const RangeVisits& row = profile_.visits[i];
      paths_.push_back(GivenPathOf(profile_, LaunchIn(row)));
      ThreadTimes& times = threads_[{row.process, row.thread}];
      for (const TimeSpan& span : row.spans) times.AddSpan(span, i);
      ReadSequence(i);
    }
    for (const Measurement& m : profile_.measurements) {
      const auto at = threads_.find({m.process, m.thread});
      if (at != threads_.end()) at->second.AddLaunch(m.launch_ns);
    }
    for (auto& [thread, times] : threads_) times.Sort();
  }

  // The first range with a sequence number is the forward one.
  void ReadSequence(std::uint32_t row) {
    if (placement_ != ThreadPlacement::kForward || paths_[row].empty()) return;
    const std::string_view name = profile_.Name(paths_[row].back().given);
    const auto sequence = SequenceOf(name);
    if (!sequence || IsBackward(name)) return;
    const std::uint64_t since = profile_.visits[row].first.empty()
                                    ? ~std::uint64_t{0}
                                    : profile_.visits[row].first[0].start_ns;
    const auto key = std::pair(profile_.visits[row].process, *sequence);
    const auto [known, is_new] = forward_.try_emplace(key, since, row);
    if (!is_new && since < known->second.first) known->second = {since, row};
  }

  // Decides the place of each outermost range: the range that waited during
  // most of its instances.
  void Vote() {
    std::map<Root, std::map<Names, std::uint64_t>> votes;
    for (std::uint32_t i = 0; i < profile_.visits.size(); ++i) {
      const RangeVisits& row = profile_.visits[i];
      const Frame* own = OwnRoot(paths_[i]);
      if (own == nullptr || own != &paths_[i].back() || IsMain(row)) continue;
      for (const TimeSpan& span : row.spans) {
        const std::uint32_t outer =
            WaitingRow(row.process, row.thread, span.start_ns, span.end_ns);
        Names names;
        if (outer != kOutermost) names = NamesOf(paths_[outer]);
        votes[RootOf(row.process, row.thread, *own)][names] += span.count;
      }
    }
    for (const auto& [root, places] : votes)
      roots_[root] = MostFrequent(places);
  }

  static const Names& MostFrequent(
      const std::map<Names, std::uint64_t>& places) {
    return std::ranges::max_element(
               places, {}, [](const auto& place) { return place.second; })
        ->first;
  }

  bool IsMain(const auto& what) const {
    return profile_.processes[Index(what.process)].pid == what.thread;
  }

  std::uint32_t WaitingRow(ProcessId process, std::uint64_t thread,
                           std::uint64_t from, std::uint64_t to) const {
    std::optional<ThreadTimes::Open> best;
    const auto begin = threads_.lower_bound({process, 0});
    for (auto at = begin; at != threads_.end() && at->first.first == process;
         ++at) {
      if (at->first.second == thread) continue;
      const auto open = at->second.WaitingIn(from, to);
      if (!open) continue;
      if (profile_.processes[Index(process)].pid == at->first.second)
        return open->row;
      if (!best || open->since > best->since) best = open;
    }
    return best ? best->row : kOutermost;
  }

  // The forward region of a path in the backward pass; empty without one.
  Names ForwardOf(ProcessId process, std::span<const Frame> path) const {
    if (placement_ != ThreadPlacement::kForward) return {};
    for (const Frame& frame : path) {
      const std::string_view name = profile_.Name(frame.given);
      const auto sequence = SequenceOf(name);
      if (!sequence || !IsBackward(name)) continue;
      const auto known = forward_.find({process, *sequence});
      if (known == forward_.end()) return {};
      // Only ranges around PyTorch's own ranges, if the user has any.
      const std::vector<Frame>& forward = paths_[known->second.second];
      const auto own = std::ranges::find_if(forward, [&](const Frame& f) {
        return profile_.Name(f.given).find(", op_id = ") != std::string::npos;
      });
      const auto length = static_cast<std::size_t>(own - forward.begin());
      Names names =
          NamesOf(std::span(forward).first(std::max<std::size_t>(length, 1)));
      names.emplace_back(StringId{}, profile_.strings.Intern(kBackward));
      return names;
    }
    return {};
  }

  Names PrefixOfRow(ProcessId process, std::uint64_t thread,
                    std::span<const Frame> path) const {
    if (Names forward = ForwardOf(process, path); !forward.empty())
      return forward;
    const Frame* own = OwnRoot(path);
    if (own == nullptr) return {};
    const auto known = roots_.find(RootOf(process, thread, *own));
    return known == roots_.end() ? Names() : known->second;
  }

  Names PrefixOf(const Measurement& m) const {
    const std::vector<Frame> path = GivenPathOf(profile_, m);
    if (OwnRoot(path) != nullptr) return PrefixOfRow(m.process, m.thread, path);
    if (m.launch_ns == 0 || IsMain(m)) return {};
    const std::uint32_t row =
        WaitingRow(m.process, m.thread, m.launch_ns, m.launch_ns);
    return row == kOutermost ? Names() : NamesOf(paths_[row]);
  }

  void Move(const Names& prefix, ProcessId process, std::uint64_t thread,
            NvtxStateId& nvtx) {
    if (prefix.empty()) return;
    for (std::size_t i = 1; i <= prefix.size(); ++i)
      adopting_.emplace(process,
                        Names(prefix.begin(),
                              prefix.begin() + static_cast<std::ptrdiff_t>(i)));
    nvtx = states_.Under(prefix, nvtx, thread);
  }

  // The frames to put before each RangeVisits::foreign, given those for each
  // kernel.
  std::vector<std::vector<Names>> PlacesOfForeign(
      const std::vector<Names>& kernels) const {
    std::vector<std::vector<Names>> places(profile_.visits.size());
    if (std::ranges::all_of(profile_.visits, [](const RangeVisits& row) {
          return row.foreign.empty();
        }))
      return places;
    std::map<std::tuple<ProcessId, std::uint64_t, Names>,
             std::map<Names, std::uint64_t>>
        of_kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const Measurement& m = profile_.measurements[i];
      ++of_kernels[{m.process, m.thread, NamesOf(GivenPathOf(profile_, m))}]
                  [kernels[i]];
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const RangeVisits& row = profile_.visits[i];
      for (const ForeignWork& work : row.foreign) {
        const auto known = of_kernels.find(
            {row.process, work.thread, NamesOf(PathOfForeign(row, work))});
        places[i].push_back(
            known == of_kernels.end() ? Names() : MostFrequent(known->second));
      }
    }
    return places;
  }

  std::vector<Frame> PathOfForeign(const RangeVisits& row,
                                   const ForeignWork& work) const {
    return GivenPathOf(profile_, {.process = row.process,
                                  .thread = work.thread,
                                  .nvtx = work.launched_in});
  }

  // Work that was placed inside a range is no foreign work of the range.
  void ForgetOwn() {
    for (RangeVisits& row : profile_.visits) {
      if (row.foreign.empty()) continue;
      const Names own = NamesOf(GivenPathOf(profile_, LaunchIn(row)));
      std::erase_if(row.foreign, [&](const ForeignWork& work) {
        const Names names = NamesOf(PathOfForeign(row, work));
        return names.size() >= own.size() &&
               std::equal(own.begin(), own.end(), names.begin());
      });
    }
  }

  // The GPU use of ranges that got kernels is unknown.
  void ForgetUses(const std::vector<UsePlace>& places,
                  const std::vector<Names>& rows) {
    std::set<std::pair<ProcessId, Names>> known;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [names, prefix] = places[i];
      RegionUse& use = profile_.uses[i];
      Move(prefix, use.process, use.thread, use.nvtx);
      if (!prefix.empty() || !adopting_.contains({use.process, names}))
        continue;
      use.gpu.clear();
      known.emplace(use.process, names);
    }
    // A range that launched nothing itself has no use yet.
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RangeVisits& row = profile_.visits[i];
      const std::pair range(row.process, NamesOf(paths_[i]));
      if (rows[i].empty() && adopting_.contains(range) &&
          known.insert(range).second)
        profile_.uses.push_back(
            {.process = row.process, .thread = row.thread, .nvtx = row.nvtx});
    }
  }

  ThreadPlacement placement_;
  Profile& profile_;
  StateMaker states_;
  std::vector<std::vector<Frame>> paths_;  // of Profile::visits
  std::map<ThreadKey, ThreadTimes> threads_;
  std::map<std::pair<ProcessId, std::uint64_t>,
           std::pair<std::uint64_t, std::uint32_t>>
      forward_;  // by sequence number: start, row
  std::map<Root, Names> roots_;
  std::set<std::pair<ProcessId, Names>> adopting_;
};

void NoteAdoptable(Profile& profile, Notes& notes) {
  const auto [kernels, ns, range] =
      PlacingByThread(ThreadPlacement::kAdopt, profile).CountAdoptable();
  if (kernels == 0) return;
  notes.Add(
      Severity::kInfo, "threads_waited",
      fmt::format(
          "threads without ranges launched {} ({}) while a range of another "
          "thread was open, mostly {}: if that range waits for them, as that "
          "of "
          "PyTorch's backward pass does, regions.threads=adopt counts them "
          "there",
          Plural(kernels, "kernel", "kernels"), FormatNs(ns),
          Printable(profile.Name(range.back().second))));
}

}  // namespace

void PlaceThreads(ThreadPlacement placement, Profile& profile, Notes& notes) {
  if (profile.measurements.empty()) return;
  const bool traced = std::ranges::all_of(
      profile.measurements,
      [](const Measurement& m) { return m.mode == ReplayMode::kTrace; });
  if (placement == ThreadPlacement::kOwn) {
    if (traced) NoteAdoptable(profile, notes);
    return;
  }
  if (!traced) {
    notes.Add(Severity::kWarning, "threads_own",
              "regions.threads has no effect here: a profiler measured the "
              "kernels by the threads that launched them");
    return;
  }
  const std::uint64_t moved = PlacingByThread(placement, profile).Run();
  notes.Add(Severity::kInfo, "threads_placed",
            fmt::format("{} kernels that other threads launched stand under "
                        "the ranges of {} (regions.threads)",
                        moved,
                        placement == ThreadPlacement::kAdopt
                            ? "threads that waited for them"
                            : "their forward pass, or of threads that waited "
                              "for them"));
}

}  // namespace rangefinder
