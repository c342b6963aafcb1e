#include "inject/stream.h"

namespace rangefinder::inject {
namespace {

// Small at first, so that a program of many short threads stays small.
constexpr std::size_t kFirstBlock = 4096;
constexpr std::size_t kLargestBlock = 256 * 1024;
constexpr std::uint32_t kRetryAfter = 4096;

}  // namespace

void Stream::Start(TraceFile& file, wire::BlockKind kind,
                   std::uint64_t thread) {
  kind_ = kind;
  stream_ = file.NewStream();
  sequence_ = 0;
  retry_in_ = 0;
  thread_ = thread;
  next_ = end_ = nullptr;
  block_ = {};
}

bool Stream::Grow(TraceFile& file, std::size_t words) {
  if (retry_in_ > 0) {
    --retry_in_;
    return false;
  }
  Seal(file);
  std::size_t size = kFirstBlock;
  for (std::uint32_t i = 0; i < sequence_ && size < kLargestBlock; ++i) {
    size *= 4;
  }
  while (size < sizeof(wire::BlockHeader) + words * 8) size *= 2;
  block_ = file.NewBlock(kind_, stream_, sequence_, thread_, size);
  if (block_.header == nullptr) {
    retry_in_ = kRetryAfter;
    return false;
  }
  ++sequence_;
  next_ = block_.words();
  end_ = block_.end();
  return true;
}

void Stream::Seal(TraceFile& file) {
  if (block_.header == nullptr) return;
  file.Seal(block_, static_cast<std::size_t>(next_ - block_.words()));
  next_ = end_ = nullptr;
}

}  // namespace rangefinder::inject
