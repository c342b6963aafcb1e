#include "ingest/nsys/nsys_process.h"

#include <queue>
#include <tuple>

#include "profile/range_depth.h"

namespace rangefinder {
namespace {

std::uint32_t Index32(StringId id) {
  return static_cast<std::uint32_t>(id);
}

// The index of `item` in `list`, which has each item once; adds new items.
// `known`: the indices by item.
template <typename Item>
std::uint32_t IndexIn(const Item& item, std::map<Item, std::uint32_t>& known,
                      std::vector<Item>& list) {
  const auto [at, is_new] =
      known.try_emplace(item, static_cast<std::uint32_t>(list.size()));
  if (is_new) list.push_back(item);
  return at->second;
}

TraceBlocks BlocksOf(const std::vector<std::uint64_t>& words) {
  return {
      {.words = {reinterpret_cast<const char*>(words.data()), words.size()}}};
}

// The events of a thread in order of time. At the same moment, ranges end
// before others begin, and launches come last: a range contains the launches
// from its start until before its end.
class ThreadEvents {
 public:
  ThreadEvents(const std::vector<TraceLabel>& labels, std::uint64_t shift,
               std::vector<std::uint64_t>& words)
      : labels_(labels), shift_(shift), words_(words) {}

  void Open(const NsysRange& range) {
    const std::uint64_t now = Moved(range.start);
    CloseUntil(now);
    if (range.id != 0) {
      Put(wire::Event::kStart, range.label, now, {range.id});
      return;
    }
    Put(wire::Event::kPush, range.label, now);
    const auto index = static_cast<std::uint32_t>(open_.size());
    open_.push_back(range.label);
    stacks_[labels_[range.label].domain].push_back(index);
    if (range.end != NsysRange::kNeverClosed) {
      closings_.push({.ns = Moved(std::max(range.start, range.end)),
                      .opened = ++opened_,
                      .kind = wire::Event::kPop,
                      .range = index});
    }
  }

  void End(const NsysRange& range) {
    closings_.push({.ns = Moved(std::max(range.start, range.end)),
                    .opened = ++opened_,
                    .kind = wire::Event::kEnd,
                    .range = labels_[range.label].domain,
                    .id = range.id});
  }

  void Launch(wire::Call kind, std::uint32_t correlation, std::int64_t start,
              std::int64_t end) {
    const std::uint64_t now = Moved(start);
    CloseUntil(now);
    Put(wire::Event::kLaunch, static_cast<std::uint32_t>(kind), now,
        {correlation});
    closings_.push({.ns = Moved(std::max(start, end)),
                    .opened = ++opened_,
                    .kind = wire::Event::kLaunched});
  }

  void CloseAll() { CloseUntil(~std::uint64_t{0}); }

  std::uint64_t crossing() const { return crossing_; }

 private:
  struct Closing {
    std::uint64_t ns = 0;
    std::uint64_t opened = 0;  // in order of opening: the last closes first
    wire::Event kind{};
    std::uint32_t range = 0;  // kPop: into `open_`; kEnd: its domain
    std::uint64_t id = 0;     // kEnd

    friend bool operator<(const Closing& a, const Closing& b) {
      return a.ns != b.ns ? a.ns > b.ns : a.opened < b.opened;
    }
  };

  // Unsigned arithmetic is defined even for absurd times.
  std::uint64_t Moved(std::int64_t time) const {
    return Unsigned(time) + shift_;
  }

  void CloseUntil(std::uint64_t ns) {
    while (!closings_.empty() && closings_.top().ns <= ns) {
      const Closing closing = closings_.top();
      closings_.pop();
      if (closing.kind == wire::Event::kPop)
        Pop(closing.range, closing.ns);
      else if (closing.kind == wire::Event::kEnd)
        Put(closing.kind, closing.range, closing.ns, {closing.id});
      else
        Put(closing.kind, 0, closing.ns);
    }
  }

  // A pop closes the last range of its domain, so in a program no inner range
  // of the domain outlives this range. In a file, inner ranges may: they are
  // closed with this range, and opened again.
  void Pop(std::uint32_t range, std::uint64_t ns) {
    const std::uint32_t domain = labels_[open_[range]].domain;
    std::vector<std::uint32_t>& stack = stacks_[domain];
    const auto found = std::find(stack.rbegin(), stack.rend(), range);
    if (found == stack.rend())
      return;  // left out: opened inside too many others
    const auto above = static_cast<std::size_t>(found - stack.rbegin());
    for (std::size_t i = 0; i <= above; ++i) Put(wire::Event::kPop, domain, ns);
    stack.erase(std::next(found).base());
    if (above == 0) return;
    ++crossing_;
    const std::size_t first = stack.size() - above;
    stack.resize(std::min(stack.size(), first + kDeepestPath));
    for (std::size_t i = first; i < stack.size(); ++i)
      Put(wire::Event::kPush, open_[stack[i]], ns);
  }

  void Put(wire::Event kind, std::uint32_t operand, std::uint64_t ns,
           std::initializer_list<std::uint64_t> more = {}) {
    if (ns - last_ns_ > 0xFFFFFFFF) {
      words_.insert(words_.end(),
                    {wire::EventWord(wire::Event::kClock, 0, 0), ns, ns});
      last_ns_ = ns;
    }
    words_.push_back(wire::EventWord(kind, operand, ns - last_ns_));
    words_.insert(words_.end(), more);
    last_ns_ = ns;
  }

  const std::vector<TraceLabel>& labels_;
  const std::uint64_t shift_;
  std::vector<std::uint64_t>& words_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t crossing_ = 0;
  std::vector<std::uint32_t> open_;  // labels of all push/pop ranges
  // By domain, outermost first: into `open_`.
  std::map<std::uint32_t, std::vector<std::uint32_t>> stacks_;
  std::priority_queue<Closing> closings_;
};

}  // namespace

NsysProcess::Domain& NsysProcess::DomainOf(std::uint64_t domain) {
  const auto seen = static_cast<std::uint32_t>(domains_.size());
  return domains_.try_emplace(domain, Domain{.seen = seen}).first->second;
}

void NsysProcess::NameDomain(std::uint64_t domain, StringId name) {
  DomainOf(domain).name = name;
}

std::uint32_t NsysProcess::LabelOf(std::uint64_t domain, StringId name) {
  return IndexIn({.domain = DomainOf(domain).seen, .string = Index32(name)},
                 labels_, names_.labels);
}

std::uint32_t NsysProcess::PlaceOf(const TracePlace& place) {
  return IndexIn(place, places_, names_.places);
}

std::uint32_t NsysProcess::ShapeOf(const TraceShape& shape) {
  return IndexIn(shape, shapes_, names_.shapes);
}

void NsysProcess::PutGpu(wire::Gpu kind, std::uint32_t operand,
                         std::initializer_list<std::uint64_t> words) {
  gpu_.push_back(wire::GpuWord(kind, operand, words.size()));
  gpu_.insert(gpu_.end(), words);
}

void NsysProcess::AddWork(const TraceGpuRecord& record, std::int64_t start,
                          std::int64_t end) {
  // A record that starts at 0 would be unfinished.
  See(start == std::numeric_limits<std::int64_t>::min() ? start : start - 1);
  const std::uint64_t from = Unsigned(start);
  const std::uint64_t to = Unsigned(std::max(start, end));
  const bool kernel = record.kind == wire::Gpu::kKernel;
  wire::Call call = kernel                            ? wire::Call::kKernel
                    : record.kind == wire::Gpu::kCopy ? wire::Call::kCopy
                                                      : wire::Call::kSet;
  if (record.graph_node != 0 ||
      (kernel && names_.shapes[record.shape].is_graph))
    call = wire::Call::kGraph;
  launched_.emplace_back(record.correlation, call);
  if (kernel) {
    PutGpu(record.kind, 0,
           {from, to, wire::Pack(record.correlation, record.shape),
            wire::Pack(record.place, 0), record.graph_node});
  } else {
    PutGpu(record.kind, record.operand,
           {from, to, wire::Pack(record.correlation, record.place),
            record.bytes, record.graph_node});
  }
}

// Readers of a trace use only the times of a migration.
void NsysProcess::AddMigration(std::int64_t start, std::int64_t end) {
  See(start);
  PutGpu(wire::Gpu::kMigration, 0,
         {Unsigned(start), Unsigned(std::max(start, end)), 0, 0});
}

bool NsysProcess::AddCall(std::uint32_t thread, const NsysCall& call,
                          wire::TimedCall kind) {
  if (!launched_sorted_) {
    std::ranges::sort(launched_);
    launched_sorted_ = true;
  }
  const auto work =
      std::ranges::lower_bound(launched_, call.correlation, {},
                               &std::pair<std::uint32_t, wire::Call>::first);
  const bool launches =
      work != launched_.end() && work->first == call.correlation;
  if (launches) {
    See(call.start);
    threads_[thread].launches.push_back(
        {call.start, call.end, call.correlation, work->second});
  }
  // A launch has the times of its call; synchronous copies wait as well.
  if (!launches || kind == wire::TimedCall::kSynchronise)
    AddTimed(kind, thread, call);
  return launches;
}

void NsysProcess::AddTimed(wire::TimedCall kind, std::uint32_t thread,
                           const NsysCall& call) {
  See(call.start);
  PutGpu(wire::Gpu::kTimed, static_cast<std::uint32_t>(kind),
         {Unsigned(call.start), Unsigned(std::max(call.start, call.end)),
          wire::Pack(thread, Index32(call.name))});
}

void NsysProcess::AddRange(std::uint32_t thread, const NsysRange& range) {
  See(range.start);
  has_ranges_ = true;
  threads_[thread].ranges.push_back(range);
}

// Numbers the domains in the order of the export's numbers: of two ranges that
// open at the same moment, the one of the lower domain is outside
// (docs/attribution.md).
void NsysProcess::NumberDomains() {
  std::vector<std::uint32_t> numbers(domains_.size());
  for (const auto& [id, domain] : domains_) {
    numbers[domain.seen] = static_cast<std::uint32_t>(names_.domains.size());
    names_.domains.push_back(Index32(domain.name));
  }
  for (TraceLabel& label : names_.labels) label.domain = numbers[label.domain];
}

void NsysProcess::MoveGpuTimes(std::uint64_t shift) {
  if (shift == 0) return;
  for (std::size_t at = 0; at < gpu_.size();
       at += 1 + GpuRecordWords(gpu_[at])) {
    gpu_[at + 1] += shift;
    gpu_[at + 2] += shift;
  }
}

void NsysProcess::WriteThread(Thread& thread, std::uint64_t shift) {
  const std::vector<TraceLabel>& labels = names_.labels;
  // Of two ranges opened at the same moment, the longer range is the outer one.
  std::ranges::stable_sort(thread.ranges, {}, [&](const NsysRange& range) {
    return std::tuple(range.start, labels[range.label].domain, ~range.end);
  });
  std::ranges::stable_sort(thread.launches, {}, &Launch::start);
  ThreadEvents events(labels, shift, thread.words);
  for (const NsysRange& range : thread.ended) events.End(range);
  auto range = thread.ranges.begin();
  for (const Launch& launch : thread.launches) {
    for (; range != thread.ranges.end() && range->start <= launch.start;
         ++range)
      events.Open(*range);
    events.Launch(launch.kind, launch.correlation, launch.start, launch.end);
  }
  for (; range != thread.ranges.end(); ++range) events.Open(*range);
  events.CloseAll();
  crossing_ += events.crossing();
  thread.ranges = {};
  thread.launches = {};
  thread.ended = {};
}

Trace NsysProcess::Finish(std::uint64_t shift,
                          std::vector<std::string_view> strings) {
  Trace trace;
  trace.header.pid = pid;
  trace.header.rank = -1;
  trace.live.state = wire::RunState::kEnded;
  NumberDomains();
  MoveGpuTimes(shift);
  std::vector<NsysRange> ended;
  for (const auto& [id, thread] : threads_) {
    for (const NsysRange& range : thread.ranges) {
      if (range.id != 0 && range.end != NsysRange::kNeverClosed)
        ended.push_back(range);
    }
  }
  for (const NsysRange& range : ended)
    threads_[range.closed_by].ended.push_back(range);
  for (auto& [id, thread] : threads_) {
    WriteThread(thread, shift);
    trace.threads.push_back({id, BlocksOf(thread.words)});
  }
  trace.gpu = BlocksOf(gpu_);
  trace.names = std::move(names_);
  trace.names.strings = std::move(strings);
  return trace;
}

}  // namespace rangefinder
