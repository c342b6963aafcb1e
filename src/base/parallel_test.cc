#include "base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::Each;

TEST(InParallel, CallsEachIndexOnceWithAThreadNumber) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<int> done(count);
    std::atomic<std::size_t> highest = 0;
    InParallel(count, [&](std::size_t i, std::size_t thread) {
      ++done[i];
      for (std::size_t seen = highest; seen < thread;)
        highest.compare_exchange_weak(seen, thread);
    });
    EXPECT_THAT(done, Each(1));
    EXPECT_LT(highest, MostThreads(count));
  }
}

TEST(InParallel, TakesNoMoreThreadsThanThereIsWork) {
  EXPECT_EQ(MostThreads(0), 1);
  EXPECT_EQ(MostThreads(1), 1);
  EXPECT_GE(MostThreads(1'000'000), 1);
  EXPECT_LE(MostThreads(1'000'000), 16);
}

TEST(InParallel, RethrowsTheExceptionOfACall) {
  EXPECT_THROW(InParallel(100,
                          [](std::size_t i, std::size_t) {
                            if (i == 40) throw std::runtime_error("40");
                          }),
               std::runtime_error);
}

}  // namespace
}  // namespace rangefinder
