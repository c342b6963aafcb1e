// Vectors of hundreds of megabytes.

#pragma once

#include <cstddef>
#include <vector>

namespace rangefinder {

// Asks the system to give this memory in large pages, where it is large: it is
// there sooner by far than in small ones. A wish; nothing where it has none.
void PreferHugePages(void* begin, std::size_t bytes);

// reserve(), in such memory.
template <typename T>
void ReserveHuge(std::vector<T>& list, std::size_t count) {
  list.reserve(count);
  PreferHugePages(list.data(), list.capacity() * sizeof(T));
}

}  // namespace rangefinder
