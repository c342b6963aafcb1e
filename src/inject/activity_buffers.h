// The memory that CUPTI writes its records to: few buffers, used again and
// again. Taken on the program's threads, so mapped and touched beforehand where
// possible.

#pragma once

#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace rangefinder::inject {

class ActivityBuffers {
 public:
  static constexpr std::size_t kSize = 2 * 1024 * 1024;

  // Makes the first buffers ready.
  void Prepare();
  // Null when there is no memory.
  std::uint8_t* Take();
  void Return(std::uint8_t* buffer);

 private:
  static constexpr std::size_t kMostFree = 16;
  static std::uint8_t* Map(bool touch);

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::uint8_t* free_[kMostFree] = {};
  std::size_t count_ = 0;
};

}  // namespace rangefinder::inject
