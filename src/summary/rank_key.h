// Which start of which process: what tells the parts of summaries apart, so
// that none is counted twice.

#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace rangefinder {

struct RankKey {
  std::int32_t rank = -1;  // -1: none was given
  std::string host{};
  std::uint64_t pid = 0;
  std::uint64_t started_ns = 0;  // or another number of this start alone
  friend auto operator<=>(const RankKey&, const RankKey&) = default;
};

}  // namespace rangefinder
