// What the names of ranges say of being instances of one region: operands that
// PyTorch writes into them, addresses, and numbers that count up.
//
// The rules and their reasons are docs/attribution.md, section 9.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// The name with `*` for each value of `op_id = 5`, `seq = 5`, `sizes = [[2]]`
// and their kin, and for each address; nothing where it has none of them.
std::optional<std::string> WithoutOperands(std::string_view name);

// What the word before a number says of it.
enum class NumberMeaning : std::uint8_t {
  kCount,    // step, iter, decode: an instance
  kIndex,    // layer, rank, size: a thing of its own
  kUnknown,  // any other word
};

// A number in a name that may tell instances apart.
struct NameNumber {
  std::size_t begin = 0, end = 0;
  std::uint64_t value = 0;
  NumberMeaning meaning = NumberMeaning::kUnknown;
};

// Those that are no part of a word (`2d`, `3x3`) and not too long for 64 bits.
std::vector<NameNumber> NumbersIn(std::string_view name);

// A name among others under one parent.
struct SiblingName {
  std::string_view domain{};
  std::string_view name{};
  std::uint64_t since = 0;  // grows with the time of its first opening
  bool recurs = false;      // the same name ran again
  // Its outer range is itself one of a counter's, and it ran in that one alone.
  bool of_counter = false;
};

// As many names are a counter for sure; fewer may be chosen by hand.
inline constexpr std::size_t kFewestCounted = 8;

// What each is shown as where it is one of a counter's; else nothing.
std::vector<std::optional<std::string>> MergeCounters(
    std::span<const SiblingName> siblings);

}  // namespace rangefinder
