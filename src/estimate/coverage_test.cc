// Tests that errors are honest: in programs whose truth is known, intervals of
// 95 % hold in so many cases. Where they cannot, the fit says that it is
// doubtful or bad.

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimate/estimate.h"
#include "tests/support/simulated_programs.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

struct Coverage {
  int cases = 0;  // (region, metric) that count at all, estimated
  int held = 0;
  int absent = 0;
  int not_good = 0;  // fits that say so
  int fits = 0;
  double widths = 0;          // of all intervals
  std::vector<double> off{};  // relative

  // Counts an estimate of what is `truth`.
  void Add(const CounterEstimate& estimate, double truth) {
    if (truth <= 0) return;
    if (!estimate.total) {
      ++absent;
      return;
    }
    ++cases;
    widths += estimate.high - estimate.low;
    held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    off.push_back(std::abs(*estimate.total / truth - 1));
  }
  double share() const { return static_cast<double>(held) / cases; }
  double median_off() const {
    std::vector<double> sorted = off;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

void Cover(const SimulatedRun& run, const DeviceSamples& samples,
           Coverage& coverage, bool of_code = false) {
  std::vector<EstimatedMetric> metrics = run.Metrics();
  for (EstimatedMetric& metric : metrics) metric.of_code = of_code;
  const CounterFit fit =
      CounterFit::Make(run.launches, samples, metrics, {.scan_clocks = false});
  ++coverage.fits;
  coverage.not_good += fit.quality().verdict == FitVerdict::kGood ? 0 : 1;
  std::vector<RegionQuery> queries;
  for (const auto& [region, query] : run.Regions()) queries.push_back(query);
  const std::vector<RegionEstimate> estimates = fit.Estimate(queries);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t m = 0; m < estimates[q].metrics.size(); ++m)
      coverage.Add(estimates[q].metrics[m], run.Truth(queries[q], m));
  }
}

// Programs of seeds from 1 on, until there are so many cases or more.
Coverage CoverMany(const std::function<SimulatedRun(std::uint64_t)>& program,
                   double interval_ns, int cases = 600, bool of_code = false,
                   double noise = 0.002) {
  Coverage coverage;
  for (std::uint64_t seed = 1; coverage.cases < cases; ++seed) {
    SimulatedRun run = program(seed);
    Cover(run, run.Sample(interval_ns, noise), coverage, of_code);
  }
  return coverage;
}

std::string Reasons(const CounterFit& fit) {
  std::string text;
  for (const std::string& reason : fit.quality().reasons) text += reason + "\n";
  return text;
}

// The share of the intervals of 95 % that hold.
const auto kHonest = AllOf(Ge(0.90), Le(0.98));

// Eight regions of two kinds share their counts. The intervals include the
// uncertainty of their kernels' windows, so they are wider than necessary.
TEST(Coverage, OfOneStreamHoldsAtEveryInterval) {
  for (const double interval_ns : {50e3, 100e3, 200e3}) {
    const std::uint32_t steps = interval_ns > 150e3 ? 600 : 300;
    const Coverage coverage =
        CoverMany([&](std::uint64_t seed) { return DecodeLoop(seed, steps); },
                  interval_ns, 900);
    EXPECT_THAT(coverage.share(), AllOf(Ge(0.90), Le(0.998))) << interval_ns;
    EXPECT_EQ(coverage.absent, 0);
    EXPECT_LE(coverage.not_good, coverage.fits / 20);
    EXPECT_LT(coverage.median_off(), 0.01) << interval_ns;
  }
}

TEST(Coverage, OfStreamsThatOverlapHolds) {
  for (const std::uint32_t streams : {2U, 4U}) {
    const Coverage coverage = CoverMany(
        [&](std::uint64_t seed) {
          return OverlappingStreams(seed, streams, 1000);
        },
        100e3);
    EXPECT_THAT(coverage.share(), kHonest) << streams;
    EXPECT_EQ(coverage.not_good, 0);
    EXPECT_LT(coverage.median_off(), 0.01);
  }
}

// With rates of 0.7 and 0.5, 89 and 84 % hold.
TEST(Coverage, OfConcurrentRatesHolds) {
  for (const double rate : {0.92, 0.8}) {
    const Coverage coverage = CoverMany(
        [&](std::uint64_t seed) { return ConcurrentRates(seed, 1500, rate); },
        100e3, 300, true);
    EXPECT_THAT(coverage.share(), kHonest) << rate;
  }
}

TEST(Coverage, OfUnequalLaunchesOfOneKernelHolds) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return UnequalLaunches(seed, 1500); }, 100e3);
  EXPECT_THAT(coverage.share(), kHonest);
  EXPECT_LT(coverage.median_off(), 0.01);
}

TEST(Coverage, OfUnequalInstancesOfOneRegionHolds) {
  const Coverage turns = CoverMany(
      [](std::uint64_t seed) { return UnequalInstances(seed, 1500, false); },
      100e3);
  EXPECT_THAT(turns.share(), kHonest);
  EXPECT_LT(turns.median_off(), 0.01);
  EXPECT_EQ(turns.not_good, 0);
  // Work that differs in every instance is not the work of four classes.
  const Coverage any = CoverMany(
      [](std::uint64_t seed) { return UnequalInstances(seed, 1500, true); },
      100e3);
  EXPECT_THAT(any.share(), kHonest);
  EXPECT_LT(any.median_off(), 0.025);
}

// Work whose rate goes up and down within the windows of long kernels.
TEST(Coverage, OfRatesThatVaryHolds) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return LongPhases(seed, 400); }, 200e3);
  EXPECT_THAT(coverage.share(), kHonest);
  EXPECT_LT(coverage.median_off(), 0.015);
}

// A launch's count depends on the idle time before it, as bytes read from
// memory depend on the cache. The model has no such effect.
TEST(Coverage, OfCountsThatDependOnEarlierLaunchesNearlyHolds) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return WarmAndCold(seed, 600); }, 100e3);
  EXPECT_GE(coverage.share(), 0.88);
  EXPECT_LT(coverage.median_off(), 0.01);
}

// A launch executes the same code whatever ran before it. So a change by other
// weights of the samples is no error of counts of code.
TEST(Coverage, OfCodeHasNoErrorsByOtherWeights) {
  SimulatedRun run = WarmAndCold(1, 600);
  const DeviceSamples samples = run.Sample(100e3);
  Coverage code, others;
  Cover(run, samples, code, true);
  Cover(run, samples, others);
  EXPECT_LT(code.widths, 0.9 * others.widths);
}

// Regions that differ in the order of their kernels alone. Their edges are
// uncertain, and their intervals wide; without edges by neighbour 84 % hold.
TEST(Coverage, OfEdgesThatDependOnTheKernelBeforeHolds) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return OrderAlone(seed, 1500); }, 200e3, 300);
  EXPECT_GE(coverage.share(), 0.90);
  EXPECT_LT(coverage.median_off(), 0.002);
  EXPECT_EQ(coverage.absent, 0);
}

// Few samples decide these estimates, so their intervals are wide.
TEST(Coverage, OfFewInstancesHolds) {
  const Coverage coverage =
      CoverMany([](std::uint64_t seed) { return DecodeLoop(seed, 40, 4, 2); },
                50e3, 2000);
  EXPECT_THAT(coverage.share(), AllOf(Ge(0.90), Le(0.99)));
  EXPECT_LT(coverage.median_off(), 0.02);
}

TEST(Coverage, OfCollinearNeighboursHolds) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return CollinearNeighbours(seed, 1500); },
      100e3);
  EXPECT_THAT(coverage.share(), kHonest);
}

// Every group by itself. Many are held at 0, and their bounds are not exact.
TEST(Coverage, OfCountsHeldAtZeroHolds) {
  Coverage held, all;
  for (std::uint64_t seed = 1; held.cases < 300; ++seed) {
    SimulatedRun run = LittleBesideMuch(seed, 1000);
    const CounterFit fit = FitOf(run, 100e3, {.scan_clocks = false});
    std::map<std::uint32_t, RegionQuery> kernels = run.Regions();
    kernels.erase(0);
    kernels.erase(2);
    for (std::uint32_t l = 0; l < run.launches.size(); ++l) {
      if (run.launches[l].region == 1)
        kernels[10 + run.launches[l].kernel].launches.push_back(l);
    }
    for (const auto& [kernel, query] : kernels) {
      const RegionEstimate estimate = fit.Estimate({&query, 1}).front();
      for (std::size_t m = 0; m < estimate.metrics.size(); ++m) {
        const CounterEstimate& one = estimate.metrics[m];
        const double truth = run.Truth(query, m);
        all.Add(one, truth);
        if (truth <= 0 || one.total != 0) continue;
        EXPECT_GT(one.error, 0);
        held.Add(one, truth);
      }
    }
  }
  EXPECT_THAT(all.share(), kHonest);
  // Much is rarely held at 0, so that its interval misses little.
  EXPECT_GE(held.share(), 0.95);
}

// There are fewer samples than kernels of it: its total is known, with an error
// that may be large, and never small by accident.
TEST(Coverage, OfMoreKernelsThanSamplesIsNotLess) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return ManyKernelsFewTimes(seed, 120); }, 200e3);
  EXPECT_GE(coverage.share(), 0.95);
  EXPECT_LT(coverage.median_off(), 0.01);
}

// A drift is no error of a total, but a part of it widens the intervals.
TEST(Coverage, OfInstancesThatGrowIsNotLess) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return DecodeLoop(seed, 300, 4, 4, 0.3); },
      100e3);
  EXPECT_GE(coverage.share(), 0.93);
  EXPECT_LT(coverage.median_off(), 0.01);
}

// A fifth of the run is lost, in pieces.
TEST(Coverage, WithGapsHolds) {
  Coverage coverage;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; coverage.cases < 400; ++seed) {
    SimulatedRun run = DecodeLoop(seed, 300);
    const DeviceSamples whole = run.Sample(100e3);
    DeviceSamples samples;
    for (std::size_t i = 0; i < whole.start_ns.size(); ++i) {
      if (i / 20 % 5 == 2) {
        ++lost;
        continue;
      }
      samples.start_ns.push_back(whole.start_ns[i]);
      samples.end_ns.push_back(whole.end_ns[i]);
      for (std::size_t m = 0; m < 3; ++m)
        samples.values.push_back(whole.values[3 * i + m]);
    }
    Cover(run, samples, coverage);
  }
  EXPECT_GT(lost, 0U);
  EXPECT_THAT(coverage.share(), AllOf(Ge(0.88), Le(0.995)));
  EXPECT_EQ(coverage.not_good, coverage.fits);  // and every fit says so
}

// The run widened its interval: short samples, a pause, and samples of twice
// the length.
TEST(Coverage, WithSamplesOfTwoLengthsHolds) {
  Coverage coverage;
  for (std::uint64_t seed = 1; coverage.cases < 400; ++seed) {
    SimulatedRun run = DecodeLoop(seed, 300);
    const DeviceSamples whole = run.Sample(50e3);
    const std::size_t change = whole.start_ns.size() / 3;
    DeviceSamples samples;
    const auto add = [&](std::size_t from, std::size_t to) {
      samples.start_ns.push_back(whole.start_ns[from]);
      samples.end_ns.push_back(whole.end_ns[to - 1]);
      for (std::size_t m = 0; m < 3; ++m) {
        double sum = 0;
        for (std::size_t i = from; i < to; ++i) sum += whole.values[3 * i + m];
        samples.values.push_back(sum);
      }
    };
    for (std::size_t i = 0; i < change; ++i) add(i, i + 1);
    for (std::size_t i = change + 20; i + 1 < whole.start_ns.size(); i += 2)
      add(i, i + 2);
    Cover(run, samples, coverage);
  }
  EXPECT_GE(coverage.share(), 0.90);
  EXPECT_LT(coverage.median_off(), 0.01);
}

// Counts of another process belong to no launch. If it works from time to time,
// its counts cannot be subtracted, and the fit is not good. The samples do not
// say whose counts they are.
TEST(Coverage, WithAnotherProcessIsNotPromised) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SimulatedRun run = DecodeLoop(seed, 200);
    std::exponential_distribution<> pause(1 / 400e3), work(1 / 100e3);
    const double end = run.end_ns();
    for (double at = 0; at < end;) {
      at += pause(run.random());
      const double busy = work(run.random());
      run.Disturb(at, at + busy, 60);
      at += busy;
    }
    const DeviceSamples samples = run.Sample(100e3);
    Cover(run, samples, coverage);
    EXPECT_THAT(Reasons(FitOf(run, samples)), Not(HasSubstr("process")));
  }
  EXPECT_EQ(coverage.not_good, coverage.fits);
}

TEST(Verdict, CallsFewLaunchesFew) {
  SimulatedRun run(1);
  const std::uint32_t kernel = run.AddKernel(10'000);
  for (std::uint32_t k = 0; k < 12; ++k)
    run.Run(kernel, 0, k, 0, 300e3 * (k + 1));
  run.Disturb(0, 4e6, 20);
  EXPECT_THAT(Reasons(FitOf(run, 20e3)),
              HasSubstr("there are few launches (12), and launches ran 2."));
}

// The same launches in the same order in each step: the samples separate them
// only because all layers launch the same kernels.
TEST(Coverage, OfCapturedGraphsHolds) {
  const Coverage coverage = CoverMany(
      [](std::uint64_t seed) { return CapturedGraph(seed, 200); }, 200e3, 300);
  EXPECT_GE(coverage.share(), 0.95);
  EXPECT_LT(coverage.median_off(), 0.003);
  EXPECT_EQ(coverage.absent, 0);
}

// Norms of 15 us that count a thousandth of their layer, beside kernels of 22
// us whose rates nobody knows: samples that end in those say nothing of the
// norms, and the others say all.
TEST(Coverage, OfNormsInAGraphHolds) {
  Coverage all, norms;
  for (std::uint64_t seed = 1; norms.cases < 300; ++seed) {
    const SimulatedRun run = NormsInAGraph(seed, 200);
    SimulatedRun sampled = run;
    const DeviceSamples samples = sampled.Sample(200e3, 5e-5);
    Cover(run, samples, all);
    const CounterFit fit = FitOf(run, samples);
    for (const auto& [region, query] : run.Regions()) {
      const RegionEstimate estimate = fit.Estimate({&query, 1}).front();
      for (std::size_t m = 0; m < 2 && region % 2 == 0; ++m) {
        const CounterEstimate& one = estimate.metrics[m];
        ASSERT_TRUE(one.total);
        norms.Add(one, run.Truth(query, m));
      }
    }
  }
  EXPECT_GE(all.share(), 0.90);
  EXPECT_GE(norms.share(), 0.90);
  EXPECT_LT(norms.median_off(), 0.03);
}

// Samples without a border within a launch have exact counts of code. The
// weights of all metrics do not show this.
TEST(Coverage, OfCodeInAGraphIsNearlyExact) {
  Coverage code, others;
  for (std::uint64_t seed = 1; code.cases < 300; ++seed) {
    SimulatedRun run = NormsInAGraph(seed, 200);
    const DeviceSamples samples = run.Sample(200e3, 0);
    Cover(run, samples, code, true);
    Cover(run, samples, others);
  }
  EXPECT_GE(code.share(), 0.90);
  EXPECT_LT(code.median_off(), 0.5 * others.median_off());
}

// Some blocks of each kernel run until after the end that fits best. A sample
// with a border there does not count exactly.
TEST(Coverage, OfCodeThatEndsLateIsNearlyExact) {
  constexpr double kPart = 100;  // ns
  constexpr std::size_t kLateParts = 7;
  Coverage coverage;
  for (std::uint64_t seed = 1; coverage.cases < 300; ++seed) {
    SimulatedRun run = NormsInAGraph(seed, 200);
    run.early_end_ns = 300;
    for (SimulatedKernel& kernel : run.kernels) {
      kernel.rates.assign(static_cast<std::size_t>(
                              (kernel.duration_ns - run.early_end_ns) / kPart),
                          1);
      const std::size_t late = std::min(kLateParts, kernel.rates.size() - 1);
      std::fill_n(kernel.rates.rbegin(), late, 0.4);
    }
    const DeviceSamples samples = run.Sample(200e3, 0);
    Cover(run, samples, coverage, true);
  }
  EXPECT_GE(coverage.share(), 0.95);
  EXPECT_LT(coverage.median_off(), 0.0007);  // else 0.0009
}

TEST(Coverage, OfCodeInGraphsIsHonest) {
  for (const std::uint32_t layers : {6U, 12U}) {
    const Coverage coverage = CoverMany(
        [&](std::uint64_t seed) { return CapturedGraph(seed, 200, layers); },
        200e3, 1200, true);
    EXPECT_THAT(coverage.share(), kHonest) << layers;
  }
}

// Small counts beside large ones, whose instructions at the beginning of a
// launch would otherwise go to the kernel before. With noise of 0.002, 92 %
// hold (79 % without prologues).
TEST(Coverage, OfPrologues) {
  const Coverage coverage =
      CoverMany([](std::uint64_t seed) { return Prologues(seed, 200); }, 200e3,
                200, true, 0.0005);
  EXPECT_THAT(coverage.share(), kHonest);    // else 0.82
  EXPECT_LT(coverage.median_off(), 0.0005);  // else 0.0013
}

// The counts of all regions add up to the hardware's count, so the fit finds no
// error of their sum. The least error remains.
TEST(Coverage, OfAllIsNotNarrowerThanTheModel) {
  SimulatedRun run = DecodeLoop(1, 300);
  const CounterFit fit = FitOf(run, 100e3);
  RegionQuery all;
  for (const auto& [region, query] : run.Regions())
    all.launches.insert(all.launches.end(), query.launches.begin(),
                        query.launches.end());
  const std::vector<RegionEstimate> estimates = fit.Estimate({&all, 1});
  for (const CounterEstimate& estimate : estimates.front().metrics)
    EXPECT_GE(estimate.high - estimate.low, 0.0011 * *estimate.total);
}

// The attention of one layer counts 1.3 times as much as that of the others, or
// that of each layer counts differently. The estimates keep the difference, or
// their errors include it.
TEST(Coverage, OfPoolsThatDifferNearlyHolds) {
  const Coverage one = CoverMany(
      [](std::uint64_t seed) {
        return CapturedGraph(seed, 200, 6, [](std::uint32_t layer) {
          return layer == 2 ? 1.3 : 1.0;
        });
      },
      200e3, 200);
  EXPECT_GE(one.share(), 0.90);
  const Coverage all = CoverMany(
      [](std::uint64_t seed) {
        return CapturedGraph(seed, 200, 6, [](std::uint32_t layer) {
          return 0.6 + 0.15 * layer;
        });
      },
      200e3, 200);
  EXPECT_GE(all.share(), 0.85);
}

// One sample of 500 lacks most of a unit's counters, or has far too much.
TEST(Coverage, WithDamagedSamplesHolds) {
  Coverage coverage;
  for (std::uint64_t seed = 1; coverage.cases < 400; ++seed) {
    SimulatedRun run = DecodeLoop(seed, 300);
    DeviceSamples samples = run.Sample(100e3);
    for (std::size_t i = 101; i < samples.start_ns.size(); i += 500) {
      const double times = i % 1000 == 101 ? 0.05 : 40;
      samples.values[3 * i] *= times;
      samples.values[3 * i + 1] *= times;
    }
    Cover(run, samples, coverage);
  }
  EXPECT_GE(coverage.share(), 0.90);
  EXPECT_LT(coverage.median_off(), 0.01);
}

// A copy moves far more than the kernels of its region: neither pays for the
// other.
TEST(Coverage, OfCopiesBesideKernelsHolds) {
  Coverage coverage;
  for (std::uint64_t seed = 1; coverage.cases < 200; ++seed) {
    SimulatedRun run = CopiesBesideKernels(seed, 800);
    const CounterFit fit = FitOf(run, 100e3);
    std::vector<RegionQuery> queries(2);  // kernels, copies
    for (std::uint32_t l = 0; l < run.launches.size(); ++l)
      queries[run.launches[l].kernel == 2 ? 1 : 0].launches.push_back(l);
    const std::vector<RegionEstimate> estimates = fit.Estimate(queries);
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t m = 0; m < 3; ++m)
        coverage.Add(estimates[q].metrics[m], run.Truth(queries[q], m));
  }
  EXPECT_GE(coverage.share(), 0.90);
  EXPECT_LT(coverage.median_off(), 0.02);
}

TEST(Clocks, HaveNoShiftIfTheyAgree) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SimulatedRun run = DecodeLoop(seed, 200);
    const CounterFit fit = FitOf(run, 100e3);
    EXPECT_EQ(fit.quality().verdict, FitVerdict::kGood) << Reasons(fit);
    EXPECT_LT(std::abs(fit.quality().clock_shift_ns), 1500);
    EXPECT_EQ(fit.quality().clock_drift_ns, 0);
    EXPECT_NEAR(fit.quality().end_offset_ns, -1000, 600);
  }
}

// A program's beginning has kernels that are large, run once, and do their work
// late; they say nothing of the clock.
TEST(Clocks, AreNotJudgedByABeginningAlone) {
  SimulatedRun run = AfterABeginning(5, 300);
  const CounterFit fit = FitOf(run, 100e3);
  EXPECT_LT(std::abs(fit.quality().clock_shift_ns), 2000);
  EXPECT_NE(fit.quality().verdict, FitVerdict::kBad) << Reasons(fit);
}

// Of a kernel of which one block runs much longer than the others, a fourth of
// the work is done at once: that looks like another clock. A shift of 2 % of a
// launch misplaces as little.
TEST(Clocks, AreNotJudgedByLongKernelsThatBeginFast) {
  SimulatedRun run(6);
  const std::uint32_t large = run.AddKernel(6'000'000);
  const std::uint32_t small = run.AddKernel(1500);
  run.kernels[large].rates.assign(100, 1);
  run.kernels[large].rates[0] = 33;
  run.kernels[large].jitter = 0.002;
  double at = 0;
  for (std::uint32_t step = 0; step < 32; ++step) {
    at = run.Run(small, 1, step, 0, at + 5000);
    at = run.Run(large, 0, step, 0, at + 10'000);
    at = run.Run(small, 2, step, 0, at + 5000) + 100'000;
  }
  const CounterFit fit = FitOf(run, 400e3);
  EXPECT_GT(std::abs(fit.quality().clock_shift_ns), 100e3);
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kDoubtful) << Reasons(fit);
}

// A metric that also counts work of the host and other devices is explained
// badly and does not judge the clock. The small model would shift the clock by
// 8 us because of this one.
TEST(Clocks, AreNotJudgedByCountsOfOthers) {
  SimulatedRun run = LongPhases(2, 1000);
  DeviceSamples samples = run.Sample(50e3);
  std::exponential_distribution<> others(1e-3);
  for (std::size_t i = 2; i < samples.values.size(); i += 3)
    samples.values[i] = others(run.random());
  std::vector<EstimatedMetric> metrics = run.Metrics();
  metrics[2].of_launches = false;
  const CounterFit fit = CounterFit::Make(run.launches, samples, metrics);
  EXPECT_GT(std::abs(fit.quality().clock_shift_ns), 2000);
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kGood) << Reasons(fit);
}

TEST(Clocks, HaveAReasonIfTheyAreApart) {
  for (const double shift_ns : {-3e3, 30e3, -200e3, 2e6}) {
    SimulatedRun run = DecodeLoop(3, 300);
    const CounterFit fit = FitOf(
        run,
        run.Sample(100e3, 0.002, [&](double time) { return time + shift_ns; }));
    EXPECT_EQ(fit.quality().verdict, FitVerdict::kBad) << shift_ns;
    EXPECT_NEAR(fit.quality().clock_shift_ns, -shift_ns, 1500);
    EXPECT_THAT(Reasons(fit), HasSubstr("clock moved by"));
  }
}

TEST(Clocks, HaveAReasonIfTheyDriftApart) {
  SimulatedRun run = DecodeLoop(4, 400);
  const double end = run.end_ns();
  const CounterFit fit = FitOf(run, run.Sample(100e3, 0.002, [&](double time) {
    return time + time / end * 40e3;
  }));
  EXPECT_EQ(fit.quality().verdict, FitVerdict::kBad);
  EXPECT_LT(fit.quality().clock_drift_ns, -15e3);
  EXPECT_THAT(Reasons(fit), HasSubstr("drift apart"));
}

}  // namespace
}  // namespace rangefinder
