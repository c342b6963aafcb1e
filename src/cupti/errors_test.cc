#include "cupti/errors.h"

#include <gtest/gtest.h>

namespace rangefinder::cupti {
namespace {

TEST(CuptiErrors, KnownCodesHaveAReasonAndARemedy) {
  for (const Code code : {kNoFunction, kOutOfMemory, kHardwareBusy,
                          kInsufficientPrivileges, kMultipleSubscribers}) {
    const Trouble* const trouble = TroubleOf(code);
    ASSERT_NE(trouble, nullptr) << code;
    EXPECT_STRNE(trouble->why, "") << code;
    EXPECT_STRNE(trouble->fix, "") << code;
  }
  EXPECT_STREQ(TroubleOf(kHardwareBusy)->why,
               "another profiler has the counters");
}

TEST(CuptiErrors, OtherCodesHaveNoReasonAndNoRemedy) {
  EXPECT_EQ(TroubleOf(kSuccess), nullptr);
  EXPECT_EQ(TroubleOf(999), nullptr);
}

}  // namespace
}  // namespace rangefinder::cupti
