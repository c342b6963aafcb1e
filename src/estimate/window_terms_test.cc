#include "estimate/window_terms.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// The second launch runs during the last half of the first, which is cut at its
// middle and at three quarters of its time.
TEST(WindowTerms, OfConcurrentKernelsMoveWork) {
  const LaunchWindows windows{
      .start_ns = {1000, 2000}, .end_ns = {3000, 3000}, .launch = {0, 1}};
  SampleWindows samples;
  samples.start_ns = {0, 2000, 2500};
  samples.end_ns = {2000, 2500, 4000};
  const LaunchColumns columns{
      .group = {0, 1}, .column = {0, 1}, .weight = {1, 1}, .count = 2};
  WindowTerms terms{.columns = 2,
                    .shape = {WindowTerms::kNoTerm, WindowTerms::kNoTerm},
                    .pairs = 1};
  terms.beside.fill({WindowTerms::kNoTerm, WindowTerms::kNoTerm});
  terms.kernel = {7, 8};
  terms.concurrent[WindowTerms::Pair(0, 8)] = 0;
  const Design cuts = MakeCuts(windows, samples, {}, columns, terms);
  ASSERT_EQ(cuts.rows(), 3U);
  std::vector<double> by_sample(3, 0);
  for (std::size_t i = 0; i < cuts.rows(); ++i) {
    for (std::uint32_t k = cuts.begin[i]; k < cuts.begin[i + 1]; ++k) {
      if (cuts.column[k] == terms.of_pair(0)) by_sample[i] += cuts.value[k];
    }
  }
  // If the rate is r times as high during the second launch, 1 / (1 + r) of the
  // work is done in the middle, and (1 + r / 2) / (1 + r) at three quarters.
  // The derivatives at r = 1 are -1/4 and -1/8.
  EXPECT_DOUBLE_EQ(by_sample[0], -0.25);
  EXPECT_DOUBLE_EQ(by_sample[1], 0.125);
  EXPECT_DOUBLE_EQ(by_sample[2], 0.125);
}

}  // namespace
}  // namespace rangefinder
