// The trace file from the writer's side: blocks that are mapped from it, so
// that what was stored survives the process however it ends.
//
// Space is allocated on the disk before it is mapped: a store to a hole would
// kill the program with SIGBUS when the disk is full. Where that cannot be done
// (some network file systems) a block lives in memory and is written when it is
// sealed. The file is opened anew for every block, because a program may close
// descriptors it does not know and then own their numbers.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/trace_format.h"

namespace rangefinder::inject {

// Adds to a field of the live header, which all threads share.
inline void Count(std::uint64_t& field, std::uint64_t more = 1) {
  __atomic_fetch_add(&field, more, __ATOMIC_RELAXED);
}

// A block being written, and where it belongs.
struct Block {
  wire::BlockHeader* header = nullptr;
  std::uint64_t offset = 0;

  std::uint64_t* words() const {
    return reinterpret_cast<std::uint64_t*>(header + 1);
  }
  std::uint64_t* end() const {
    return reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(header) +
                                            header->size);
  }
};

class TraceFile {
 public:
  // Makes the file `<dir>/<pid>-<time>.rftrace`. False, with why in `error`,
  // when that is impossible.
  bool Create(const char* dir, std::uint64_t forked_from, const char** error);
  // Forgets the file without touching it: it is the parent's.
  void Abandon();

  // A new block at the end of the file; header null: there is no room.
  Block NewBlock(wire::BlockKind kind, std::uint32_t stream,
                 std::uint32_t sequence, std::uint64_t thread,
                 std::size_t size);
  // Completes a block, of which so many words are used, and unmaps it.
  void Seal(Block& block, std::size_t used_words);
  // Writes what a block holds so far, where it is not mapped from the file.
  void Save(const Block& block);
  // Unmaps without a trace, in a forked child.
  static void Unmap(Block& block);

  // The running facts; never null, valid before Create() too.
  wire::LiveHeader& live() { return *live_; }
  void Reason(const char* text);
  void GpuReason(const char* text);
  void SamplingReason(const char* text);
  void CountingReason(const char* text);
  // Writes the live header where it is not mapped from the file.
  void SaveLive();
  std::uint32_t NewStream() {
    return streams_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  int Open() const;
  bool Allocate(int fd, std::uint64_t offset, std::size_t size);
  void* Map(int fd, std::uint64_t offset, std::size_t size);

  char path_[3800] = {};
  bool mapped_ = true;  // blocks are pages of the file
  std::atomic<std::uint64_t> end_{0};
  std::atomic<std::uint32_t> streams_{0};
  void* header_page_ = nullptr;
  wire::LiveHeader spare_{};  // until there is a file
  wire::LiveHeader* live_ = &spare_;
};

}  // namespace rangefinder::inject
