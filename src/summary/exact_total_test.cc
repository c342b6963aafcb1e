#include "summary/exact_total.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

ExactTotal Of(const std::vector<double>& terms) {
  ExactTotal total;
  for (const double term : terms) total.Add(term);
  return total;
}

TEST(ExactTotal, OfOneNumberIsThatNumber) {
  for (const double number :
       {0.0, 1.0, -1.0, 0.1, 1e300, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN,
        -DBL_TRUE_MIN, 3 * DBL_TRUE_MIN, 1234567890123456789.0})
    EXPECT_EQ(Of({number}).value(), number);
}

TEST(ExactTotal, AddsNumbersOfAllSizesExactly) {
  EXPECT_EQ(Of({1e300, 1, -1e300}).value(), 1);
  EXPECT_EQ(Of({DBL_TRUE_MIN, 1e300, -1e300}).value(), DBL_TRUE_MIN);
  EXPECT_EQ(Of({0.1, 0.2, 0.3, -0.3, -0.2, -0.1}), ExactTotal());
}

TEST(ExactTotal, IsTheSameInAnyOrderAndGrouping) {
  std::mt19937_64 random(1);
  std::vector<double> terms;
  for (int i = 0; i < 300; ++i) {
    terms.push_back(std::ldexp(static_cast<double>(random()) - 9e18,
                               static_cast<int>(random() % 400) - 200));
  }
  const ExactTotal whole = Of(terms);
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(terms, random);
    ExactTotal parts;
    for (std::size_t i = 0; i < terms.size();) {
      const std::size_t end =
          std::min<std::size_t>(terms.size(), i + 1 + random() % 50);
      parts.Add(Of({terms.begin() + static_cast<std::ptrdiff_t>(i),
                    terms.begin() + static_cast<std::ptrdiff_t>(end)}));
      i = end;
    }
    EXPECT_EQ(parts, whole);
  }
}

TEST(ExactTotal, RoundsToTheNearestDoubleOnce) {
  // Half a unit of the last place, and a little more.
  const double one = 1;
  const double half = std::ldexp(1.0, -53);
  EXPECT_EQ(Of({one, half}).value(), one);  // to even
  EXPECT_EQ(Of({one, half, std::ldexp(1.0, -200)}).value(),
            std::nextafter(one, 2));
  EXPECT_EQ(Of({one, half, -std::ldexp(1.0, -200)}).value(), one);
  EXPECT_EQ(Of({DBL_MAX, DBL_MAX}).value(), INFINITY);
  EXPECT_EQ(Of({-DBL_MAX, -DBL_MAX}).value(), -INFINITY);
  EXPECT_EQ(Of({DBL_MAX, DBL_MAX, -DBL_MAX}).value(), DBL_MAX);
}

TEST(ExactTotal, OfProductsIsExactToo) {
  ExactTotal total;
  total.AddProduct(0.1, 0.1);
  total.AddProduct(-0.1, 0.1);
  EXPECT_EQ(total, ExactTotal());
  total.AddProduct(DBL_TRUE_MIN, DBL_TRUE_MIN);
  total.AddProduct(DBL_MAX, DBL_MAX);
  total.AddProduct(-DBL_MAX, DBL_MAX);
  ExactTotal copy;
  EXPECT_TRUE(copy.Set(total.exponent(), total.negative(), total.Magnitude()));
  EXPECT_EQ(copy, total);
}

TEST(ExactTotal, IsWrittenAndReadBackTheSame) {
  for (const double number : {0.0, 1.0, -0.1, DBL_MAX, -DBL_TRUE_MIN}) {
    const ExactTotal total = Of({number, 0.25, -1e9});
    ExactTotal copy;
    ASSERT_TRUE(
        copy.Set(total.exponent(), total.negative(), total.Magnitude()));
    EXPECT_EQ(copy, total);
  }
}

TEST(ExactTotal, RefusesPartsThatNoSumHas) {
  ExactTotal total;
  EXPECT_FALSE(total.Set(0, true, ""));
  EXPECT_FALSE(total.Set(0, false, std::string("\2", 1)));     // even
  EXPECT_FALSE(total.Set(0, false, std::string("\1\0", 2)));   // not shortest
  EXPECT_FALSE(total.Set(5000, false, "\1"));                  // too large
  EXPECT_FALSE(total.Set(0, false, std::string(5000, '\1')));  // too long
}

TEST(ExactTotal, IgnoresInfinitiesAndNan) {
  EXPECT_EQ(Of({NAN, INFINITY, 1}).value(), 1);
}

}  // namespace
}  // namespace rangefinder
