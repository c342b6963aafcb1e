#include "base/numbers.h"

#include <cmath>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(WithError, RoundsBothToTheSecondDigitOfTheError) {
  EXPECT_EQ(WithError(1.23456, 0.0321), "1.235 ± 0.032");
  EXPECT_EQ(WithError(1.23456, 0.0996), "1.23 ± 0.10");
  EXPECT_EQ(WithError(41.2168, 0.16), "41.22 ± 0.16");
  EXPECT_EQ(WithError(1234.5, 14.4), "1,235 ± 14");
  EXPECT_EQ(WithError(1234, 144), "1,230 ± 140");
  EXPECT_EQ(WithError(96, 1234), "100 ± 1,200");
  EXPECT_EQ(WithError(2, 0.0000123), "2.000000 ± 0.000012");
  EXPECT_EQ(WithError(0, 0.004), "0.0000 ± 0.0040");
  EXPECT_EQ(WithError(-0.001, 2.5), "0.0 ± 2.5");
  EXPECT_EQ(WithError(12.5, 0), "12.50");
  EXPECT_EQ(WithError(12.5, 1e-15), "12.50");
  EXPECT_EQ(WithError(0, 0), "0");
  EXPECT_EQ(WithError(12.5, NAN), "12.50 ± ?");
}

}  // namespace
}  // namespace rangefinder
