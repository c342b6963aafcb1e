#include "base/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace rangefinder {
namespace {

using State = std::array<std::uint32_t, 4>;

// By how much each step of a round rotates, four steps repeated.
constexpr std::array<std::array<int, 4>, 4> kRotations = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

// T[i] of the RFC: the integer part of 2^32 times |sin(i + 1)|.
std::array<std::uint32_t, 64> Sines() {
  std::array<std::uint32_t, 64> sines{};
  for (std::size_t i = 0; i < sines.size(); ++i) {
    sines[i] = static_cast<std::uint32_t>(std::floor(
        std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
  }
  return sines;
}

void AddBlock(std::string_view block, State& state) {
  static const std::array<std::uint32_t, 64> kSines = Sines();
  std::array<std::uint32_t, 16> words{};
  for (std::size_t i = 0; i < 64; ++i) {
    words[i / 4] |= std::uint32_t{static_cast<unsigned char>(block[i])}
                    << (8 * (i % 4));
  }
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t mixed = 0;
    std::size_t word = 0;
    switch (i / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (b & d) | (c & ~d);
        word = 5 * i + 1;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = 3 * i + 5;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i;
    }
    const std::uint32_t sum = a + mixed + words[word % 16] + kSines[i];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[i / 16][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string Md5(std::string_view bytes) {
  std::string message(bytes);
  message += '\x80';
  while (message.size() % 64 != 56) message += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8)
    message += static_cast<char>((bits >> shift) & 0xFF);

  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t at = 0; at < message.size(); at += 64)
    AddBlock(std::string_view(message).substr(at, 64), state);
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 0; shift < 32; shift += 8)
      out += fmt::format("{:02x}", (word >> shift) & 0xFF);
  }
  return out;
}

}  // namespace rangefinder
