#include "tests/scaling/counted_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

void* Counted(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  const auto bytes = static_cast<std::int64_t>(malloc_usable_size(memory));
  const std::int64_t now = live.fetch_add(bytes) + bytes;
  std::int64_t most = peak.load();
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}

void* Allocate(std::size_t size) {
  void* const memory = Counted(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Free(void* memory) {
  if (memory == nullptr) return;
  live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return Allocate(size);
}
void* operator new[](std::size_t size) {
  return Allocate(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return Counted(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return Counted(size);
}
void operator delete(void* memory) noexcept {
  Free(memory);
}
void operator delete[](void* memory) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  Free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  Free(memory);
}

namespace rangefinder::testing {

std::int64_t LiveBytes() {
  return live.load();
}

std::int64_t TakePeakBytes() {
  return peak.exchange(live.load());
}

}  // namespace rangefinder::testing
