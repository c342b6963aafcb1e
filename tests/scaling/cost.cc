#include "tests/scaling/cost.h"

#include <algorithm>
#include <ctime>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scaling/counted_memory.h"

namespace rangefinder::testing {
namespace {

// Ten times as many items take 10 times as much where the cost is linear and
// 100 times where it is quadratic, not counting the fixed cost of a file. A
// cost near zero proves nothing, and other programs disturb, so the best of
// several runs counts.
constexpr double kMost = 25;
constexpr double kNoTime = 0.1;
constexpr double kNoBytes = 4 << 20;
constexpr int kTries = 3;

// CPU time of all threads of this process.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

bool IsLinear(double any, double small, double large, double nothing) {
  return large < nothing ||
         large - any < kMost * std::max(small - any, nothing / kMost);
}

}  // namespace

Cost CostOfWork(const std::function<void()>& work) {
  static_cast<void>(TakePeakBytes());
  const std::int64_t before = LiveBytes();
  const double start = CpuSeconds();
  work();
  return {.seconds = CpuSeconds() - start, .bytes = TakePeakBytes() - before};
}

void ExpectLinear(const std::function<Cost(int count)>& cost, int count) {
  cost(1);  // what a process makes only once
  Cost any = cost(1);
  Cost small, large;
  for (int i = 0; i < kTries; ++i) {
    any.seconds = std::min(any.seconds, cost(1).seconds);
    const Cost one = cost(count);
    const Cost ten = cost(10 * count);
    small =
        i == 0 ? one : Cost{std::min(small.seconds, one.seconds), one.bytes};
    large =
        i == 0 ? ten : Cost{std::min(large.seconds, ten.seconds), ten.bytes};
    if (IsLinear(any.seconds, small.seconds, large.seconds, kNoTime)) break;
  }
  const std::string figures = fmt::format(
      "{} of them: {:.3f} s, {:.1f} MB; {}: {:.3f} s, {:.1f} MB", count,
      small.seconds, static_cast<double>(small.bytes) / 1e6, 10 * count,
      large.seconds, static_cast<double>(large.bytes) / 1e6);
  ::testing::Test::RecordProperty("figures", figures);
  EXPECT_TRUE(IsLinear(any.seconds, small.seconds, large.seconds, kNoTime))
      << figures;
  EXPECT_TRUE(IsLinear(static_cast<double>(any.bytes),
                       static_cast<double>(small.bytes),
                       static_cast<double>(large.bytes), kNoBytes))
      << figures;
}

}  // namespace rangefinder::testing
