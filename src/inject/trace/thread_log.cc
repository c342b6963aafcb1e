#include "inject/trace/thread_log.h"

#include <sys/mman.h>

namespace rangefinder::inject {

// Names of an earlier trace are not those of this one.
void ThreadLog::Restart(std::uint64_t thread, std::uint32_t epoch) {
  if (alive()) {
    own_.stream.Discard();
    for (CachedLabel& line : cache_) line.used = false;
  }
  own_ = Own{};
  own_.thread = thread;
  own_.epoch = epoch;
  planned_count = 0;
  launching = 0;
}

// Ranges that are popped below the top leave a gap in the text.
void ThreadLog::Keep(const LabelSpelling& spelling) {
  if (kept_ == nullptr) kept_ = static_cast<Kept*>(MapMemory(sizeof(Kept)));
  if (kept_ == nullptr || open_count_ > kStack) return;
  LabelSpelling& kept = kept_->spellings[open_count_ - 1];
  std::size_t used = 0;
  if (open_count_ > 1 && (&kept)[-1].text != nullptr) {
    const LabelSpelling& below = (&kept)[-1];
    used = static_cast<std::size_t>(below.text + below.length - kept_->text);
  }
  const std::size_t room = sizeof kept_->text - used;
  kept = spelling;
  kept.text = kept_->text + used;
  if (kept.length > room) kept.length = static_cast<std::uint32_t>(room);
  std::memcpy(kept_->text + used, spelling.text, kept.length);
}

void ThreadLog::FreeKept() {
  UnmapMemory(kept_, sizeof(Kept));
  kept_ = nullptr;
}

void ThreadLog::Inherit(const ThreadLog& parent) {
  // The parent's log was in the middle of a call, and is not used again.
  kept_ = parent.kept_;
  open_count_ = parent.open_count_;
  std::memcpy(depth_, parent.depth_, sizeof depth_);
  std::memcpy(open_, parent.open_, sizeof open_);
}

void ThreadLog::BeforeFork() {
  interrupted_ = busy() ? own_.stream.block() : Block{};
}

// The interrupted call may store more words, which must not reach the parent's
// file.
void ThreadLog::ForgetParent() {
  own_ = Own{};
  if (interrupted_.header != nullptr) {
    mmap(interrupted_.header, interrupted_.size, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
}

bool ThreadLog::Lose(TraceFile& file) {
  ++own_.lost;
  Count(file.live().dropped_events);
  return false;
}

std::uint64_t* ThreadLog::NewBlock(std::uint64_t* at) {
  if (own_.stream.sequence() != own_.sequence) {
    own_.sequence = own_.stream.sequence();
    own_.last_ticks = own_.clock_ticks = own_.stream.block().opened_ticks;
  }
  if (own_.lost == 0) return at;
  const std::uint32_t lost =
      own_.lost < 0xFFFFFFF ? static_cast<std::uint32_t>(own_.lost) : 0xFFFFFFF;
  own_.lost = 0;
  return own_.stream.Commit(at, wire::EventWord(wire::Event::kLost, lost, 0),
                            1);
}

std::uint64_t ThreadLog::WriteClock(std::uint64_t*& at) {
  const wire::ClockPair pair = ReadBothClocks();
  Stream::Put(at, 1, pair.ticks);
  Stream::Put(at, 2, pair.realtime_ns);
  at = own_.stream.Commit(at, wire::EventWord(wire::Event::kClock, 0, 0), 3);
  own_.clock_ticks = pair.ticks;
  return pair.ticks;
}

void ThreadLog::WriteCpuTime(std::uint64_t*& at, std::uint64_t now,
                             std::uint64_t delta) {
  own_.cpu_ticks = now;
  Stream::Put(at, 1, ClockNs(CLOCK_THREAD_CPUTIME_ID));
  at = own_.stream.Commit(at, wire::EventWord(wire::Event::kCpuTime, 0, delta),
                          2);
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
  for (std::size_t i = at; i < open_count_; ++i) {
    open_[i - 1] = open_[i];
    if (kept_ != nullptr) kept_->spellings[i - 1] = kept_->spellings[i];
  }
  --open_count_;
  return depth - 1;
}

}  // namespace rangefinder::inject
