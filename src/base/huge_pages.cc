#include "base/huge_pages.h"

#include <cstdint>

#include <sys/mman.h>

namespace rangefinder {

void PreferHugePages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 2 << 20;
  constexpr std::size_t kLarge = 16 << 20;
  if (bytes < kLarge) return;
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (at + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (at + bytes) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace rangefinder
