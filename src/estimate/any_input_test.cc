// Whatever launches and samples there are, an estimate is a finite number of 0
// or more within its interval, or absent with a reason.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/estimate.h"

namespace rangefinder {
namespace {

class AnyInput {
 public:
  explicit AnyInput(std::uint64_t seed) : random_(seed) {
    span_ = 1 + Below(1'000'000);
    launches.resize(Below(4) == 0 ? Below(4) : Below(300));
    for (SampledLaunch& launch : launches) Fill(launch);
    metrics.resize(Below(4));
    for (EstimatedMetric& metric : metrics) {
      metric.of_code = Below(2) == 0;
      if (Below(3) == 0)
        metric.tracer = TracerWork{.per = {8, 5, 1}, .unsure = {0.2, 0.1, 0.5}};
    }
    FillSamples();
    options.blocks = Below(60);
    options.fit_edges = Below(2) == 0;
    options.split_groups = Below(3) > 0;
    options.scan_clocks = Below(4) == 0;
  }

  std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_() % bound);
  }

  std::vector<SampledLaunch> launches{};
  DeviceSamples samples{};
  std::vector<EstimatedMetric> metrics{};
  EstimateOptions options{};

 private:
  // Some before all samples, some without a length or with less, some that
  // last longer than the run.
  void Fill(SampledLaunch& launch) {
    launch.start_ns = Below(span_) - (Below(5) == 0 ? span_ : 0);
    launch.end_ns = launch.start_ns + Below(3) * Below(20'000) - Below(50);
    if (Below(100) == 0)
      launch.end_ns = launch.start_ns + 5 * std::int64_t{span_};
    launch.region = Below(4);
    launch.kernel = Below(Below(2) == 0 ? 3 : 40);
    launch.shape = Below(2);
    launch.ordinal = Below(5);
    launch.instance = Below(20);
    launch.size = {Below(3) * 100.0, Below(3) * 8.0, Below(3) * 1.0};
  }

  // With gaps, overlaps, no lengths; with values that are none, a metric that
  // counts nothing and one of very large numbers.
  void FillSamples() {
    std::int64_t at = -std::int64_t{Below(1000)};
    for (std::uint32_t i = 0, count = Below(400); i < count; ++i) {
      const std::int64_t length =
          Below(20) == 0 ? 0 : 1000 + Below(3) * Below(4000);
      samples.start_ns.push_back(at);
      samples.end_ns.push_back(at + length);
      at += length + (Below(30) == 0 ? Below(20'000) : 0) -
            (Below(50) == 0 ? 500 : 0);
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        double value = m == 1 ? 0 : Below(100'000);
        if (m == 2) value = 1e15 * Below(3);
        if (Below(40) == 0) value = std::numeric_limits<double>::quiet_NaN();
        samples.values.push_back(value);
      }
    }
  }

  std::mt19937_64 random_;
  std::uint32_t span_ = 1;
};

void ExpectSound(const CounterEstimate& estimate) {
  if (!estimate.total) {
    EXPECT_NE(estimate.absence, EstimateAbsence::kNone);
    EXPECT_FALSE(estimate.why.empty());
    return;
  }
  EXPECT_EQ(estimate.absence, EstimateAbsence::kNone);
  EXPECT_TRUE(std::isfinite(*estimate.total));
  EXPECT_TRUE(std::isfinite(estimate.error));
  EXPECT_TRUE(std::isfinite(estimate.high));
  EXPECT_GE(estimate.low, 0);
  EXPECT_LE(estimate.low, *estimate.total);
  EXPECT_LE(*estimate.total, estimate.high);
}

// Four regions, some launches, some of the groups; instances of a region.
void ExpectSound(AnyInput& input, const CounterFit& fit) {
  std::vector<RegionQuery> queries(6), instances(20);
  for (std::uint32_t l = 0; l < input.launches.size(); ++l) {
    const SampledLaunch& launch = input.launches[l];
    queries[launch.region].launches.push_back(l);
    if (input.Below(5) == 0) queries[4].launches.push_back(l);
    if (launch.region == 0) instances[launch.instance].launches.push_back(l);
  }
  for (std::uint32_t g = 0; g < fit.groups().size(); ++g) {
    if (input.Below(2) == 0)
      queries[5].groups.push_back(
          {g, static_cast<double>(fit.groups()[g].launches) / 2});
  }
  for (const RegionEstimate& region : fit.Estimate(queries)) {
    ASSERT_EQ(region.metrics.size(), input.metrics.size());
    for (const CounterEstimate& estimate : region.metrics)
      ExpectSound(estimate);
  }
  for (const CounterEstimate& estimate : fit.Outside()) ExpectSound(estimate);
  for (const RegionBlock& block : fit.OverTime(instances, 1 + input.Below(6))) {
    for (const CounterEstimate& estimate : block.per_instance)
      ExpectSound(estimate);
  }
}

TEST(CounterFit, OfAnyInputIsSound) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    AnyInput input(seed);
    const CounterFit fit = CounterFit::Make(input.launches, input.samples,
                                            input.metrics, input.options);
    ExpectSound(input, fit);
    for (const MetricQuality& metric : fit.quality().metrics) {
      EXPECT_TRUE(std::isfinite(metric.r2));
      EXPECT_TRUE(std::isfinite(metric.residual));
      EXPECT_TRUE(std::isfinite(metric.halves));
      EXPECT_NEAR(
          metric.launches + metric.tracer + metric.outside + metric.unexplained,
          metric.hardware, std::abs(metric.hardware) * 1e-9 + 1e-6);
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace rangefinder
