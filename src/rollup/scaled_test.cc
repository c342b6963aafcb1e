#include "rollup/scaled.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/numbers.h"

namespace rangefinder {
namespace {

std::string Shown(double value, std::string_view unit) {
  const Scaled scaled = ScaleFor(value, unit);
  return PlainNumber(value / scaled.factor) + " " + scaled.unit;
}

TEST(Scaled, TimesBytesRatesAndClocksTakeTheNextSmallerUnit) {
  EXPECT_EQ(Shown(0, "ns"), "0 ns");
  EXPECT_EQ(Shown(0.25, "ns"), "0.25 ns");
  EXPECT_EQ(Shown(999, "ns"), "999 ns");
  EXPECT_EQ(Shown(1000, "ns"), "1 us");
  EXPECT_EQ(Shown(999999, "ns"), "1,000.00 us");
  EXPECT_EQ(Shown(1e6, "ns"), "1 ms");
  EXPECT_EQ(Shown(1.5e9, "ns"), "1.50 s");
  EXPECT_EQ(Shown(-2e6, "ns"), "-2 ms");
  EXPECT_EQ(Shown(999, "byte"), "999 byte");
  EXPECT_EQ(Shown(1000, "byte"), "1 Kbyte");
  EXPECT_EQ(Shown(4.8e12, "byte/s"), "4.80 Tbyte/s");
  EXPECT_EQ(Shown(1e6, "byte/s"), "1 Mbyte/s");
  EXPECT_EQ(Shown(1.97e9, "hz"), "1.97 Ghz");
  EXPECT_EQ(Shown(2e12, "flop/s"), "2 Tflop/s");
}

TEST(Scaled, OtherUnitsAreShownInFull) {
  EXPECT_EQ(Shown(213138, "cycle"), "213,138 cycle");
  EXPECT_EQ(Shown(1234567.891, "inst"), "1,234,567.89 inst");
  EXPECT_EQ(Shown(99.999, "%"), "100.00 %");
}

TEST(PlainNumber, WholeNumbersHaveNoDecimalsAndThousandsAreParted) {
  EXPECT_EQ(PlainNumber(0), "0");
  EXPECT_EQ(PlainNumber(100), "100");
  EXPECT_EQ(PlainNumber(1000), "1,000");
  EXPECT_EQ(PlainNumber(-0.5), "-0.50");
  EXPECT_EQ(PlainNumber(0.5), "0.50");
  EXPECT_EQ(PlainNumber(-1234567), "-1,234,567");
  EXPECT_EQ(PlainNumber(999999999999999), "999,999,999,999,999");
  EXPECT_EQ(PlainNumber(1e15), "1e+15");
  EXPECT_EQ(PlainNumber(1.23456789e20), "1.23457e+20");
}

TEST(CellText, MarksValuesThatAreNotExact) {
  Profile profile;
  const Scaled scaled{.factor = 10, .unit = ""};
  const auto text = [&](const Cell& cell) {
    return CellText(profile, cell, scaled);
  };
  EXPECT_EQ(text({}), "-");
  EXPECT_EQ(text({.has_spread = true, .low = 160, .high = 320}), "16 .. 32");
  EXPECT_EQ(text({.how = How::kMeasured, .value = 15}), "1.50");
  EXPECT_EQ(text({.how = How::kExact, .value = 15}), "1.50");
  EXPECT_EQ(text({.how = How::kApprox, .value = 15}), "~ 1.50");
  EXPECT_EQ(text({.how = How::kBound, .bound = Bound::kUpper, .value = 15}),
            "<= 1.50");
  EXPECT_EQ(text({.how = How::kBound, .bound = Bound::kLower, .value = 15}),
            ">= 1.50");
  EXPECT_EQ(text({.how = How::kExact,
                  .is_text = true,
                  .text = profile.strings.Intern("Prefer\x1bL1")}),
            "Prefer\\x1bL1");
}

TEST(CellText, OfAnEstimateHasItsErrorInTheSameUnit) {
  Profile profile;
  const auto text = [&](double value, float error, std::string_view unit) {
    const Cell cell{.how = How::kEstimated, .value = value, .error = error};
    return CellText(profile, cell, ScaleFor(cell, unit));
  };
  EXPECT_EQ(text(2e6, 8e3, "byte"), "2.0000 ± 0.0080");
  EXPECT_EQ(text(40, 2, "%"), "40.0 ± 2.0");
  EXPECT_EQ(text(0, 1500, "byte"), "0.0 ± 1.5");
  EXPECT_EQ(text(0, 0, "byte"), "0");
  EXPECT_EQ(text(1, 20, "byte"), "1 ± 20");
}

TEST(CellText, WithoutAValueTheLargestGivesTheScale) {
  const Cell spread{.has_spread = true, .low = 10, .high = 5e6};
  EXPECT_EQ(ScaleFor(spread, "ns").unit, "ms");
  const Cell value{
      .how = How::kExact, .has_spread = true, .value = 20, .high = 5e6};
  EXPECT_EQ(ScaleFor(value, "ns").unit, "ns");
}

}  // namespace
}  // namespace rangefinder
