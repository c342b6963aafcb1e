// Memory of the library: mapped, never from malloc(), since a signal handler
// that calls NVTX may have interrupted malloc().

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rangefinder::inject {

// The largest page size that a kernel for this processor may have.
#if defined(__aarch64__)
inline constexpr std::size_t kLargestPage = 64 * 1024;
#else
inline constexpr std::size_t kLargestPage = 4096;
#endif

// Zeroed; null: there is no memory. errno stays as it is.
void* MapMemory(std::size_t size);
// The same, and a forked child finds the first `own` bytes zeroed again,
// whether or not fork()'s handlers ran in it (Linux 4.14 and later).
void* MapOwnMemory(std::size_t size, std::size_t own);
void UnmapMemory(void* at, std::size_t size);

// Grows the memory from `size` to `grown` bytes; the new bytes are zeros, and
// the memory may move. Null: there is none, and the old memory stays.
void* GrowMemory(void* at, std::size_t size, std::size_t grown);

// A list that only grows.
template <typename T>
class Grown {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // False: there is no memory.
  bool Add(const T& item) {
    if (count_ == room_ && !Grow()) return false;
    items_[count_] = item;
    ++count_;
    return true;
  }
  // Keeps the first `count` items, and the memory.
  void Truncate(std::uint32_t count) { count_ = count; }
  std::uint32_t size() const { return count_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  bool Grow() {
    const std::size_t grown = bytes_ == 0 ? 4096 : bytes_ * 2;
    void* at = GrowMemory(items_, bytes_, grown);
    if (at == nullptr) return false;
    items_ = static_cast<T*>(at);
    bytes_ = grown;
    room_ = static_cast<std::uint32_t>(grown / sizeof(T));
    return true;
  }

  T* items_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t room_ = 0;
};

}  // namespace rangefinder::inject
