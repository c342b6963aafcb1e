#include "inject/trace/stream.h"

#include <atomic>

#include "inject/process/own_call.h"
#include "inject/process/own_memory.h"

namespace rangefinder::inject {
namespace {

// The first blocks are small, for programs of many short threads.
constexpr std::size_t kFirstBlock = 4096;
constexpr std::uint32_t kRetryAfter = 4096;

}  // namespace

void Stream::Start(TraceFile& file, wire::BlockKind kind,
                   std::uint64_t thread) {
  started_ = true;
  kind_ = kind;
  file_ = file.number();
  stream_ = file.NewStream();
  sequence_ = 0;
  retry_in_ = 0;
  thread_ = thread;
  next_ = end_ = nullptr;
  block_ = {};
}

__attribute__((noinline)) std::uint64_t* Stream::Grow(TraceFile& file,
                                                      std::size_t words) {
  // A stream that was never started belongs to a forked child, whose thread was
  // forked in one of our calls and returned to it.
  if (!started_) return nullptr;
  if (retry_in_ > 0) {
    --retry_in_;
    return nullptr;
  }
  return GrowQuietly(file, words);
}

// A handler that forked in the middle would return here in the child too, and
// the child would write zeros and a header over the parent's records.
std::uint64_t* Stream::GrowQuietly(TraceFile& file, std::size_t words) {
  const QuietCall call(Faults::kWait);
  Seal(file);
  std::size_t size = kFirstBlock;
  for (std::uint32_t i = 0; i < sequence_ && size < file.largest_block(); ++i) {
    size *= 4;
  }
  while (size < sizeof(wire::BlockHeader) + words * 8) size *= 2;
  block_ = file.NewBlock(kind_, stream_, sequence_, thread_, size, file_);
  if (block_.header == nullptr) {
    retry_in_ = kRetryAfter;
    return nullptr;
  }
  ++sequence_;
  next_ = block_.words();
  end_ = block_.end();
  return next_;
}

bool Stream::Write(TraceFile& file, std::uint64_t first,
                   const std::uint64_t* words, std::size_t count) {
  std::uint64_t* const at = Reserve(file, count + 1);
  if (at == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) Put(at, i + 1, words[i]);
  Commit(at, first, count + 1);
  return true;
}

void Stream::Discard() {
  const Block block = block_;
  next_ = end_ = nullptr;
  block_ = {};
  started_ = false;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (block.header != nullptr) UnmapMemory(block.header, block.size);
}

void Stream::Seal(TraceFile& file) {
  if (block_.header == nullptr) return;
  const auto used = static_cast<std::size_t>(next_ - block_.words());
  next_ = end_ = nullptr;
  file.Seal(block_, used);
}

}  // namespace rangefinder::inject
