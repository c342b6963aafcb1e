// What one thread did: its events, in the order in which it made them. The hot
// path of the library is in this header: no lock, no allocation, no system call
// but one for every new block.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "inject/clock.h"
#include "inject/names.h"
#include "inject/stream.h"

namespace rangefinder::inject {

// A label as NVTX's caller spells it.
struct LabelSpelling {
  const char* text = "";     // or
  std::uint64_t handle = 0;  // of a registered string
  std::uint32_t length = 0;
  std::uint32_t domain = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
};

inline std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

// A hash of text that is fast on the short names that ranges have.
inline std::uint64_t HashText(const char* text, std::size_t length,
                              std::uint64_t seed) {
  std::uint64_t hash = seed ^ (length * 0x9E3779B185EBCA87);
  std::uint64_t word = 0;
  for (; length > 8; length -= 8, text += 8) {
    std::memcpy(&word, text, 8);
    hash = Mix(hash ^ word, 0xC2B2AE3D27D4EB4F);
  }
  word = 0;
  if (length >= 4) {
    std::uint32_t head = 0, tail = 0;
    std::memcpy(&head, text, 4);
    std::memcpy(&tail, text + length - 4, 4);
    word = std::uint64_t{head} << 32 | tail;
  } else if (length > 0) {
    word = std::uint64_t{static_cast<unsigned char>(text[0])} << 16 |
           std::uint64_t{static_cast<unsigned char>(text[length / 2])} << 8 |
           static_cast<unsigned char>(text[length - 1]);
  }
  return Mix(hash ^ word, 0x165667B19E3779F9);
}

class ThreadLog {
 public:
  // The open push/pop ranges, for the levels NVTX returns and for a child that
  // is forked inside them.
  struct Open {
    std::uint32_t label = 0;
    std::uint32_t domain = 0;
    std::uint64_t ticks = 0;
  };
  static constexpr std::size_t kStack = 512;

  // Of the open ranges, those that mode `count` has a row for.
  struct Planned {
    std::uint32_t row = 0;
    std::uint32_t place = 0;   // in open()
    std::uint64_t number = 0;  // of the row's instances
    bool measured = false;     // it was begun
  };
  static constexpr std::size_t kMostPlanned = 32;

  // A signal handler, or an allocator that is traced itself, may call NVTX
  // while this thread is inside one of our calls. Such calls are counted, not
  // recorded.
  bool Enter(TraceFile& file) {
    if (busy_) [[unlikely]] {
      Count(file.live().reentrant);
      return false;
    }
    busy_ = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }
  void Leave() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = false;
  }

  // One event now, of `kExtra` more words.
  template <std::size_t kExtra = 0>
  bool Record(TraceFile& file, wire::Event kind, std::uint32_t operand,
              std::uint64_t extra = 0, std::uint64_t more = 0) {
    static_assert(kExtra <= 2);
    // Room for a clock record and a note of loss before the event itself.
    if (!stream_.Reserve(file, 8)) [[unlikely]]
      return Lose(file);
    if (stream_.sequence() != sequence_ || lost_ > 0) [[unlikely]]
      NewBlock();
    std::uint64_t now = Ticks();
    std::uint64_t delta = now - last_ticks_;
    if (((delta | (now - clock_ticks_)) >> kClockShift) != 0) [[unlikely]] {
      now = WriteClock();
      delta = 0;
    }
    if constexpr (kExtra > 0) stream_.Put(1, extra);
    if constexpr (kExtra > 1) stream_.Put(2, more);
    stream_.Commit(wire::EventWord(kind, operand, delta), 1 + kExtra);
    last_ticks_ = now;
    return true;
  }

  // The level of the new range in its domain.
  int Push(std::uint32_t label, std::uint32_t domain) {
    if (open_count_ < kStack) open_[open_count_] = {label, domain, last_ticks_};
    ++open_count_;
    return domain < kDepths ? depth_[domain]++ : DepthOf(domain) - 1;
  }
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

  void Start(TraceFile& file, std::uint64_t thread);
  std::uint64_t thread() const { return thread_; }
  Stream& stream() { return stream_; }
  const Open* open() const { return open_; }
  std::size_t open_count() const {
    return open_count_ < kStack ? open_count_ : kStack;
  }

  // Those too deep to be kept included.
  std::size_t depth() const { return open_count_; }

  Planned planned[kMostPlanned] = {};  // outermost first
  std::size_t planned_count = 0;

  ThreadLog* next = nullptr;  // in the recorder's list
  ThreadLog* previous = nullptr;

 private:
  static constexpr int kClockShift = 25;  // about 10 ms
  static constexpr std::size_t kDepths = 64;
  static constexpr std::size_t kCacheLines = 1024;

  bool Lose(TraceFile& file);
  void NewBlock();
  // Writes both clocks and returns the ticks that deltas count from now on.
  std::uint64_t WriteClock();
  int DepthOf(std::uint32_t domain) const;

  Stream stream_;
  std::uint64_t last_ticks_ = 0;
  std::uint64_t clock_ticks_ = 0;
  std::uint32_t sequence_ = 0;
  bool busy_ = false;
  std::uint64_t lost_ = 0;
  std::size_t open_count_ = 0;
  std::uint64_t thread_ = 0;
  int depth_[kDepths] = {};
  Open open_[kStack] = {};
  CachedLabel cache_[kCacheLines] = {};
};

}  // namespace rangefinder::inject
