#include "profile/counter_docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(CounterDoc, IsOfACounterWithItsSuffix) {
  EXPECT_THAT(CounterDoc("dram__bytes_read.sum"), StartsWith("Bytes that"));
  EXPECT_THAT(CounterDoc("sm__cycles_active.avg"),
              EndsWith("; the mean over all SMs"));
  EXPECT_EQ(CounterDoc("sm__cycles_active.max"), "");
  EXPECT_EQ(CounterDoc("sm__cycles_active.avg.per_second"), "");
  EXPECT_EQ(CounterDoc("dram__bytes"), "");
}

}  // namespace
}  // namespace rangefinder
