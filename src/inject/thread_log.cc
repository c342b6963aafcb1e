#include "inject/thread_log.h"

namespace rangefinder::inject {

void ThreadLog::Start(TraceFile& file, std::uint64_t thread) {
  thread_ = thread;
  stream_.Start(file, wire::BlockKind::kEvents, thread);
  sequence_ = 0;
  busy_ = false;
  lost_ = 0;
  open_count_ = 0;
  planned_count = 0;
  std::memset(depth_, 0, sizeof depth_);
}

bool ThreadLog::Lose(TraceFile& file) {
  ++lost_;
  Count(file.live().dropped_events);
  return false;
}

void ThreadLog::NewBlock() {
  if (stream_.sequence() != sequence_) {
    sequence_ = stream_.sequence();
    last_ticks_ = clock_ticks_ = stream_.opened_ticks();
  }
  if (lost_ == 0) return;
  const std::uint32_t lost =
      lost_ < 0xFFFFFFF ? static_cast<std::uint32_t>(lost_) : 0xFFFFFFF;
  stream_.Commit(wire::EventWord(wire::Event::kLost, lost, 0), 1);
  lost_ = 0;
}

std::uint64_t ThreadLog::WriteClock() {
  const wire::ClockPair pair = ReadBothClocks();
  stream_.Put(1, pair.ticks);
  stream_.Put(2, pair.realtime_ns);
  stream_.Commit(wire::EventWord(wire::Event::kClock, 0, 0), 3);
  clock_ticks_ = pair.ticks;
  return pair.ticks;
}

int ThreadLog::DepthOf(std::uint32_t domain) const {
  int depth = 0;
  for (std::size_t i = 0; i < open_count(); ++i) {
    depth += open_[i].domain == domain;
  }
  return depth;
}

int ThreadLog::Pop(std::uint32_t domain) {
  const int depth = domain < kDepths ? depth_[domain] : DepthOf(domain);
  if (depth == 0) return -1;
  if (domain < kDepths) --depth_[domain];
  if (open_count_ > kStack) {
    --open_count_;  // one of those too deep to be kept
    return depth - 1;
  }
  // Ranges of different domains need not nest: the topmost of this one ends.
  std::size_t at = open_count_;
  while (at > 0 && open_[at - 1].domain != domain) --at;
  if (at == 0) return depth - 1;
  std::memmove(&open_[at - 1], &open_[at],
               (open_count_ - at) * sizeof open_[0]);
  --open_count_;
  return depth - 1;
}

}  // namespace rangefinder::inject
