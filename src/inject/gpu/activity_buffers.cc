#include "inject/gpu/activity_buffers.h"

#include "inject/process/own_memory.h"

namespace rangefinder::inject {

void ActivityBuffers::Prepare(const Tuning& tuning) {
  size_ = tuning.buffer_bytes;
  for (std::size_t i = 0; i < tuning.buffers && i < kMostFree; ++i) {
    auto* const buffer = static_cast<std::uint8_t*>(MapMemory(size_));
    if (buffer == nullptr) continue;
    auto* const touched = static_cast<volatile std::uint8_t*>(buffer);
    for (std::size_t at = 0; at < size_; at += 4096) touched[at] = 0;
    Return(buffer);
  }
}

std::uint8_t* ActivityBuffers::Take() {
  std::uint8_t* buffer = nullptr;
  if (pthread_mutex_trylock(&mutex_) == 0) {
    if (count_ > 0) buffer = free_[--count_];
    pthread_mutex_unlock(&mutex_);
  }
  if (buffer != nullptr) return buffer;
  return static_cast<std::uint8_t*>(MapMemory(size_));
}

void ActivityBuffers::Return(std::uint8_t* buffer) {
  bool keep = false;
  if (pthread_mutex_trylock(&mutex_) == 0) {
    keep = count_ < kMostFree;
    if (keep) free_[count_++] = buffer;
    pthread_mutex_unlock(&mutex_);
  }
  if (!keep) UnmapMemory(buffer, size_);
}

}  // namespace rangefinder::inject
