// The blocks of one stream, written one after the other. One thread at a time
// may write; whoever needs more than that holds a lock around it.
//
// The first word of a record is stored last: a process can be killed between
// any two stores, and then what a reader finds is the records before, whole.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/trace_file.h"

namespace rangefinder::inject {

class Stream {
 public:
  // Room for so many words in one block. False: there is none, nor will there
  // be for a while; the next hundreds of calls do not ask the system again.
  bool Reserve(TraceFile& file, std::size_t words) {
    if (next_ + words <= end_) [[likely]]
      return true;
    return Grow(file, words);
  }

  // The place of the next record; Reserve() came before.
  std::uint64_t* next() const { return next_; }

  // Word `index` of the record, its first word excepted.
  void Put(std::size_t index, std::uint64_t word) {
    __atomic_store_n(next_ + index, word, __ATOMIC_RELAXED);
  }
  // The first word, which makes the record of `words` words exist.
  void Commit(std::uint64_t first, std::size_t words) {
    __atomic_store_n(next_, first, __ATOMIC_RELEASE);
    next_ += words;
  }

  void Start(TraceFile& file, wire::BlockKind kind, std::uint64_t thread);
  void Seal(TraceFile& file);
  void Save(TraceFile& file) { file.Save(block_); }
  // In a forked child: the blocks are the parent's.
  void Forget() {
    TraceFile::Unmap(block_);
    next_ = end_ = nullptr;
  }

  // The moment that the block was opened, which the first delta counts from.
  std::uint64_t opened_ticks() const { return block_.header->opened.ticks; }
  std::uint32_t sequence() const { return sequence_; }

 private:
  bool Grow(TraceFile& file, std::size_t words);

  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  Block block_{};
  wire::BlockKind kind_ = wire::BlockKind::kEvents;
  std::uint32_t stream_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t retry_in_ = 0;
  std::uint64_t thread_ = 0;
};

}  // namespace rangefinder::inject
