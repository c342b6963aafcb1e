#include "estimate/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimate/damaged_samples.h"
#include "tests/support/simulated_programs.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::PrintToString;

// Work as the model has it: even in its windows, each launch alike, no noise.
SimulatedRun Ideal(SimulatedRun run) {
  run.early_end_ns = 0;
  for (SimulatedKernel& kernel : run.kernels) {
    kernel.tilt = 0;
    kernel.scatter = 0;
  }
  for (std::size_t l = 0; l < run.launches.size(); ++l)
    run.truth[l] = run.kernels[run.launches[l].kernel].counts;
  return run;
}

RegionQuery Everything(const SimulatedRun& run) {
  RegionQuery all;
  for (std::uint32_t l = 0; l < run.launches.size(); ++l)
    all.launches.push_back(l);
  return all;
}

RegionEstimate One(const CounterFit& fit, const RegionQuery& query) {
  return fit.Estimate({&query, 1}).front();
}

// The estimate of the first metric over its truth.
double OverTruth(const CounterFit& fit, const SimulatedRun& run,
                 const RegionQuery& query) {
  return *One(fit, query).metrics[0].total / run.Truth(query, 0);
}

TEST(CounterFit, IsExactForCountsOfTheModel) {
  SimulatedRun run = Ideal(DecodeLoop(1, 100));
  const CounterFit fit = FitOf(run, run.Sample(50e3, 0));
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kGood);
  for (const auto& [region, query] : run.Regions()) {
    const RegionEstimate estimate = One(fit, query);
    for (std::size_t m = 0; m < 3; ++m)
      EXPECT_NEAR(*estimate.metrics[m].total, run.Truth(query, m),
                  run.Truth(query, m) * 1e-3 + 1);
  }
}

TEST(CounterFit, KeepsTheHardwaresTotal) {
  SimulatedRun run = DecodeLoop(2, 200);
  run.Disturb(1e6, 9e6, 20);
  const DeviceSamples samples = run.Sample(100e3);
  const CounterFit fit = FitOf(run, samples);
  for (std::size_t m = 0; m < 3; ++m) {
    double hardware = 0;
    for (std::size_t i = m; i < samples.values.size(); i += 3)
      hardware += samples.values[i];
    const MetricQuality& quality = fit.quality().metrics[m];
    EXPECT_NEAR(quality.hardware, hardware, hardware * 1e-9);
    EXPECT_NEAR(quality.launches + quality.outside + quality.tracer, hardware,
                hardware * 1e-6);
    const RegionEstimate all = One(fit, Everything(run));
    EXPECT_NEAR(*all.metrics[m].total, quality.launches, hardware * 1e-3);
  }
}

TEST(CounterFit, AddsUpOverTheRegions) {
  SimulatedRun run = DecodeLoop(3, 100);
  const CounterFit fit = FitOf(run, 100e3);
  double sum = 0;
  for (const auto& [region, query] : run.Regions())
    sum += *One(fit, query).metrics[0].total;
  const RegionEstimate all = One(fit, Everything(run));
  EXPECT_NEAR(*all.metrics[0].total, sum, sum * 1e-9);
  // Two uncertain estimates have a certain sum.
  EXPECT_LT(all.metrics[0].error / *all.metrics[0].total, 0.005);
}

TEST(CounterFit, SubtractsTheTracersWork) {
  const TracerWork work{.per = {8, 5, 200}};
  SimulatedRun run = Ideal(DecodeLoop(4, 100));
  for (std::size_t l = 0; l < run.launches.size(); ++l) {
    const double blocks = run.launches[l].kernel % 3 * 5'000.0;
    run.launches[l].size = {8 * blocks, blocks > 0 ? 8.0 : 0,
                            std::min(blocks, 132.0)};
    run.truth[l][0] += work.Of(run.launches[l].size);
  }
  const DeviceSamples samples = run.Sample(50e3, 0);
  std::vector<EstimatedMetric> metrics = run.Metrics();
  metrics[0].tracer = work;
  const CounterFit with = CounterFit::Make(run.launches, samples, metrics);
  const CounterFit without = FitOf(run, samples);
  for (const auto& [region, query] : run.Regions()) {
    double tracer = 0;
    for (const std::uint32_t l : query.launches)
      tracer += work.Of(run.launches[l].size);
    const double truth = run.Truth(query, 0);
    EXPECT_NEAR(*One(without, query).metrics[0].total, truth, truth * 2e-3);
    EXPECT_NEAR(*One(with, query).metrics[0].total, truth - tracer,
                truth * 2e-3);
  }
  EXPECT_GT(with.quality().metrics[0].tracer, 0);
}

// The subtracted part is known to some percent only.
TEST(CounterFit, HasTheErrorOfTheTracersWork) {
  SimulatedRun run = DecodeLoop(4, 100);
  for (SampledLaunch& launch : run.launches)
    launch.size = {.warps = 10'000, .block_warps = 8};
  std::vector<EstimatedMetric> metrics = run.Metrics();
  metrics[0].tracer = TracerWork{.per = {8, 5, 0}, .unsure = {0.8, 0.5, 0}};
  const CounterFit fit =
      CounterFit::Make(run.launches, run.Sample(50e3), metrics);
  for (const auto& [region, query] : run.Regions())
    EXPECT_GE(One(fit, query).metrics[0].systematic,
              0.1 * 80'000 * static_cast<double>(query.launches.size()));
}

// The device loses most of the counters of a unit now and then.
TEST(CounterFit, LeavesOutSamplesThatLackMostOfAUnitsCounters) {
  SimulatedRun run = DecodeLoop(8, 200);
  DeviceSamples samples = run.Sample(100e3);
  const std::size_t count = samples.start_ns.size();
  for (std::size_t k = 1; k <= 8; ++k) {
    samples.values[3 * (k * count / 9)] *= 0.1;
    samples.values[3 * (k * count / 9) + 1] *= 0.1;
  }
  const CounterFit fit = FitOf(run, samples);
  EXPECT_GE(fit.quality().samples_damaged, 6U);  // some were idle
  EXPECT_LE(fit.quality().samples_damaged, 8U);
  EXPECT_NEAR(OverTruth(fit, run, Everything(run)), 1, 2e-3);
}

// In a graph, samples hardly tell the kernels apart, but the sum of their
// counts is well known.
TEST(CounterFit, LeavesOutSamplesThatLackCountersInAGraph) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SimulatedRun run = NormsInAGraph(seed, 1500);
    DeviceSamples samples = run.Sample(400e3);
    std::size_t damaged = 0;
    for (std::size_t i = 101; i < samples.start_ns.size(); i += 300) {
      ++damaged;
      samples.values[3 * i] *= 0.1;
      samples.values[3 * i + 1] *= 0.1;
    }
    EXPECT_EQ(FitOf(run, samples).quality().samples_damaged, damaged);
  }
}

TEST(CounterFit, LeavesNoSampleOutForOneMetric) {
  SimulatedRun run = DecodeLoop(8, 200);
  DeviceSamples samples = run.Sample(100e3);
  const std::size_t count = samples.start_ns.size();
  for (std::size_t k = 1; k <= 8; ++k)
    samples.values[3 * (k * count / 9)] *= 0.1;
  EXPECT_EQ(FitOf(run, samples).quality().samples_damaged, 0U);
}

// The samples do not tell which process causes counts between launches.
TEST(CounterFit, HasAnErrorForCountsBetweenLaunches) {
  SimulatedRun run = Ideal(DecodeLoop(3, 100));
  const CounterFit without = FitOf(run, run.Sample(50e3, 0));
  run.Disturb(0, run.end_ns(), 5);
  const CounterFit with = FitOf(run, run.Sample(50e3, 0));
  for (const auto& [region, query] : run.Regions())
    EXPECT_GT(One(with, query).metrics[0].systematic,
              One(without, query).metrics[0].systematic + 1000);
}

TEST(CounterFit, FindsUnequalLaunchesOfOneKernel) {
  SimulatedRun run = UnequalLaunches(1, 1500);
  const CounterFit fit = FitOf(run, 50e3);
  EXPECT_EQ(fit.quality().groups_split, 1U);
  EXPECT_THAT(fit.groups()[0].kinds, ElementsAre(LaunchKind{.ordinal = 0}));
  EXPECT_THAT(fit.groups().back().kinds, ElementsAre(LaunchKind{.ordinal = 1}));
  RegionQuery second{.groups = {{3, 1500}}};
  RegionQuery truth;
  for (std::uint32_t l = 0; l < run.launches.size(); ++l) {
    if (fit.group_of_launch()[l] == 3) truth.launches.push_back(l);
  }
  EXPECT_NEAR(*One(fit, second).metrics[0].total, run.Truth(truth, 0),
              run.Truth(truth, 0) * 0.03);
  // Without it the same launches are taken for the mean of both.
  const CounterFit mixed = FitOf(run, 50e3, {.split_groups = false});
  EXPECT_LT(mixed.quality().metrics[0].r2, fit.quality().metrics[0].r2);
}

// Launches of one kernel that last alike share a count, unless two metrics of
// six say that they differ.
TEST(CounterFit, KeepsADifferenceThatTwoMetricsHave) {
  SimulatedRun run(1, 6);
  const std::uint32_t large = run.AddKernel(30e3), other = run.AddKernel(20e3),
                      alike = run.AddKernel(8e3);
  run.kernels[alike].counts.assign(6, 1e6);
  double at = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    at = run.Run(large, 0, i, 0, at);
    at = run.Run(alike, 1, i, 0, at);
    at = run.Run(other, 2, i, 0, at);
    at = run.Run(alike, 3, i, 0, at);
    for (const std::size_t m : {0U, 1U}) run.truth.back()[m] *= 1.6;
  }
  const CounterFit fit = FitOf(run, 200e3);
  for (const auto& [region, query] : run.Regions()) {
    EXPECT_NEAR(OverTruth(fit, run, query), 1, 0.1) << region;
  }
}

TEST(CounterFit, FindsUnequalInstancesOfOneRegion) {
  SimulatedRun run = UnequalInstances(1, 1500, false);
  const CounterFit fit = FitOf(run, 50e3);
  EXPECT_EQ(fit.quality().groups_split, 1U);
  EXPECT_THAT(fit.groups()[0].kinds,
              ElementsAre(LaunchKind{.ordinal = 0, .mode = 1}));
  EXPECT_EQ(fit.groups()[0].launches, 750U);
  for (auto [region, query] : run.Regions()) {
    EXPECT_NEAR(OverTruth(fit, run, query), 1, 0.03);
    // The instances that do twice the work do it.
    if (region > 0) continue;
    std::erase_if(query.launches, [&](std::uint32_t l) {
      return run.launches[l].instance % 2 == 0;
    });
    EXPECT_NEAR(OverTruth(fit, run, query), 1, 0.03);
  }
}

// Work that never repeats cannot be predicted from one half of the run for the
// other, however small the groups are.
TEST(CounterFit, FindsUnequalInstancesAfterWorkThatNeverRepeats) {
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    SimulatedRun run(seed);
    const std::uint32_t unequal = run.AddKernel(8000);
    const std::uint32_t other = run.AddKernel(12'000);
    double at = 0;
    for (std::uint32_t first = 0; first < 20; ++first) {
      const std::uint32_t kernel = run.AddKernel(20'000);
      for (std::uint32_t step = 0; step < 10; ++step)
        at = run.Run(kernel, 2, step, first, at + 3000);
    }
    std::exponential_distribution<> gap(1 / 3000.0);
    for (std::uint32_t step = 0; step < 1500; ++step) {
      at = run.Run(unequal, 0, step, 0, at + gap(run.random()));
      at = run.Run(unequal, 0, step, 1, at + gap(run.random()), 2, 1.4);
      at = run.Run(other, 1, step, 0, at + gap(run.random()));
    }
    const CounterFit fit = FitOf(run, 50e3);
    EXPECT_EQ(fit.quality().groups_split, 1U) << seed;
    std::map<std::uint32_t, RegionQuery> regions = run.Regions();
    for (const std::uint32_t region : {0U, 1U}) {
      EXPECT_NEAR(OverTruth(fit, run, regions[region]), 1, 0.01);
    }
  }
}

TEST(CounterFit, DoesNotSplitWhereWorkIsTheSame) {
  SimulatedRun run(5);
  const std::uint32_t kernel = run.AddKernel(8000);
  const std::uint32_t other = run.AddKernel(9000);
  std::exponential_distribution<> gap(1 / 3000.0);
  double at = 0;
  for (std::uint32_t step = 0; step < 1000; ++step) {
    at = run.Run(kernel, 0, step, 0, at + gap(run.random()));
    at = run.Run(kernel, 0, step, 1, at + gap(run.random()), 1, 1.5);
    at = run.Run(other, 1, step, 0, at + gap(run.random()));
  }
  const CounterFit fit = FitOf(run, 100e3);
  EXPECT_EQ(fit.quality().groups_split, 0U);
}

// Two kernels that always run together, in the same samples.
TEST(CounterFit, HasNoEstimateForInseparableKernels) {
  SimulatedRun run(6);
  const std::uint32_t one = run.AddKernel(5000, 0);
  const std::uint32_t two = run.AddKernel(5000, 0);
  const std::uint32_t apart = run.AddKernel(20'000, 0);
  run.kernels[one].jitter = run.kernels[two].jitter = 0;
  std::exponential_distribution<> gap(1 / 20e3);
  double at = 0;
  for (std::uint32_t step = 0; step < 800; ++step) {
    run.Run(one, 0, step, 0, at);
    at = run.Run(two, 1, step, 0, at) + gap(run.random());
    at = run.Run(apart, 2, step, 0, at) + gap(run.random());
  }
  const CounterFit fit = FitOf(run, 100e3);
  std::map<std::uint32_t, RegionQuery> regions = run.Regions();
  const RegionEstimate alone = One(fit, regions[0]);
  EXPECT_EQ(alone.metrics[0].absence, EstimateAbsence::kNotSeparable);
  EXPECT_FALSE(alone.metrics[0].total.has_value());
  EXPECT_THAT(alone.metrics[0].why, HasSubstr("always run beside it"));
  EXPECT_EQ(fit.quality().groups_merged, 1U);
  // Together they are known.
  RegionQuery both = regions[0];
  for (const std::uint32_t l : regions[1].launches) both.launches.push_back(l);
  const RegionEstimate together = One(fit, both);
  ASSERT_TRUE(together.metrics[0].total.has_value());
  EXPECT_NEAR(*together.metrics[0].total, run.Truth(both, 0),
              run.Truth(both, 0) * 0.03);
  EXPECT_TRUE(One(fit, regions[2]).metrics[0].total.has_value());
}

TEST(CounterFit, HasNoEstimateWithoutSamples) {
  SimulatedRun run = DecodeLoop(7, 60);
  DeviceSamples samples = run.Sample(100e3);
  // Region 9 runs when sampling is over.
  const auto late =
      static_cast<double>(samples.end_ns.back() - SimulatedRun::kOrigin);
  run.Run(0, 9, 0, 0, late + 1e6);
  const CounterFit fit = FitOf(run, samples);
  const RegionEstimate none = One(fit, run.Regions()[9]);
  EXPECT_EQ(none.launches, 1U);
  EXPECT_EQ(none.samples, 0U);
  EXPECT_EQ(none.metrics[0].absence, EstimateAbsence::kNoSample);
  EXPECT_FALSE(none.metrics[0].total.has_value());
  EXPECT_EQ(One(fit, {}).metrics[0].absence, EstimateAbsence::kNoLaunch);
  EXPECT_EQ(fit.quality().launches_left_out, 1U);
}

TEST(CounterFit, OfNothingIsBadAndHasNoEstimates) {
  const SimulatedRun run = DecodeLoop(8, 10);
  const CounterFit fit = FitOf(run, DeviceSamples{});
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kBad);
  EXPECT_THAT(fit.quality().reasons.at(0), HasSubstr("too few"));
  EXPECT_EQ(One(fit, Everything(run)).metrics.at(2).absence,
            EstimateAbsence::kNoFit);
  EXPECT_EQ(fit.Outside().at(0).absence, EstimateAbsence::kNoFit);
  const CounterFit empty = CounterFit::Make({}, {}, {});
  EXPECT_EQ(empty.quality().verdict, FitVerdict::kBad);
}

TEST(CounterFit, LeavesDamagedSamplesOut) {
  SimulatedRun run = DecodeLoop(9, 100);
  DeviceSamples samples = run.Sample(100e3);
  const std::size_t count = samples.start_ns.size();
  samples.values[3 * 10] = std::nan("");
  samples.values[3 * 50 + 2] = INFINITY;
  std::swap(samples.start_ns[70], samples.end_ns[70]);
  const CounterFit fit = FitOf(run, samples);
  EXPECT_EQ(fit.quality().samples_lost, 3U);
  EXPECT_EQ(fit.quality().samples_used, count - 9);  // with those beside
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kGood)
      << PrintToString(fit.quality().reasons);
}

// Five samples of a prompt, which are explained badly, 400 of a loop, and an
// idle device for most of the run.
TEST(DamagedSamples, AreNoRareKernelsOfARunThatIsMostlyIdle) {
  constexpr std::size_t kLoop = 400, kPrompt = 5, kIdle = 30'000;
  Design design;
  design.columns = 3;  // the loop's, the prompt's, the outside
  std::vector<DesignEntry> entries;
  RowMatrix own = RowMatrix::Zero(kLoop + kPrompt + kIdle, 1);
  for (std::uint32_t i = 0; i < kLoop + kPrompt + kIdle; ++i) {
    const std::uint32_t column = i < kLoop ? 0 : i < kLoop + kPrompt ? 1 : 2;
    entries.push_back({i, column, 1});
    own(i, 0) = std::array{1e6, 1e7, 0.0}[column];
  }
  ToRows(entries, kLoop + kPrompt + kIdle, design);
  const Matrix x{{1e6}, {1e6}, {0}};
  const std::vector<EstimatedMetric> metrics(1);
  EXPECT_EQ(std::ranges::count(FindDamaged(design, own, x, metrics), true), 0);
  own(7, 0) = 1e9;
  EXPECT_TRUE(FindDamaged(design, own, x, metrics)[7]);
}

// The device loses the counters of all SMs in a sample, and keeps those of the
// L2 cache. The next sample has few counts, and is whole.
TEST(DamagedSamples, MayLackAllCountersOfLaunches) {
  constexpr std::uint32_t kSamples = 400, kLost = 200;
  Design design;
  design.columns = 2;  // a kernel's, the outside
  std::vector<DesignEntry> entries;
  RowMatrix own(kSamples, 3);
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    const double part = i % 2 == 0 ? 1 : 1e-4;
    const double scatter = 1 + 1e-3 * (i % 3);
    entries.push_back({i, 0, part});
    own.row(i) << 1e6 * part * scatter, 1e5 * part * scatter, 1e4;
  }
  own(kLost, 0) = 5e4;
  own(kLost, 1) = 0;
  own(kLost + 1, 0) = own(kLost + 1, 1) = 0;
  ToRows(entries, kSamples, design);
  const Matrix x{{1e6, 1e5, 1e4}, {0, 0, 0}};
  std::vector<EstimatedMetric> metrics(3);
  metrics[2].of_launches = false;
  const std::vector<bool> damaged = FindDamaged(design, own, x, metrics);
  EXPECT_EQ(std::ranges::count(damaged, true), 1);
  EXPECT_TRUE(damaged[kLost]);
  // A kernel does hardly anything at the end of each launch.
  for (const std::uint32_t i : {50U, 100U, 150U})
    own.block(i, 0, 1, 2) = own.block(kLost, 0, 1, 2);
  EXPECT_EQ(std::ranges::count(FindDamaged(design, own, x, metrics), true), 0);
}

// No device has such values, and no run such times: they are damage, and must
// not become the size of anything.
TEST(CounterFit, LeavesOutValuesThatNoDeviceHas) {
  SimulatedRun run = DecodeLoop(9, 100);
  const double truth = run.Truth(Everything(run), 0);
  DeviceSamples samples = run.Sample(100e3);
  const std::size_t count = samples.start_ns.size();
  samples.values[3 * 10] = 1e200;
  samples.values[3 * 50 + 1] = -1e19;
  samples.start_ns[70] = std::numeric_limits<std::int64_t>::min();
  samples.end_ns[90] = std::numeric_limits<std::int64_t>::max();
  run.launches.push_back({.start_ns = std::numeric_limits<std::int64_t>::min(),
                          .end_ns = std::numeric_limits<std::int64_t>::max()});
  run.launches.push_back({.start_ns = 0, .end_ns = 1000});
  const CounterFit fit = FitOf(run, samples);
  EXPECT_EQ(fit.quality().samples_used, count - 12);
  EXPECT_EQ(fit.group_of_launch()[run.launches.size() - 2],
            CounterFit::kNoGroup);
  RegionQuery all = Everything(run);
  all.launches.resize(all.launches.size() - 2);
  EXPECT_NEAR(*One(fit, all).metrics[0].total, truth, truth * 0.01);
}

// A kernel that initializes data of all sizes, then a short loop: the loop's
// counts are no remainder of the kernel's unequal launches.
TEST(CounterFit, KnowsALoopBehindAnUnequalBeginning) {
  SimulatedRun run(21);
  const std::uint32_t fill = run.AddKernel(12'000);
  const SimulatedLayer layer = RandomLayer(run, 2, 2000, 4000);
  run.kernels[fill].counts[0] = 1e7;
  double at = 0;
  std::uint32_t ordinal = 0;
  for (const double size : {1.0, 1.0, 8.0, 7.5, 1.0, 2.0, 1.0, 1.0})
    at = run.Run(fill, 9, 0, ordinal++, at + 40'000, size, size);
  for (std::uint32_t step = 0; step < 3000; ++step)
    at = RunLayer(run, layer, 1, step, at + 30'000);
  const CounterFit fit = FitOf(run, 400e3);
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kGood)
      << PrintToString(fit.quality().reasons);
  for (const auto& [region, query] : run.Regions()) {
    const double truth = run.Truth(query, 0);
    const CounterEstimate estimate = One(fit, query).metrics[0];
    EXPECT_NEAR(*estimate.total, truth, truth * 0.01) << region;
    EXPECT_LT(estimate.high - estimate.low, truth * 0.1) << region;
  }
}

// A loop that reads nothing from memory, in which an idle device reads a little
// now and then.
TEST(Verdict, DoesNotDependOnAMetricThatHasHardlyAnyCounts) {
  SimulatedRun run = DecodeLoop(22, 200);
  for (std::size_t l = 0; l < run.launches.size(); ++l) run.truth[l][1] = 0;
  DeviceSamples samples = run.Sample(100e3);
  for (std::size_t i = 0; i < samples.start_ns.size(); i += 7)
    samples.values[3 * i + 1] = 1e4;  // bytes
  const auto quality_if = [&](double little) {
    std::vector<EstimatedMetric> metrics = run.Metrics();
    for (EstimatedMetric& metric : metrics) metric.little = little;
    return CounterFit::Make(run.launches, samples, metrics).quality();
  };
  const FitQuality doubtful = quality_if(0);
  EXPECT_EQ(doubtful.verdict, FitVerdict::kDoubtful);
  EXPECT_THAT(doubtful.reasons.front(),
              HasSubstr("the launches explain metric_1 badly: R2 "));
  EXPECT_TRUE(doubtful.metrics[1].decides);
  const FitQuality good = quality_if(1);
  EXPECT_EQ(good.verdict, FitVerdict::kGood) << PrintToString(good.reasons);
  EXPECT_FALSE(good.metrics[1].decides);
  EXPECT_TRUE(good.metrics[0].decides);
  EXPECT_EQ(good.metrics[1].verdict, FitVerdict::kGood);
}

TEST(Verdict, LeavesOutTheWorstHundredthOfTheSamplesWithLaunches) {
  const auto verdict_with = [](std::size_t spikes, double idle_ns) {
    SimulatedRun run = DecodeLoop(23, 300);
    const std::size_t busy = run.Sample(100e3).start_ns.size();
    run.Disturb(run.end_ns(), run.end_ns() + idle_ns, 0);
    DeviceSamples samples = run.Sample(100e3);
    for (std::size_t k = 1; k <= spikes; ++k)
      samples.values[3 * (busy * k / (spikes + 1))] *= 2.9;
    const FitQuality quality = FitOf(run, samples).quality();
    EXPECT_EQ(quality.samples_damaged, 0U);
    return quality.metrics[0].verdict;
  };
  EXPECT_EQ(verdict_with(10, 0), FitVerdict::kGood);
  EXPECT_NE(verdict_with(50, 0), FitVerdict::kGood);
  EXPECT_NE(verdict_with(50, 2e9), FitVerdict::kGood);
}

// The errors have grown to cover what the halves differ by.
TEST(Verdict, IsGoodIfHalvesDifferByOnePercent) {
  const auto quality_if = [](double differ, bool of_code) {
    SimulatedRun run = Ideal(DecodeLoop(25, 480));
    const auto length = static_cast<double>(run.end_ns());
    for (std::size_t l = 0; l < run.launches.size(); ++l) {
      const auto at =
          static_cast<double>(run.launches[l].start_ns - SimulatedRun::kOrigin);
      const bool even = static_cast<int>(48 * at / length) % 2 == 0;
      for (double& count : run.truth[l]) count *= even ? 1 : 1 + differ;
    }
    std::vector<EstimatedMetric> metrics = run.Metrics();
    for (EstimatedMetric& metric : metrics) metric.of_code = of_code;
    return CounterFit::Make(run.launches, run.Sample(50e3, 0), metrics)
        .quality();
  };
  for (const bool of_code : {false, true}) {
    const FitQuality little = quality_if(0.01, of_code);
    EXPECT_GT(little.metrics[0].halves, 9);
    EXPECT_NEAR(little.metrics[0].halves_part, 0.01, 0.002);
    EXPECT_EQ(little.verdict, FitVerdict::kGood)
        << PrintToString(little.reasons);
    const FitQuality much = quality_if(0.06, of_code);
    EXPECT_EQ(much.verdict, FitVerdict::kDoubtful);
    EXPECT_THAT(much.reasons.front(), HasSubstr("times their errors (5 % of"));
  }
}

// One reason names the worst of the metrics with one fault.
TEST(Verdict, HasOneReasonForAFaultOfManyMetrics) {
  SimulatedRun run = DecodeLoop(24, 200);
  DeviceSamples samples = run.Sample(100e3);
  std::ranges::shuffle(samples.values, run.random());
  std::vector<EstimatedMetric> metrics = run.Metrics();
  const FitQuality quality =
      CounterFit::Make(run.launches, samples, metrics).quality();
  EXPECT_EQ(quality.verdict, FitVerdict::kBad);
  // Metrics that count little make it no better.
  metrics[2].little = 1e9;
  EXPECT_EQ(CounterFit::Make(run.launches, samples, metrics).quality().verdict,
            FitVerdict::kBad);
  metrics[0].little = metrics[1].little = 1e9;
  EXPECT_EQ(CounterFit::Make(run.launches, samples, metrics).quality().verdict,
            FitVerdict::kBad);
  EXPECT_EQ(
      std::ranges::count_if(
          quality.reasons,
          [](const std::string& reason) {
            return reason.find("badly") != std::string::npos &&
                   reason.ends_with("; of 3 such counters this is the worst");
          }),
      1)
      << PrintToString(quality.reasons);
}

TEST(CounterFit, FindsCountsOutsideLaunches) {
  SimulatedRun run = DecodeLoop(10, 200);
  const double end = run.end_ns();
  for (double at = -2e6; at < end + 2e6; at += 1e6)
    run.Disturb(at, at + 1e6, 8);  // without an end
  SimulatedRun quiet = DecodeLoop(10, 200);
  // A device that idles half of the time.
  const DeviceSamples samples = run.Sample(100e3);
  const CounterFit fit = FitOf(run, samples);
  EXPECT_TRUE(fit.quality().background);
  const double truth =
      8 * static_cast<double>(samples.end_ns.back() - samples.start_ns.front());
  EXPECT_NEAR(*fit.Outside()[0].total, truth, truth * 0.3);
  const CounterFit without = FitOf(quiet, 100e3);
  EXPECT_FALSE(without.quality().background);
  EXPECT_LT(without.quality().metrics[0].outside,
            0.01 * without.quality().metrics[0].hardware);
}

TEST(CounterFit, LeavesOutABackgroundThatTheSamplesCannotTell) {
  // Two kernels in turns, each as long in every launch: kernels and idle time
  // together are the whole time.
  SimulatedRun run(12);
  const std::uint32_t one = run.AddKernel(150'000);
  const std::uint32_t two = run.AddKernel(400'000);
  run.kernels[one].jitter = run.kernels[two].jitter = 0.005;
  run.kernels[two].rates = {2, 1, 1, 1};
  double at = 0;
  for (std::uint32_t step = 0; step < 60; ++step) {
    at = run.Run(one, 1, step, 0, at + 10'000);
    at = run.Run(two, 2, step, 0, at + 3000);
  }
  const double end = run.end_ns() + 40e6;
  for (double from = -40e6; from < end; from += 1e6)
    run.Disturb(from, from + 1e6, 4);
  const CounterFit fit = FitOf(run, 400e3);
  EXPECT_FALSE(fit.quality().background);
  for (const auto& [region, query] : run.Regions()) {
    const RegionEstimate estimate = One(fit, query);
    for (std::size_t m = 0; m < 2; ++m) {
      const CounterEstimate& cell = estimate.metrics[m];
      ASSERT_TRUE(cell.total) << cell.why;
      EXPECT_NEAR(*cell.total, run.Truth(query, m), 3 * cell.error);
      EXPECT_LT(cell.error, 0.2 * *cell.total);
    }
  }
}

TEST(CounterFit, ShowsGrowthOverTheRun) {
  SimulatedRun run = DecodeLoop(11, 400, 4, 2, 0.4);
  const CounterFit fit = FitOf(run, 100e3);
  for (const std::uint32_t region : {0U, 1U}) {  // one that grows, one not
    std::map<std::uint32_t, RegionQuery> by_instance;
    for (std::uint32_t l = 0; l < run.launches.size(); ++l) {
      if (run.launches[l].region == region)
        by_instance[run.launches[l].instance].launches.push_back(l);
    }
    std::vector<RegionQuery> instances;
    for (const auto& [instance, query] : by_instance)
      instances.push_back(query);
    const std::vector<RegionBlock> blocks = fit.OverTime(instances, 4);
    ASSERT_EQ(blocks.size(), 4U);
    int held = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      EXPECT_EQ(blocks[b].instances, 100U);
      RegionQuery block;
      for (std::size_t i = b * 100; i < (b + 1) * 100; ++i)
        block.launches.insert(block.launches.end(),
                              instances[i].launches.begin(),
                              instances[i].launches.end());
      const CounterEstimate& estimate = blocks[b].per_instance[0];
      const double truth = run.Truth(block, 0) / 100;
      EXPECT_NEAR(*estimate.total, truth, truth * 0.1);
      held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    }
    EXPECT_GE(held, 3);
    const double grown =
        *blocks[3].per_instance[0].total / *blocks[0].per_instance[0].total;
    EXPECT_NEAR(grown, region == 0 ? 1.35 / 1.05 : 1, 0.08);
  }
}

// Operations are counted, not time: launches by samples, and pairs of groups in
// a sample.
TEST(CounterFit, CostsInProportionToLaunchesAndSamples) {
  const auto operations = [](std::uint32_t steps) {
    SimulatedRun run = DecodeLoop(12, steps);
    return static_cast<double>(FitOf(run, 100e3).quality().operations);
  };
  const double once = operations(150);
  EXPECT_NEAR(operations(300) / once, 2, 0.2);
  EXPECT_NEAR(operations(1200) / once, 8, 0.8);
}

// Sizes are counted, not time: however many kernels and groups there are, there
// are no more columns than a fit may have. Those beyond share a count by time,
// whose error says so.
TEST(CounterFit, HasBoundsOfItsSize) {
  SimulatedRun run(3, 2);
  constexpr std::uint32_t kKernels = 1500;
  double at = 0;
  for (std::uint32_t k = 0; k < kKernels; ++k) run.AddKernel(2000 + k);
  for (std::uint32_t step = 0; step < 6; ++step) {
    for (std::uint32_t k = 0; k < kKernels; ++k)
      at = run.Run(k, k / 4, step, k % 4, at + 1000);
  }
  const CounterFit fit =
      FitOf(run, 100e3, {.split_groups = false, .scan_clocks = false});
  EXPECT_EQ(fit.quality().groups, kKernels);
  EXPECT_LE(fit.quality().columns, 1001U);
  EXPECT_EQ(fit.quality().groups_by_time, 500U);
  EXPECT_GT(fit.quality().share_by_time, 0.1);
  EXPECT_LT(fit.quality().share_by_time, 0.33);
  const CounterEstimate shared = One(fit, run.Regions()[0]).metrics[0];
  ASSERT_TRUE(shared.total.has_value());
  EXPECT_GT(shared.error, 0.1 * *shared.total);
}

TEST(CounterFit, IsTheSameEveryTime) {
  SimulatedRun run = DecodeLoop(13, 100);
  const DeviceSamples samples = run.Sample(100e3);
  const RegionQuery all = Everything(run);
  const auto total = [&] {
    const CounterFit fit = FitOf(run, samples);
    const CounterEstimate estimate = One(fit, all).metrics[0];
    return std::vector<double>{*estimate.total, estimate.low, estimate.high};
  };
  EXPECT_EQ(total(), total());
}

}  // namespace
}  // namespace rangefinder
