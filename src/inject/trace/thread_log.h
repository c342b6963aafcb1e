// The events of one thread, in their order. The hot path of the library is in
// this header: it takes no lock, allocates nothing, and makes system calls only
// for a new block and, at most once in some 0.1 ms, for the thread's CPU time.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "inject/process/own_memory.h"
#include "inject/trace/clock.h"
#include "inject/trace/label_spelling.h"
#include "inject/trace/stream.h"

namespace rangefinder::inject {

// Odd while a trace is written. Even while an armed process sleeps: logs keep
// their open ranges, and record nothing. It grows with each change; a log of
// another epoch is brought up to date before it is used.
extern std::atomic<std::uint32_t> trace_epoch;

class ThreadLog {
  // The first member: a forked child finds these bytes zeroed.
  struct Own {
    Stream stream;
    std::uint64_t last_ticks = 0;
    std::uint64_t clock_ticks = 0;
    std::uint64_t cpu_ticks = 0;  // of the last reading of the CPU time
    std::uint32_t sequence = 0;
    std::uint32_t epoch = 0;
    std::uint64_t lost = 0;
    std::uint64_t thread = 0;
  };

  Own own_;
  char rest_of_own_[kLargestPage - sizeof(Own)];

 public:
  // The open push/pop ranges, for the levels NVTX returns and for a child that
  // is forked inside them.
  struct Open {
    std::uint32_t label = 0;
    std::uint32_t domain = 0;
    std::uint64_t ticks = 0;
  };
  static constexpr std::size_t kStack = 512;

  // The open ranges that mode `count` has a row for.
  struct Planned {
    std::uint32_t row = 0;
    std::uint32_t place = 0;   // in open()
    std::uint64_t number = 0;  // of the row's instances
    bool measured = false;     // it was begun
  };
  static constexpr std::size_t kMostPlanned = 32;

  // The own bytes of a log: it lies in memory of MapOwnMemory().
  static constexpr std::size_t kOwn = sizeof own_ + sizeof rest_of_own_;

  // False: a signal handler, or an allocator that is traced itself, calls NVTX
  // while this thread is inside one of our calls; or the log is the parent's,
  // or of another epoch.
  bool Enter() {
    if (busy_ != 0 || own_.epoch != trace_epoch.load(std::memory_order_acquire))
        [[unlikely]]
      return false;
    busy_ = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }
  void Leave() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = 0;
  }
  bool busy() const { return busy_ != 0; }
  // False in a forked child for the log that its thread had in the parent,
  // until Start() is called again. The ranges that were open at the fork stay
  // open.
  bool alive() const { return own_.epoch != 0; }
  // Whether events are recorded.
  bool records() const { return own_.epoch % 2 == 1; }
  bool is_current() const { return own_.epoch == trace_epoch.load(); }

  // Records an event of now, with `kExtra` more words.
  template <std::size_t kExtra = 0>
  bool Record(TraceFile& file, wire::Event kind, std::uint32_t operand,
              std::uint64_t extra = 0, std::uint64_t more = 0) {
    static_assert(kExtra <= 2);
    // Room for a clock record, a note of loss and a CPU time before the event
    // itself.
    Stream& stream = own_.stream;
    std::uint64_t* at = stream.Reserve(file, 10);
    if (at == nullptr) [[unlikely]]
      return Lose(file);
    if (stream.sequence() != own_.sequence || own_.lost > 0) [[unlikely]]
      at = NewBlock(at);
    std::uint64_t now = Ticks();
    std::uint64_t delta = now - own_.last_ticks;
    if (((delta | (now - own_.clock_ticks)) >> kClockShift) != 0) [[unlikely]] {
      now = WriteClock(at);
      delta = 0;
    }
    if (((now - own_.cpu_ticks) >> kCpuShift) != 0) [[unlikely]] {
      WriteCpuTime(at, now, delta);
      delta = 0;
    }
    if constexpr (kExtra > 0) Stream::Put(at, 1, extra);
    if constexpr (kExtra > 1) Stream::Put(at, 2, more);
    stream.Commit(at, wire::EventWord(kind, operand, delta), 1 + kExtra);
    own_.last_ticks = now;
    return true;
  }

  // The level of the new range in its domain.
  int Push(std::uint32_t label, std::uint32_t domain) {
    if (open_count_ < kStack)
      open_[open_count_] = {label, domain, own_.last_ticks};
    ++open_count_;
    return domain < kDepths ? depth_[domain]++ : DepthOf(domain) - 1;
  }
  // Keeps the name of the range that was pushed last, for a trace that begins
  // while it is open.
  void Keep(const LabelSpelling& spelling);
  // Of a place in open(). Empty where there is no memory.
  LabelSpelling kept(std::size_t place) const {
    return kept_ != nullptr ? kept_->spellings[place] : LabelSpelling{};
  }
  void FreeKept();
  // The level of the range that ended, or -1 when none was open.
  int Pop(std::uint32_t domain);

  // The label of a spelling when this thread has used it before.
  struct CachedLabel {
    std::uint64_t hash = 0;
    LabelSpelling spelling{};
    std::uint32_t label = 0;
    bool used = false;
  };
  CachedLabel& CacheLine(std::uint64_t hash) {
    return cache_[hash % kCacheLines];
  }
  static bool Same(const CachedLabel& line, std::uint64_t hash,
                   const LabelSpelling& spelling) {
    const LabelSpelling& known = line.spelling;
    return line.used && line.hash == hash && known.handle == spelling.handle &&
           known.length == spelling.length && known.domain == spelling.domain &&
           known.color == spelling.color &&
           known.category == spelling.category &&
           std::memcmp(known.text, spelling.text, spelling.length) == 0;
  }

  // Starts a new log, or the parent's, whose open ranges stay open; in the
  // epoch of a trace or of a sleep. `label_of(place)`: the labels of the open
  // ranges.
  template <typename LabelOf>
  void Start(TraceFile& file, std::uint64_t thread, std::uint32_t epoch,
             LabelOf label_of) {
    Restart(thread, epoch);
    if (!records()) return;
    own_.stream.Start(file, wire::BlockKind::kEvents, thread);
    for (std::size_t i = 0; i < open_count(); ++i) {
      open_[i].label = label_of(i);
      Record(file, wire::Event::kInherit, open_[i].label);
    }
  }
  // Takes over the open ranges of a log that is the parent's.
  void Inherit(const ThreadLog& parent);
  // Before fork(), and in the child.
  void BeforeFork();
  void ForgetParent();

  std::uint64_t thread() const { return own_.thread; }
  Stream& stream() { return own_.stream; }
  const Open* open() const { return open_; }
  std::size_t open_count() const {
    return open_count_ < kStack ? open_count_ : kStack;
  }

  // Includes the ranges that are too deep to be kept.
  std::size_t depth() const { return open_count_; }

  // CUPTI's id of the launch call that the thread is in, as far as its launch
  // event was recorded; 0: none.
  std::uint32_t launching = 0;

  Planned planned[kMostPlanned] = {};  // outermost first
  std::size_t planned_count = 0;
  // The plan that the thread reads, and that must not be freed.
  std::atomic<const void*> reads{nullptr};

  ThreadLog* next = nullptr;  // in the recorder's list
  ThreadLog* previous = nullptr;

 private:
  static constexpr int kClockShift = 25;  // about 10 ms
  static constexpr int kCpuShift = 18;    // about 0.1 ms
  static constexpr std::size_t kDepths = 64;
  static constexpr std::size_t kCacheLines = 1024;

  struct Kept {
    LabelSpelling spellings[kStack];  // of open_
    char text[64 * 1024];             // in the same order
  };

  void Restart(std::uint64_t thread, std::uint32_t epoch);
  bool Lose(TraceFile& file);
  // Write records at `at`, before the next event, and move `at` behind them.
  // WriteClock() writes both clocks and returns the ticks from which deltas
  // count.
  std::uint64_t* NewBlock(std::uint64_t* at);
  std::uint64_t WriteClock(std::uint64_t*& at);
  void WriteCpuTime(std::uint64_t*& at, std::uint64_t now, std::uint64_t delta);
  int DepthOf(std::uint32_t domain) const;

  // The block of a call of ours that a fork() interrupted.
  Block interrupted_{};
  std::uint32_t busy_ = 0;
  std::size_t open_count_ = 0;
  int depth_[kDepths] = {};
  Open open_[kStack] = {};
  CachedLabel cache_[kCacheLines] = {};
  Kept* kept_ = nullptr;  // of a thread of an armed process
};

}  // namespace rangefinder::inject
