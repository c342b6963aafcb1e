// The buffers that CUPTI writes its records to. A few are reused again and
// again. The program's threads take them, so they are mapped and touched
// beforehand where possible.

#pragma once

#include <cstddef>
#include <cstdint>

#include <pthread.h>

#include "inject/process/tuning.h"

namespace rangefinder::inject {

class ActivityBuffers {
 public:
  // Makes the first buffers ready.
  void Prepare(const Tuning& tuning);
  std::size_t size() const { return size_; }
  // Null when there is no memory.
  std::uint8_t* Take();
  void Return(std::uint8_t* buffer);

 private:
  static constexpr std::size_t kMostFree = 64;

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::size_t size_ = 0;
  std::uint8_t* free_[kMostFree] = {};
  std::size_t count_ = 0;
};

}  // namespace rangefinder::inject
