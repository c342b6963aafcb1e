// The writer of the trace file. Its blocks are mapped from the file, so that
// stored events survive any end of the process.
//
// Zeros are written to the disk before a block is mapped: a store to a hole
// would kill the program with SIGBUS when the disk is full. (fallocate() would
// do the same, but a program's sandbox may not allow it.) Where files cannot be
// mapped (some network file systems), a block lives in memory and is written
// when it is sealed. The file is opened anew for every block, because a program
// may close descriptors that it does not know, and reuse their numbers.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <linux/limits.h>
#include <pthread.h>
#include <stdio.h>

#include "wire/trace_format.h"

namespace rangefinder::inject {

// Adds to a field of the live header. All threads share it.
inline void Count(std::uint64_t& field, std::uint64_t more = 1) {
  __atomic_fetch_add(&field, more, __ATOMIC_RELAXED);
}

// Copies a text into a field of a header, cut at the field's size.
template <std::size_t kSize>
void CopyText(const char* text, char (&field)[kSize]) {
  snprintf(field, kSize, "%s", text);
}

// The number of ranks that the launcher of a parallel job announces; -1: none.
std::int32_t RanksOfTheJob();

// The version of the loaded NVIDIA driver; false: there is none.
bool ReadDriverVersion(char (&version)[32]);

// A block that is being written, and its place in the file.
struct Block {
  wire::BlockHeader* header = nullptr;
  std::uint64_t offset = 0;
  std::size_t size = 0;
  std::uint64_t opened_ticks = 0;  // the start of the first delta
  std::uint32_t file = 0;          // TraceFile::number()

  std::uint64_t* words() const {
    return reinterpret_cast<std::uint64_t*>(header + 1);
  }
  std::uint64_t* end() const {
    return reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(header) +
                                            size);
  }
};

// State of one process, in memory that a forked child finds zeroed.
struct OwnPage {
  enum : std::uint32_t { kInherited = 0, kClaimed = 1, kOwn = 2 };
  std::atomic<std::uint32_t> state;
  wire::LiveHeader* live = nullptr;
};

class TraceFile {
 public:
  // Called once, before everything else. False: there is no memory.
  bool Prepare();
  // Whether this is a forked child in which nobody has called Abandon() yet.
  bool IsInherited() const;
  // True for one thread of such a child, which has to call Abandon(). Other
  // threads wait here for it.
  bool ClaimInherited();
  // Makes the file `<dir>/<time>-<pid>.rftrace`, for the first time or after
  // Close(). RANGEFINDER_INJECT_NAME comes before the time, unless it has a `/`
  // or more than 32 bytes. Sorted by name, files with equal beginnings are in
  // the order in which their processes began. Null: the file is made; else the
  // reason of the failure.
  const char* Create(const char* dir, std::uint64_t forked_from);
  // Completes the live header, and forgets the file. Streams of the file get no
  // further block.
  void Close();
  // The number of the file among the files of this process.
  std::uint32_t number() const {
    return number_.load(std::memory_order_relaxed);
  }
  // For armed processes. A thread waits until its new block is made, up to 1.7
  // ms for a block of 256 KiB; a window may delay a thread by 1 ms at most.
  void MakeSmallBlocks() { largest_block_ = 64 * 1024; }
  std::size_t largest_block() const { return largest_block_; }
  // Called around fork(), so that no thread of the parent has the file open
  // meanwhile. False: a thread does not close it.
  bool KeepClosed();
  void MayOpen();
  // In a forked child: forgets the file without touching it.
  void Abandon();

  // A new block at the end of the file; header null: there is no room, or the
  // file is not number `file`.
  Block NewBlock(wire::BlockKind kind, std::uint32_t stream,
                 std::uint32_t sequence, std::uint64_t thread, std::size_t size,
                 std::uint32_t file);
  // Completes a block that has `words` used words, and unmaps it.
  void Seal(Block& block, std::size_t used_words);
  // Writes the words of a block that is not mapped from the file.
  void Save(const Block& block);

  // The live header; valid before Create() and in a forked child too.
  wire::LiveHeader& live() {
    wire::LiveHeader* live = own_ != nullptr ? own_->live : nullptr;
    return live != nullptr ? *live : spare_;
  }
  // Writes a live header that is not mapped from the file.
  void SaveLive();
  std::uint32_t NewStream() {
    return streams_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  const char* Begin(int fd, const wire::FixedHeader& header);
  int Open() const;
  void* Extend(std::size_t size, std::uint32_t file, std::uint64_t& offset);
  bool Allocate(int fd, std::uint64_t offset, std::size_t size);
  void* Map(int fd, std::uint64_t offset, std::size_t size);
  void* MapHeader(int fd);
  void Write(const Block& block);

  char path_[PATH_MAX + 64] = {};
  char prefix_[33] = {};  // RANGEFINDER_INJECT_NAME
  std::size_t largest_block_ = 256 * 1024;
  bool mapped_ = true;  // blocks are pages of the file
  // Held while the file is open: a child that is forked meanwhile would inherit
  // the descriptor. Where blocks are not mapped, also held until a written
  // block is freed.
  pthread_mutex_t opening_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<std::uint64_t> end_{0};
  std::atomic<std::uint32_t> streams_{0};
  std::atomic<std::uint32_t> number_{0};
  // Has the same address for all files of a process: a thread may still count
  // events of an earlier file.
  void* header_page_ = nullptr;
  wire::LiveHeader spare_{};  // until there is a file
  OwnPage* own_ = nullptr;
};

}  // namespace rangefinder::inject
