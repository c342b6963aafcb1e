#include "summary/exact_total.h"

#include <cmath>
#include <iterator>
#include <limits>
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
  Integer magnitude = integer_;
  const bool below = magnitude < 0;
  if (below) magnitude = -magnitude;
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
  const double value = std::ldexp(static_cast<long double>(kept), exponent) <
                               std::numeric_limits<double>::max() * 2.0L
                           ? static_cast<double>(std::ldexp(
                                 static_cast<long double>(kept), exponent))
                           : std::numeric_limits<double>::infinity();
  return below ? -value : value;
}

std::string ExactTotal::Magnitude() const {
  if (integer_ == 0) return {};
  std::string bytes;
  const Integer magnitude = integer_ < 0 ? Integer(-integer_) : integer_;
  std::vector<unsigned char> digits;
  export_bits(magnitude, std::back_inserter(digits), 8, false);
  bytes.assign(digits.begin(), digits.end());
  return bytes;
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

}  // namespace rangefinder
