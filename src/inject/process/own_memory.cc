#include "inject/process/own_memory.h"

#include <errno.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace rangefinder::inject {

void* MapMemory(std::size_t size) {
  const int error = errno;
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = error;
  return at == MAP_FAILED ? nullptr : at;
}

void* MapOwnMemory(std::size_t size, std::size_t own) {
  void* at = MapMemory(size);
  // An older kernel refuses: then a child notices the fork by fork()'s handlers
  // alone.
  if (at != nullptr) madvise(at, own, MADV_WIPEONFORK);
  return at;
}

void UnmapMemory(void* at, std::size_t size) {
  if (at != nullptr) munmap(at, size);
}

void* GrowMemory(void* at, std::size_t size, std::size_t grown) {
  if (at == nullptr) return MapMemory(grown);
  void* moved = mremap(at, size, grown, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? nullptr : moved;
}

}  // namespace rangefinder::inject
