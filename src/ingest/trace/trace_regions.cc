#include "ingest/trace/trace_regions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "ingest/trace/trace_calls.h"
#include "profile/range_depth.h"

namespace rangefinder {
namespace {

// A row, path or context that has no number yet.
constexpr std::uint32_t kNotYet = 0xFFFFFFFF;

// An open push/pop range that has a level.
struct OpenRange {
  std::uint32_t label = 0;
  std::uint32_t domain = 0;
  std::uint32_t row = kNoRow;            // path at its opening
  std::uint32_t instance = kNoInstance;  // made when it launches something
  bool inherited = false;
  std::uint64_t ordinal = kNoOrdinal;
  std::uint64_t open_ns = 0;
  bool left_out = false;  // by ReadSelection: this range, or a range around it
  // The wall time of inner instances that are left out.
  WallTime without{};

  // The time of opening, for the order of paths; see StartEnd::Opening().
  std::uint64_t Opening() const { return inherited ? 0 : open_ns; }
};

// An open push/pop range, with or without a level; a pop looks for it here.
struct PushedRange {
  std::uint32_t label = 0;
  bool inherited = false;
  bool has_level = false;
};

class Replay {
 public:
  Replay(const Trace& trace, const ProcessWallTimes& wall, TraceRegions& out,
         Notes& notes, const ReaderInput& input)
      : trace_(trace),
        wall_(wall),
        out_(out),
        notes_(notes),
        where_(input.path),
        selection_(*input.selection),
        regions_(trace.names),
        process_(trace, regions_, notes, where_) {
    for (StartEnd& range : process_.ranges)
      range.left_out = LeavesOut(range.thread, range.open_ns, 0);
    CollectCalls();
  }

  void Run() {
    Reserve();
    for (const TraceStream& stream : trace_.threads) Play(stream);
    for (const auto& [thread, calls] : calls_) PlayCalls(thread, calls);
    for (const StartEnd& range : process_.ranges) Finish(range);
    for (const StartEnd& range : process_.ranges) {
      if (range.inherited) continue;
      StartEndCount& count = out_.start_end[regions_(range.label)];
      ++(range.close_ns == kNeverClosed ? count.open : count.ended);
    }
    for (std::size_t row = 0; row < out_.rows.size(); ++row)
      out_.rows[row].visits.spans = spans_.Take(row);
    if (pops_ > 0)
      notes_.Add(Severity::kInfo, "unmatched_pop",
                 "range pops with no range open in their domain", where_,
                 pops_);
    out_.too_deep += process_.too_deep;
    if (lost_ > 0)
      notes_.Add(Severity::kDataLoss, "lost_events",
                 "events of a thread were lost, so its regions may be wrong",
                 where_, lost_);
  }

 private:
  // ---- The instances that a selection leaves out

  bool LeavesOut(std::uint64_t thread, std::uint64_t open_ns,
                 std::size_t depth) const {
    return selection_.leaves_out &&
           selection_.leaves_out({.host = trace_.host,
                                  .pid = trace_.header.pid,
                                  .thread = thread,
                                  .open_ns = open_ns,
                                  .depth = depth});
  }

  // Whether an open instance is left out.
  bool InLeftOut() const {
    return selection_.leaves_out &&
           (std::ranges::any_of(stack_, &OpenRange::left_out) ||
            std::ranges::any_of(open_, [&](std::uint32_t range) {
              return process_.ranges[range].left_out;
            }));
  }

  std::size_t DepthOf(std::uint32_t row) const {
    std::size_t depth = 0;
    for (; !out_.rows[row].root; row = out_.rows[row].parent) ++depth;
    return depth;
  }

  // Subtracts the time of a left-out instance from the ranges around it.
  void TakeOff(const OpenRange& range, std::uint64_t ns) {
    if (InLeftOut()) return;
    const WallTime wall = wall_.Between(thread_, range.open_ns, ns);
    for (OpenRange& outer : stack_) {
      if (outer.open_ns <= range.open_ns) outer.without += wall;
    }
  }

  // The calls of a thread that launch nothing.
  struct Calls {
    std::vector<TraceTimedCall> all{};  // by start
    std::size_t next = 0;               // the first that is not counted yet
    std::size_t streams = 0;            // of the thread, not yet played
  };

  // There are at most as many instances as ranges, and as many contexts as
  // launches. Counting them costs less than growing the lists.
  void Reserve() {
    if (trace_.gpu.empty()) return;
    std::size_t launches = 0;
    std::size_t ranges = 0;
    for (const TraceStream& stream : trace_.threads) {
      std::size_t hint = 0;
      std::vector<std::uint64_t>& of_thread = launches_of_[stream.thread];
      ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
        if (event.kind == wire::Event::kLaunch)
          of_thread.push_back(trace_.clock.Ns(event.ticks, hint));
        ranges += event.kind == wire::Event::kPush ||
                  event.kind == wire::Event::kStart;
      });
      launches += of_thread.size();
      all_launches_.insert(all_launches_.end(), of_thread.begin(),
                           of_thread.end());
    }
    if (launches == 0) return;
    std::ranges::sort(all_launches_);
    for (auto& [thread, of_thread] : launches_of_) std::ranges::sort(of_thread);
    ReserveHuge(out_.launches, launches);
    ReserveHuge(out_.contexts, launches);
    ReserveHuge(out_.instances, ranges);
  }

  // The launches of other threads from `open_ns` to `close_ns`.
  std::uint64_t LaunchesBeside(std::uint64_t thread, std::uint64_t open_ns,
                               std::uint64_t close_ns) const {
    if (close_ns <= open_ns) return 0;
    const auto between = [&](const std::vector<std::uint64_t>& launches) {
      return static_cast<std::uint64_t>(
          std::ranges::lower_bound(launches, close_ns) -
          std::ranges::lower_bound(launches, open_ns));
    };
    const auto own = launches_of_.find(thread);
    return between(all_launches_) -
           (own == launches_of_.end() ? 0 : between(own->second));
  }

  void CollectCalls() {
    ForEachTimedCall(trace_.gpu, [&](const TraceTimedCall& call) {
      if (call.kind != wire::TimedCall::kLaunch)
        calls_[call.thread].all.push_back(call);
    });
    for (const HeldUpCall& held_up : HeldUpCallsOf(trace_)) {
      auto& calls = calls_[held_up.thread].all;
      const auto call = std::ranges::find(calls, held_up.call_start_ns,
                                          &TraceTimedCall::start_ns);
      if (call == calls.end()) continue;
      // A damaged trace may hold the same time up several times.
      call->end_ns -= std::min(held_up.end_ns - held_up.start_ns,
                               call->end_ns - call->start_ns);
      call->kind = wire::TimedCall::kLoad;
    }
    for (auto& [thread, calls] : calls_)
      std::ranges::stable_sort(calls.all, {}, &TraceTimedCall::start_ns);
    for (const TraceStream& stream : trace_.threads) {
      const auto calls = calls_.find(stream.thread);
      if (calls != calls_.end()) ++calls->second.streams;
    }
  }

  // Counts the calls of the thread before this moment in the open ranges.
  void CountCallsUntil(std::uint64_t ns) {
    if (own_calls_ == nullptr) return;
    auto& [all, next, streams] = *own_calls_;
    for (; next < all.size() && all[next].start_ns < ns; ++next) {
      Advance(all[next].start_ns);
      CountCall(all[next]);
    }
  }

  void CountCall(const TraceTimedCall& call) {
    if (InLeftOut()) return;
    CallUse& use = out_.calls[{RowNow(), call.name}];
    use.part = PartOf(call.kind);
    ++use.count;
    use.ns += call.end_ns > call.start_ns ? call.end_ns - call.start_ns : 0;
  }

  // Counts the calls of a thread that never called NVTX.
  void PlayCalls(std::uint64_t thread, const Calls& calls) {
    if (calls.next == calls.all.size()) return;
    BeginThread(thread);
    CountCallsUntil(~std::uint64_t{0});
  }

  void BeginThread(std::uint64_t thread) {
    thread_ = thread;
    root_ = RootOf(thread);
    const auto calls = calls_.find(thread);
    own_calls_ = calls != calls_.end() ? &calls->second : nullptr;
    stack_.clear();
    pushed_.clear();
    open_.clear();
    nccl_ = {};
    next_boundary_ = 0;
    plain_ = true;
    context_ = kNotYet;
  }

  void Play(const TraceStream& stream) {
    BeginThread(stream.thread);
    std::size_t hint = 0;
    const std::uint64_t cut =
        ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
          if (event.kind == wire::Event::kClock) return;
          const std::uint64_t ns = trace_.clock.Ns(event.ticks, hint);
          CountCallsUntil(ns);
          See(event, ns);
        });
    if (cut > 0) {
      notes_.Add(Severity::kDataLoss, "damaged_block",
                 "a part of the trace is damaged and left out", where_, cut);
    }
    // A thread id can be reused: the remaining calls belong to the last thread.
    if (own_calls_ != nullptr && --own_calls_->streams == 0)
      CountCallsUntil(~std::uint64_t{0});
    for (const OpenRange& range : stack_) {
      if (!range.inherited && !range.left_out)
        ++out_.rows[range.row].visits.unclosed;
    }
    for (const auto& [domain, pushed] : pushed_) {
      for (const PushedRange& range : pushed) {
        if (!range.inherited)
          ++out_.unclosed[{stream.thread, regions_(range.label)}];
      }
    }
  }

  void See(const TraceEvent& event, std::uint64_t ns) {
    Advance(ns);
    switch (event.kind) {
      case wire::Event::kPush:
        Push(event.operand, ns, false);
        break;
      case wire::Event::kInherit:
        Push(event.operand, ns, true);
        break;
      case wire::Event::kPop:
        Pop(event.operand, ns);
        break;
      case wire::Event::kStart:
        Start(event.extra, ns);
        break;
      case wire::Event::kLaunch:
        Launch(Low(event.extra), ns);
        break;
      case wire::Event::kMessage:
        if (!stack_.empty())
          nccl_.Call(trace_.names, stack_.back().label,
                     {.communicator = event.extra, .bytes = event.more});
        break;
      case wire::Event::kNode:
        out_.nodes[event.extra] = {
            .row = event.operand == 0 ? RowNow() : RowOfStack(),
            .copy_of = event.more};
        if (!stack_.empty())
          nccl_.Launch(stack_.back().domain, event.extra, out_.node_messages);
        break;
      case wire::Event::kLost:
        lost_ += event.operand;
        break;
      default:
        break;  // boundaries have the ends; marks and payloads are no regions
    }
  }

  void Launch(std::uint32_t correlation, std::uint64_t ns) {
    out_.launches.push_back({correlation, ContextNow(), ns});
    if (!stack_.empty())
      nccl_.Launch(stack_.back().domain, correlation, out_.messages);
  }

  // Moves the open start/end ranges of the process to this moment.
  void Advance(std::uint64_t ns) {
    if (!process_.Advance(ns, next_boundary_, open_)) return;
    plain_ = false;
    context_ = kNotYet;
  }

  // The row of the path that is open now: the stack and the process's ranges,
  // by time of opening.
  std::uint32_t RowNow() {
    if (stack_.empty() && open_.empty()) plain_ = true;
    return plain_ ? RowOfStack() : RowAround(nullptr);
  }

  // The row of the open ranges around `inner`, an open range; null: of all open
  // ranges.
  std::uint32_t RowAround(const StartEnd* inner) {
    std::uint32_t row = root_;
    bool reached = false;
    ForEachOpen(
        [&](OpenRange& range) {
          if (!reached) row = Child(row, range.label, FrameKind::kPushPop);
        },
        [&](StartEnd& range) {
          reached = reached || &range == inner;
          if (!reached) row = Child(row, range.label, FrameKind::kStartEnd);
        });
    return row;
  }

  // The row of push/pop and inherited ranges, which are around all others.
  std::uint32_t RowOfStack() const {
    return stack_.empty() ? root_ : stack_.back().row;
  }

  // Visits all open ranges by time of opening.
  template <typename OfStack, typename OfProcess>
  void ForEachOpen(OfStack of_stack, OfProcess of_process) {
    std::size_t i = 0, j = 0;
    while (i < stack_.size() || j < open_.size()) {
      if (j < open_.size() &&
          (i == stack_.size() ||
           process_.ranges[open_[j]].Opening() <= stack_[i].Opening())) {
        of_process(process_.ranges[open_[j++]]);
      } else {
        of_stack(stack_[i++]);
      }
    }
  }

  std::uint32_t ContextNow() {
    if (context_ != kNotYet) return context_;
    TraceContext context{
        .row = RowNow(), .first = out_.open.size(), .left_out = InLeftOut()};
    const auto add = [&](auto& range) {
      out_.open.push_back(InstanceOf(range));
      ++context.count;
    };
    ForEachOpen(add, add);
    out_.contexts.push_back(context);
    context_ = static_cast<std::uint32_t>(out_.contexts.size() - 1);
    return context_;
  }

  std::uint32_t InstanceOf(OpenRange& range) {
    if (range.instance == kNoInstance) {
      if (selection_.list_instances && range.ordinal != kNoOrdinal)
        out_.rows[range.row].visits.openings[range.ordinal].launched = true;
      range.instance = static_cast<std::uint32_t>(out_.instances.size());
      out_.instances.push_back({.label = range.label,
                                .row = range.row,
                                .ordinal = range.ordinal,
                                .thread = thread_,
                                .open_ns = range.Opening()});
    }
    return range.instance;
  }

  std::uint32_t InstanceOf(StartEnd& range) {
    if (range.instance == kNoInstance) {
      range.instance = static_cast<std::uint32_t>(out_.instances.size());
      out_.instances.push_back({.label = range.label,
                                .row = range.row,
                                .kind = FrameKind::kStartEnd,
                                .id = range.id,
                                .thread = range.thread,
                                .open_ns = range.Opening()});
    }
    return range.instance;
  }

  void Push(std::uint32_t label, std::uint64_t ns, bool inherited) {
    const std::uint32_t domain = trace_.names.Label(label).domain;
    const bool has_level = !IsTooDeep(stack_, [&](const OpenRange& other) {
      return regions_(other.label) == regions_(label);
    });
    pushed_[domain].push_back({label, inherited, has_level});
    if (!has_level) {
      ++out_.too_deep;
      return;
    }
    OpenRange range{.label = label,
                    .domain = domain,
                    .inherited = inherited,
                    .open_ns = ns};
    range.row =
        Child(inherited ? RowOfStack() : RowNow(), label, FrameKind::kPushPop);
    range.left_out =
        selection_.leaves_out &&
        (InLeftOut() || LeavesOut(thread_, ns, DepthOf(range.row)));
    if (!inherited && !range.left_out) range.ordinal = Open(range.row, ns);
    context_ = kNotYet;
    stack_.push_back(range);
  }

  void Pop(std::uint32_t domain, std::uint64_t ns) {
    const auto pushed = pushed_.find(domain);
    if (pushed == pushed_.end() || pushed->second.empty()) {
      ++pops_;
      return;
    }
    const bool has_level = pushed->second.back().has_level;
    pushed->second.pop_back();
    if (!has_level) return;
    nccl_.Pop(domain);
    std::size_t at = stack_.size();
    while (stack_[at - 1].domain != domain) --at;
    const OpenRange range = stack_[at - 1];
    if (at != stack_.size()) plain_ = false;
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(at) - 1);
    context_ = kNotYet;
    if (range.left_out) TakeOff(range, ns);
    if (range.inherited || range.left_out) return;
    WallTime wall = wall_.Between(thread_, range.open_ns, ns);
    wall -= range.without;
    Close(range.row, range.ordinal, range.instance, range.open_ns, ns, wall);
  }

  void Start(std::uint64_t id, std::uint64_t ns) {
    const std::uint32_t index = process_.Find(id);
    if (index == kNoRange) return;
    StartEnd& range = process_.ranges[index];
    if (range.row != kNoRow || range.open_ns != ns || range.too_deep) return;
    // Ranges that opened later at the same moment are inside.
    range.row = Child(RowAround(&range), range.label, FrameKind::kStartEnd);
  }

  void Finish(const StartEnd& range) {
    if (range.row == kNoRow || range.left_out || range.inherited) return;
    const std::uint64_t ordinal = Open(range.row, range.open_ns);
    if (range.instance != kNoInstance) {
      if (selection_.list_instances)
        out_.rows[range.row].visits.openings[ordinal].launched = true;
      out_.instances[range.instance].row = range.row;
      out_.instances[range.instance].ordinal = ordinal;
    }
    if (range.close_ns == kNeverClosed) {
      ++out_.rows[range.row].visits.unclosed;
    } else {
      Close(range.row, ordinal, range.instance, range.open_ns, range.close_ns,
            range.closer == range.thread
                ? wall_.Between(range.thread, range.open_ns, range.close_ns)
                : wall_.BetweenThreads(range.open_ns, range.close_ns));
    }
  }

  // Opens an instance of a row; returns its ordinal.
  std::uint64_t Open(std::uint32_t row, std::uint64_t ns) {
    RangeVisits& visits = out_.rows[row].visits;
    const std::uint64_t ordinal = visits.instances++;
    if (selection_.list_instances) visits.openings.push_back({.ns = ns});
    if (ordinal < RangeVisits::kFirst)
      visits.first.push_back({.ordinal = ordinal, .start_ns = ns});
    return ordinal;
  }

  void Close(std::uint32_t row, std::uint64_t ordinal, std::uint32_t instance,
             std::uint64_t open_ns, std::uint64_t close_ns,
             const WallTime& wall) {
    RangeVisits& visits = out_.rows[row].visits;
    // The parts of a wall time add up to it.
    const std::uint64_t ns = wall.total();
    visits.cpu_ns.Add(ns);
    visits.wall += wall;
    visits.migrating_ns += wall_.MigratingNs(open_ns, close_ns);
    visits.launches_beside += LaunchesBeside(visits.thread, open_ns, close_ns);
    spans_.Add(row, {open_ns, std::max(open_ns, close_ns), ns});
    if (ordinal < visits.first.size()) {
      visits.first[ordinal].cpu_ns = ns;
      visits.first[ordinal].closed = true;
      visits.first[ordinal].wall = wall;
    }
    if (instance != kNoInstance) {
      TraceInstance& launched = out_.instances[instance];
      launched.closed = true;
      launched.own = OwnGpuWork(open_ns, std::max(open_ns, close_ns));
      launched.wall = wall;
    }
    if (visits.instances == 1) return;  // `first` has it
    if (visits.slowest.empty()) {
      for (const InstanceTimes& one : visits.first)
        if (one.closed && one.ordinal != ordinal)
          KeepLargest(visits.slowest, one, &InstanceTimes::cpu_ns);
    }
    KeepLargest(visits.slowest,
                {.ordinal = ordinal,
                 .start_ns = open_ns,
                 .cpu_ns = ns,
                 .closed = true,
                 .wall = wall},
                &InstanceTimes::cpu_ns);
  }

  std::uint32_t RootOf(std::uint64_t thread) {
    const auto [place, is_new] = roots_.emplace(thread, kNotYet);
    if (is_new) {
      place->second = static_cast<std::uint32_t>(out_.rows.size());
      TraceRow& row = out_.rows.emplace_back();
      if (out_.paths[0].row == kNoRow) out_.paths[0].row = place->second;
      row.parent = place->second;
      row.root = true;
      row.visits.thread = thread;
    }
    return place->second;
  }

  std::uint32_t Child(std::uint32_t parent, std::uint32_t label,
                      FrameKind kind) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | regions_(label);
    if (key == last_key_) return last_child_;
    const auto [place, is_new] = children_.emplace(key, kNotYet);
    if (is_new) {
      place->second = static_cast<std::uint32_t>(out_.rows.size());
      const std::uint32_t path = PathOfChild(out_.rows[parent].path, label);
      if (out_.paths[path].row == kNoRow) out_.paths[path].row = place->second;
      TraceRow& row = out_.rows.emplace_back();
      row.parent = parent;
      row.path = path;
      row.label = label;
      row.kind = kind;
      row.visits.thread = thread_;
    }
    last_key_ = key;
    last_child_ = place->second;
    return last_child_;
  }

  std::uint32_t PathOfChild(std::uint32_t parent, std::uint32_t label) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | regions_(label);
    const auto [place, is_new] = paths_.emplace(key, kNotYet);
    if (is_new) {
      place->second = static_cast<std::uint32_t>(out_.paths.size());
      out_.paths.push_back({.parent = parent});
    }
    return place->second;
  }

  const Trace& trace_;
  const ProcessWallTimes& wall_;
  TraceRegions& out_;
  Notes& notes_;
  std::string_view where_;
  const ReadSelection& selection_;
  RegionLabels regions_;
  ProcessRanges process_;
  std::unordered_map<std::uint64_t, std::uint32_t> roots_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::unordered_map<std::uint64_t, std::uint32_t> paths_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint32_t last_child_ = kNotYet;
  std::uint64_t pops_ = 0;
  std::uint64_t lost_ = 0;

  std::map<std::uint64_t, Calls> calls_;  // by thread
  // The times of launches, in order.
  std::vector<std::uint64_t> all_launches_;
  std::map<std::uint64_t, std::vector<std::uint64_t>>
      launches_of_;  // by thread

  // The thread being played.
  Calls* own_calls_ = nullptr;
  std::uint64_t thread_ = 0;
  std::uint32_t root_ = 0;
  std::vector<OpenRange> stack_;
  NcclCalls nccl_;
  // By domain, outermost first.
  std::unordered_map<std::uint32_t, std::vector<PushedRange>> pushed_;
  std::vector<std::uint32_t> open_;  // start/end ranges, by time of opening
  std::size_t next_boundary_ = 0;
  SpanKeeper spans_{};  // by row
  bool plain_ = true;   // the row of the stack's top is the path of all ranges
  std::uint32_t context_ = kNotYet;  // of the next launch, if it is known
};

}  // namespace

void KeepLargest(std::vector<InstanceTimes>& list,
                 const InstanceTimes& instance,
                 std::uint64_t InstanceTimes::*key) {
  if (list.size() == RangeVisits::kSlowest && instance.*key <= list.back().*key)
    return;
  const auto place =
      std::ranges::upper_bound(list, instance.*key, std::greater<>(), key);
  list.insert(place, instance);
  if (list.size() > RangeVisits::kSlowest) list.pop_back();
}

TraceRegions ReplayRegions(const Trace& trace, const ProcessWallTimes& wall,
                           Notes& notes, const ReaderInput& input) {
  TraceRegions regions;
  Replay(trace, wall, regions, notes, input).Run();
  return regions;
}

}  // namespace rangefinder
