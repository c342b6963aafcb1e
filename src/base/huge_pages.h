// Vectors of hundreds of megabytes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/mman.h>

namespace rangefinder {

// reserve() with pages of 2 MiB, if the system has them: large vectors are
// filled much faster. If the kernel refuses, only the time changes.
template <typename T>
void ReserveHuge(std::vector<T>& list, std::size_t count) {
  constexpr std::uintptr_t kPage = 2 << 20;
  constexpr std::size_t kLarge = 16 << 20;
  list.reserve(count);
  const std::size_t bytes = list.capacity() * sizeof(T);
  if (bytes < kLarge) return;
  const auto at = reinterpret_cast<std::uintptr_t>(list.data());
  const std::uintptr_t first = (at + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (at + bytes) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace rangefinder
