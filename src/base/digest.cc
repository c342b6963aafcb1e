#include "base/digest.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace rangefinder {
namespace {

constexpr std::size_t kBlock = 64;  // bytes; the same for both digests

// `bytes` padded to whole blocks, with their number of bits at the end.
std::string Padded(std::string_view bytes, std::endian order) {
  std::string message(bytes);
  message += '\x80';
  while (message.size() % kBlock != kBlock - 8) message += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int i = 0; i < 8; ++i) {
    const int shift = 8 * (order == std::endian::big ? 7 - i : i);
    message += static_cast<char>((bits >> shift) & 0xFF);
  }
  return message;
}

// ---- SHA-256 ---------------------------------------------------------------

using Sha256State = std::array<std::uint32_t, 8>;

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The message schedule of a block.
std::array<std::uint32_t, 64> Schedule(std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < kBlock; ++i)
    w[i / 4] = (w[i / 4] << 8) | static_cast<unsigned char>(block[i]);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t s0 =
        std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 =
        std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

void AddBlock(std::string_view block, Sha256State& state) {
  const std::array<std::uint32_t, 64> w = Schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t s1 =
        std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 =
        std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Sha256State add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < add.size(); ++i) state[i] += add[i];
}

// ---- MD5 -------------------------------------------------------------------

using Md5State = std::array<std::uint32_t, 4>;

// The rotations of each round, four steps repeated.
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

void AddBlock(std::string_view block, Md5State& state) {
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

template <typename State>
void AddBlocks(std::string_view message, State& state) {
  for (std::size_t at = 0; at < message.size(); at += kBlock)
    AddBlock(message.substr(at, kBlock), state);
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  Sha256State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  AddBlocks(Padded(bytes, std::endian::big), state);
  std::string out;
  for (const std::uint32_t word : state) out += fmt::format("{:08x}", word);
  return out;
}

std::string Md5(std::string_view bytes) {
  Md5State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  AddBlocks(Padded(bytes, std::endian::little), state);
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 0; shift < 32; shift += 8)
      out += fmt::format("{:02x}", (word >> shift) & 0xFF);
  }
  return out;
}

}  // namespace rangefinder
