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

#include <boost/multiprecision/cpp_int.hpp>

namespace rangefinder {

class ExactTotal {
 public:
  ExactTotal() = default;
  // Infinities and NaN add nothing.
  void Add(double term);
  // The product of two doubles, without rounding either.
  void AddProduct(double a, double b);
  void Add(const ExactTotal& other);

  // The nearest double; an infinity beyond the largest.
  double value() const;

  // The parts of its written form: exponent of two, sign, and the integer's
  // bytes, lowest first.
  std::int32_t exponent() const { return exponent_; }
  bool negative() const { return integer_ < 0; }
  std::string Magnitude() const;
  // False where no sum of doubles or products has these parts.
  bool Set(std::int32_t exponent, bool negative, std::string_view magnitude);

  friend bool operator==(const ExactTotal&, const ExactTotal&) = default;

 private:
  using Integer = boost::multiprecision::cpp_int;

  void Add(const Integer& integer, std::int32_t exponent);

  Integer integer_{0};  // odd, or 0
  std::int32_t exponent_ = 0;
};

}  // namespace rangefinder
