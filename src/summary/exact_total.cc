#include "summary/exact_total.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

namespace rangefinder {

namespace {

constexpr int kDigits = std::numeric_limits<double>::digits;  // 53
// The range of exponents in sums of up to 2^64 products of two doubles.
constexpr std::int32_t kLeastExponent = -2 * (1074 + kDigits);
constexpr std::int32_t kMostExponent = 2 * 1024 + 64;

struct Parts {
  std::int64_t integer = 0;
  std::int32_t exponent = 0;
};

Parts PartsOf(double number) {
  Parts parts;
  int exponent = 0;
  parts.integer = static_cast<std::int64_t>(
      std::ldexp(std::frexp(number, &exponent), kDigits));
  parts.exponent = exponent - kDigits;
  return parts;
}

}  // namespace

void ExactTotal::Add(double term) {
  if (!std::isfinite(term) || term == 0) return;
  const Parts parts = PartsOf(term);
  Add(Integer(parts.integer), parts.exponent);
}

void ExactTotal::AddProduct(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return;
  const Parts left = PartsOf(a);
  const Parts right = PartsOf(b);
  Add(Integer(left.integer) * right.integer, left.exponent + right.exponent);
}

void ExactTotal::Add(const ExactTotal& other) {
  if (other.integer_ != 0) Add(other.integer_, other.exponent_);
}

void ExactTotal::Add(const Integer& integer, std::int32_t exponent) {
  if (integer_ == 0) {
    integer_ = integer;
    exponent_ = exponent;
  } else if (exponent < exponent_) {
    integer_ <<= static_cast<unsigned>(exponent_ - exponent);
    integer_ += integer;
    exponent_ = exponent;
  } else {
    integer_ += integer << static_cast<unsigned>(exponent - exponent_);
  }
  if (integer_ == 0) {
    exponent_ = 0;
    return;
  }
  const bool below = integer_ < 0;
  if (below) integer_ = -integer_;
  const auto zeros = boost::multiprecision::lsb(integer_);
  integer_ >>= zeros;
  if (below) integer_ = -integer_;
  exponent_ += static_cast<std::int32_t>(zeros);
}

double ExactTotal::value() const {
  if (integer_ == 0) return 0;
  Integer magnitude = abs(integer_);
  std::int32_t exponent = exponent_;
  // 62 bits, of which the last is set if any lower bit is: rounding these to 53
  // bits rounds the whole integer.
  const auto bits = boost::multiprecision::msb(magnitude) + 1;
  constexpr unsigned kKept = 62;
  if (bits > kKept) {
    const auto shift = static_cast<unsigned>(bits - kKept);
    const bool rest = boost::multiprecision::lsb(magnitude) < shift;
    magnitude >>= shift;
    if (rest) magnitude |= 1;
    exponent += static_cast<std::int32_t>(shift);
  }
  const auto kept = static_cast<std::uint64_t>(magnitude);
  // This also rounds subnormal results, once.
  const long double scaled =
      std::ldexp(static_cast<long double>(kept), exponent);
  const double value = scaled < std::numeric_limits<double>::max() * 2.0L
                           ? static_cast<double>(scaled)
                           : std::numeric_limits<double>::infinity();
  return negative() ? -value : value;
}

std::string ExactTotal::Magnitude() const {
  if (integer_ == 0) return {};
  std::vector<unsigned char> bytes;
  export_bits(Integer(abs(integer_)), std::back_inserter(bytes), 8, false);
  return {bytes.begin(), bytes.end()};
}

bool ExactTotal::Set(std::int32_t exponent, bool negative,
                     std::string_view magnitude) {
  integer_ = 0;
  exponent_ = 0;
  constexpr std::size_t kMostBytes =
      static_cast<std::size_t>(kMostExponent - kLeastExponent) / 8 + 1;
  if (magnitude.size() > kMostBytes || exponent < kLeastExponent ||
      exponent > kMostExponent)
    return false;
  if (magnitude.empty()) return exponent == 0 && !negative;
  if (magnitude.back() == '\0' || (magnitude.front() & 1) == 0) return false;
  const auto* const begin =
      reinterpret_cast<const unsigned char*>(magnitude.data());
  import_bits(integer_, begin, begin + magnitude.size(), 8, false);
  if (negative) integer_ = -integer_;
  exponent_ = exponent;
  return true;
}

// ---- Durations -------------------------------------------------------------

namespace {

// Both lists are ascending.
void AddBuckets(std::vector<Spread::Bucket>& to,
                std::span<const Spread::Bucket> more) {
  auto at = to.begin();
  for (const Spread::Bucket& bucket : more) {
    at = std::ranges::lower_bound(at, to.end(), bucket.index, {},
                                  &Spread::Bucket::index);
    if (at != to.end() && at->index == bucket.index)
      at->count += bucket.count;
    else
      at = to.insert(at, bucket);
  }
}

// The square of `sum` over `count`, rounded down: the sum of squares of equal
// values.
Wide SquareOfMean(Wide sum, std::uint64_t count) {
  constexpr Wide kLow = ~std::uint64_t{0};
  if (count == 0) return 0;
  if (sum <= kLow) return sum * sum / count;
  // Approximate if the sum exceeds 584 years.
  const auto mean = static_cast<long double>(sum) / count;
  return static_cast<Wide>(
      std::min(mean * mean * count, std::ldexp(1.0L, 127)));
}

}  // namespace

void TimeStat::Add(std::uint64_t ns, std::int32_t rank) {
  AddEnds({ns, rank}, {ns, rank});
  ++count;
  sum += ns;
  squares += Wide{ns} * ns;
  AddBuckets(buckets, std::array{Spread::Bucket{Spread::BucketOf(ns), 1}});
}

void TimeStat::Add(const Spread& spread, std::int32_t rank) {
  if (spread.count() == 0) return;
  const double apart = std::round(spread.squares());
  Add(TimeStat{.count = spread.count(),
               .sum = spread.sum(),
               .squares = SquareOfMean(spread.sum(), spread.count()) +
                          static_cast<Wide>(std::clamp(apart, 0.0, 1e38)),
               .min = spread.min(),
               .max = spread.max(),
               .min_rank = rank,
               .max_rank = rank,
               .buckets = spread.Buckets()});
}

void TimeStat::Add(const TimeStat& other) {
  if (other.empty()) return;
  AddEnds({other.min, other.min_rank}, {other.max, other.max_rank});
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  if (buckets.empty())
    buckets = other.buckets;
  else
    AddBuckets(buckets, other.buckets);
}

// Of equal values the lowest rank counts; unknown ranks do not.
void TimeStat::AddEnds(const End& low, const End& high) {
  const auto known = [](std::int32_t rank) {
    return static_cast<std::uint32_t>(rank);
  };
  if (empty() || low.ns < min ||
      (low.ns == min && known(low.rank) < known(min_rank))) {
    min = low.ns;
    min_rank = low.rank;
  }
  if (empty() || high.ns > max ||
      (high.ns == max && known(high.rank) < known(max_rank))) {
    max = high.ns;
    max_rank = high.rank;
  }
}

std::uint64_t TimeStat::total() const {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  return sum > kMost ? kMost : static_cast<std::uint64_t>(sum);
}

Spread TimeStat::ToSpread() const {
  if (empty()) return {};
  const Wide least = SquareOfMean(sum, count);
  const double apart =
      squares > least ? static_cast<double>(squares - least) : 0;
  return Spread::Of(
      {.count = count,
       .sum = total(),
       .min = min,
       .max = max,
       .mean = static_cast<double>(sum) / static_cast<double>(count),
       .squares = apart,
       .buckets = buckets});
}

}  // namespace rangefinder
