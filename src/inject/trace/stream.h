// The blocks of one stream, written one after the other. One thread at a time
// may write; callers with several threads hold a lock.
//
// The first word of a record is stored last: a process can be killed between
// any two stores, and a reader then finds only whole records.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/trace/trace_file.h"

namespace rangefinder::inject {

class Stream {
 public:
  // Room for `words` words in one block. Null: no memory or disk is left, and
  // the next few hundred calls do not ask the system again.
  //
  // The caller keeps the pointer and never asks for it again: if a handler
  // interrupts the caller and forks, the child returns to the caller with
  // another stream.
  std::uint64_t* Reserve(TraceFile& file, std::size_t words) {
    if (next_ + words <= end_) [[likely]]
      return next_;
    return Grow(file, words);
  }

  // Word `index` of the record at `at`, its first word excepted.
  static void Put(std::uint64_t* at, std::size_t index, std::uint64_t word) {
    __atomic_store_n(at + index, word, __ATOMIC_RELAXED);
  }
  // The first word, which makes the record of `words` words exist. Returns the
  // place behind it.
  std::uint64_t* Commit(std::uint64_t* at, std::uint64_t first,
                        std::size_t words) {
    __atomic_store_n(at, first, __ATOMIC_RELEASE);
    next_ = at + words;
    return next_;
  }
  // Writes a record of its first word and `count` more. False: there is no
  // room.
  bool Write(TraceFile& file, std::uint64_t first, const std::uint64_t* words,
             std::size_t count);

  void Start(TraceFile& file, wire::BlockKind kind, std::uint64_t thread);
  void Seal(TraceFile& file);
  // Forgets the open block of a file that is complete, and the stream.
  void Discard();
  void Save(TraceFile& file) { file.Save(block_); }
  // Whether the stream was started for this file, not for an earlier file.
  bool BelongsTo(const TraceFile& file) const {
    return started_ && file_ == file.number();
  }
  const Block& block() const { return block_; }
  std::uint32_t sequence() const { return sequence_; }

 private:
  std::uint64_t* Grow(TraceFile& file, std::size_t words);
  std::uint64_t* GrowQuietly(TraceFile& file, std::size_t words);

  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  Block block_{};
  bool started_ = false;
  wire::BlockKind kind_ = wire::BlockKind::kEvents;
  std::uint32_t file_ = 0;  // TraceFile::number()
  std::uint32_t stream_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t retry_in_ = 0;
  std::uint64_t thread_ = 0;
};

}  // namespace rangefinder::inject
