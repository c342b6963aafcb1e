#include "inject/activity_buffers.h"

#include <sys/mman.h>

namespace rangefinder::inject {

std::uint8_t* ActivityBuffers::Map(bool touch) {
  void* at =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | (touch ? MAP_POPULATE : 0), -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(at);
}

void ActivityBuffers::Prepare() {
  for (int i = 0; i < 3; ++i) {
    if (std::uint8_t* buffer = Map(true)) Return(buffer);
  }
}

std::uint8_t* ActivityBuffers::Take() {
  std::uint8_t* buffer = nullptr;
  pthread_mutex_lock(&mutex_);
  if (count_ > 0) buffer = free_[--count_];
  pthread_mutex_unlock(&mutex_);
  return buffer != nullptr ? buffer : Map(false);
}

void ActivityBuffers::Return(std::uint8_t* buffer) {
  pthread_mutex_lock(&mutex_);
  const bool keep = count_ < kMostFree;
  if (keep) free_[count_++] = buffer;
  pthread_mutex_unlock(&mutex_);
  if (!keep) munmap(buffer, kSize);
}

}  // namespace rangefinder::inject
