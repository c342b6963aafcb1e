#include "inject/gpu/activity_buffers.h"

#include <string.h>
#include <sys/mman.h>

namespace rangefinder::inject {

std::uint8_t* ActivityBuffers::Map(bool touch) const {
  void* at = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (huge_pages_) madvise(at, size_, MADV_HUGEPAGE);
  if (touch) {
    auto* bytes = static_cast<volatile std::uint8_t*>(at);
    for (std::size_t i = 0; i < size_; i += 4096) bytes[i] = 0;
  }
  return static_cast<std::uint8_t*>(at);
}

void ActivityBuffers::Prepare(const Tuning& tuning) {
  size_ = tuning.buffer_bytes;
  zeroed_ = tuning.zeroed;
  huge_pages_ = tuning.huge_pages;
  for (std::size_t i = 0; i < tuning.buffers && i < kMostFree; ++i) {
    if (std::uint8_t* buffer = Map(true)) Return(buffer, 0);
  }
}

std::uint8_t* ActivityBuffers::Take() {
  std::uint8_t* buffer = nullptr;
  if (pthread_mutex_trylock(&mutex_) == 0) {
    if (count_ > 0) buffer = free_[--count_];
    pthread_mutex_unlock(&mutex_);
  }
  return buffer != nullptr ? buffer : Map(false);
}

void ActivityBuffers::Return(std::uint8_t* buffer, std::size_t used) {
  if (zeroed_) memset(buffer, 0, used < size_ ? used : size_);
  bool keep = false;
  if (pthread_mutex_trylock(&mutex_) == 0) {
    keep = count_ < kMostFree;
    if (keep) free_[count_++] = buffer;
    pthread_mutex_unlock(&mutex_);
  }
  if (!keep) munmap(buffer, size_);
}

}  // namespace rangefinder::inject
