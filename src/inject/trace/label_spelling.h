// A label as the caller of NVTX passes it, and a hash of its text.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rangefinder::inject {

struct LabelSpelling {
  const char* text = "";     // if `handle` is 0
  std::uint64_t handle = 0;  // of a registered string
  std::uint32_t length = 0;
  std::uint32_t domain = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
};

// Handles are numbers with a mark, so that invalid handles are recognised.
inline constexpr std::uint64_t kStringMark = 0x5A;

inline std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

// A hash of text that is fast on the short names that ranges have.
inline std::uint64_t HashText(const char* text, std::size_t length,
                              std::uint64_t seed) {
  std::uint64_t hash = seed ^ (length * 0x9E3779B185EBCA87);
  std::uint64_t word = 0;
  for (; length > 8; length -= 8, text += 8) {
    std::memcpy(&word, text, 8);
    hash = Mix(hash ^ word, 0xC2B2AE3D27D4EB4F);
  }
  word = 0;
  if (length >= 4) {
    std::uint32_t head = 0, tail = 0;
    std::memcpy(&head, text, 4);
    std::memcpy(&tail, text + length - 4, 4);
    word = std::uint64_t{head} << 32 | tail;
  } else if (length > 0) {
    word = std::uint64_t{static_cast<unsigned char>(text[0])} << 16 |
           std::uint64_t{static_cast<unsigned char>(text[length / 2])} << 8 |
           static_cast<unsigned char>(text[length - 1]);
  }
  return Mix(hash ^ word, 0x165667B19E3779F9);
}

}  // namespace rangefinder::inject
