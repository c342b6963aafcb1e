#include "tests/fuzz/growth.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/demand.h"

// Functions of ASan; null without it.
extern "C" {
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void*, std::size_t),
    void (*on_free)(const volatile void*));
__attribute__((weak)) std::size_t __sanitizer_get_allocated_size(
    const volatile void* memory);
}

namespace rangefinder::testing {
namespace {

std::atomic<bool> counting = false;
std::atomic<std::int64_t> in_use = 0;
std::atomic<std::int64_t> most_in_use = 0;
std::atomic<std::size_t> allocated = 0;

void OnMalloc(const volatile void*, std::size_t size) {
  if (!counting.load(std::memory_order_relaxed)) return;
  allocated.fetch_add(size, std::memory_order_relaxed);
  const auto bytes = static_cast<std::int64_t>(size);
  const std::int64_t now =
      in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = most_in_use.load(std::memory_order_relaxed);
  while (now > most && !most_in_use.compare_exchange_weak(most, now)) {
  }
}

void OnFree(const volatile void* memory) {
  if (memory == nullptr || !counting.load(std::memory_order_relaxed)) return;
  in_use.fetch_sub(
      static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory)),
      std::memory_order_relaxed);
}

bool Install() {
  return __sanitizer_install_malloc_and_free_hooks != nullptr &&
         __sanitizer_install_malloc_and_free_hooks(OnMalloc, OnFree) != 0;
}

// The memory of an empty input, and the memory that each byte may add. The
// page is 270 kB whatever is in it, and what is made once takes 9 MB. A trace
// of nothing but regions is 70 bytes a region and becomes 30 times as much; ten
// times denser ones are let through. Regions 128 deep, of which 32 have a
// folder with a document of all that is within them, take 100 MB of small
// allocations each time that they are written.
constexpr std::size_t kWritten = 1 << 20, kWrittenPerByte = 500;
constexpr std::size_t kMost = 16 << 20, kMostPerByte = 1250;
constexpr std::size_t kAll = 128 << 20, kAllPerByte = 10000;

}  // namespace

Growth::Growth() {
  static const bool installed = Install();
  in_use = 0;
  most_in_use = 0;
  allocated = 0;
  counting = installed;
}

Growth::~Growth() {
  counting = false;
}

std::size_t Growth::most() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, most_in_use));
}

std::size_t Growth::all() const {
  return allocated;
}

void DemandLinear(std::size_t bytes, std::size_t written,
                  const Growth& growth) {
  static const bool tell = std::getenv("FUZZ_GROWTH") != nullptr;
  const bool holds = written <= kWritten + bytes * kWrittenPerByte &&
                     growth.most() <= kMost + bytes * kMostPerByte &&
                     growth.all() <= kAll + bytes * kAllPerByte;
  if (tell || !holds) {
    std::fprintf(stderr, "%zu bytes: %zu written, %zu in use, %zu allocated\n",
                 bytes, written, growth.most(), growth.all());
  }
  Demand(holds, "growth is linear");
}

}  // namespace rangefinder::testing
