// A sum of doubles without rounding: it does not depend on the order or the
// grouping of its terms, so merging is associative to the last bit.
//
// Every double is an integer times a power of two, and so is every sum of them.
// The integer is Boost.Multiprecision's; it is kept odd, or 0, which makes
// equal sums equal bytes.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "profile/region_times.h"

namespace rangefinder {

class ExactTotal {
 public:
  ExactTotal() = default;
  // Infinities and NaN add nothing.
  void Add(double term);
  // Adds the product of two doubles, without rounding.
  void AddProduct(double a, double b);
  void Add(const ExactTotal& other);

  // The nearest double; an infinity beyond the largest.
  double value() const;

  // The parts of its written form: exponent of two, sign, and the integer's
  // bytes, lowest first.
  std::int32_t exponent() const { return exponent_; }
  bool negative() const { return integer_ < 0; }
  std::string Magnitude() const;
  // False: no sum of doubles or products has these parts.
  bool Set(std::int32_t exponent, bool negative, std::string_view magnitude);

  friend bool operator==(const ExactTotal&, const ExactTotal&) = default;

 private:
  using Integer = boost::multiprecision::cpp_int;

  void Add(const Integer& integer, std::int32_t exponent);

  Integer integer_{0};  // odd, or 0
  std::int32_t exponent_ = 0;
};

// ---- Durations -------------------------------------------------------------

// The distribution of durations over many ranks, in integers only: adding is
// associative and commutative to the last bit, with the same bytes on every
// machine.
//
// Quantiles come from a DDSketch (Masson, Rim, Lee: "DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", PVLDB
// 12(12), 2019, section 2.2) with its linearly interpolated mapping: 64 buckets
// of equal width for each power of two, the same as in Spread. The width of a
// bucket is at most 1/64 of its lower end, and its middle stands for its
// values, so a quantile is within 1/128 of the true value. Buckets are never
// collapsed: there are fewer than 3,800.

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
  // The distribution as a Spread, without ranks.
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
