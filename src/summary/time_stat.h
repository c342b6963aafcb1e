// The distribution of durations over many ranks, in integers only: adding is
// associative and commutative to the last bit, with the same bytes on every
// machine.
//
// Quantiles come from a DDSketch (Masson, Rim, Lee: "DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", PVLDB
// 12(12), 2019, section 2.2) with its linearly interpolated mapping: 64 buckets
// of equal width for each power of two, those of Spread. A bucket is at most
// 1/64 of its lower end wide and stands for its middle, so a quantile is within
// 1/128 of the value that has that rank. No bucket is ever collapsed: there are
// fewer than 3,800 of them.

#pragma once

#include <cstdint>
#include <vector>

#include "profile/region_times.h"

namespace rangefinder {

__extension__ using Wide = unsigned __int128;

struct TimeStat {
  std::uint64_t count = 0;
  Wide sum = 0;      // ns
  Wide squares = 0;  // ns², summed
  std::uint64_t min = ~std::uint64_t{0};
  std::uint64_t max = 0;
  std::int32_t min_rank = -1;  // the lowest rank with `min`; -1: unknown
  std::int32_t max_rank = -1;
  std::vector<Spread::Bucket> buckets{};  // ascending, none of them empty

  void Add(std::uint64_t ns, std::int32_t rank);
  void Add(const Spread& spread, std::int32_t rank);
  void Add(const TimeStat& other);

  bool empty() const { return count == 0; }
  // The sum, at most 2^64 - 1.
  std::uint64_t total() const;
  // The same without ranks, as profiles have it.
  Spread ToSpread() const;

  friend bool operator==(const TimeStat&, const TimeStat&) = default;

 private:
  struct End {
    std::uint64_t ns = 0;
    std::int32_t rank = -1;
  };
  void AddEnds(const End& low, const End& high);
};

}  // namespace rangefinder
