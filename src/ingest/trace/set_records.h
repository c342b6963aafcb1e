// Records of samples and counts in a trace, which have one form: wire's
// sample_format.h and count_format.h.
//
// [operand : 32][words that follow : 16][set : 12][kind : 4]

#pragma once

#include <cstddef>
#include <cstdint>

#include "ingest/trace/trace_blocks.h"

namespace rangefinder {

// The two halves of a word.
constexpr std::uint32_t Low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}
constexpr std::uint32_t High(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

template <typename Kind>
struct SetRecord {
  std::uint64_t head;
  const TraceWords& words;
  std::size_t at, count;  // of the words that follow

  Kind kind() const { return static_cast<Kind>(head & 0xF); }
  std::uint32_t set() const { return Low(head >> 4 & 0xFFF); }
  std::uint32_t operand() const { return High(head); }
  std::uint64_t operator[](std::size_t i) const { return words[at + i]; }
};

// Shows `apply` each record of a block; false from it: the record cannot be.
// How many could not, one for the rest of a block that ends too early.
template <typename Kind, typename Apply>
std::uint64_t ReadSetRecords(const TraceWords& words, Apply apply) {
  std::uint64_t damaged = 0;
  for (std::size_t at = 0; at < words.size() && words[at] != 0;) {
    const std::uint64_t head = words[at];
    const auto count = static_cast<std::size_t>(head >> 16 & 0xFFFF);
    if (count > words.size() - at - 1) return damaged + 1;
    if (!apply(SetRecord<Kind>{head, words, at + 1, count})) ++damaged;
    at += 1 + count;
  }
  return damaged;
}

}  // namespace rangefinder
