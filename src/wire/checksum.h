// The checksum of a trace file's blocks: XXH64 with seed 0, written from its
// published specification. Chosen because a thread seals its own blocks: it
// runs at memory speed without special instructions.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rangefinder::wire {

namespace xxh64 {
inline constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
inline constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
inline constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9;
inline constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
inline constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5;

template <typename T>
inline T Load(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint64_t Round(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

inline std::uint64_t Merge(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
}
}  // namespace xxh64

inline std::uint64_t Checksum(const void* bytes, std::size_t size) {
  using namespace xxh64;  // NOLINT: this file's own vocabulary
  const auto* at = static_cast<const unsigned char*>(bytes);
  const unsigned char* const end = at + size;
  std::uint64_t hash = kPrime5;
  if (size >= 32) {
    std::uint64_t a = kPrime1 + kPrime2, b = kPrime2, c = 0, d = 0 - kPrime1;
    for (; end - at >= 32; at += 32) {
      a = Round(a, Load<std::uint64_t>(at));
      b = Round(b, Load<std::uint64_t>(at + 8));
      c = Round(c, Load<std::uint64_t>(at + 16));
      d = Round(d, Load<std::uint64_t>(at + 24));
    }
    hash =
        std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    hash = Merge(Merge(Merge(Merge(hash, a), b), c), d);
  }
  hash += size;
  for (; end - at >= 8; at += 8) {
    hash ^= Round(0, Load<std::uint64_t>(at));
    hash = std::rotl(hash, 27) * kPrime1 + kPrime4;
  }
  if (end - at >= 4) {
    hash ^= Load<std::uint32_t>(at) * kPrime1;
    hash = std::rotl(hash, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) {
    hash = std::rotl(hash ^ (*at * kPrime5), 11) * kPrime1;
  }
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace rangefinder::wire
