// Estimates of 1 million launches, 100,000 samples, 2,000 groups, 8 metrics and
// 250 regions: the target is some 6 s and 1.2 GB on two cores. Growth in
// launches and in groups beside it.

#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "estimate/estimate.h"
#include "tests/support/simulated_run.h"

namespace rangefinder {
namespace {

struct EstimateInput {
  std::vector<SampledLaunch> launches{};
  DeviceSamples samples{};
  std::vector<EstimatedMetric> metrics{};
  std::vector<RegionQuery> queries{};
};

// A loop over all groups, eight launches a region of some of 200 kernels,
// sampled every ten launches.
EstimateInput MakeEstimateInput(std::size_t launches, std::size_t groups) {
  SimulatedRun run(3, 8);
  std::uniform_real_distribution<> duration(1500, 20'000);
  for (int k = 0; k < 200; ++k) {
    run.AddKernel(duration(run.random()));
    run.kernels.back().jitter = 0.15;  // so that splits are tried
  }
  std::vector<std::uint32_t> kernels;  // by group
  for (std::size_t g = 0; g < groups; ++g)
    kernels.push_back(static_cast<std::uint32_t>(run.random()() % 200));
  std::exponential_distribution<> gap(1 / 2000.0);
  double at = 0;
  for (std::size_t l = 0; l < launches; ++l) {
    const auto group = static_cast<std::uint32_t>(l % groups);
    at = run.Run(kernels[group], group / 8,
                 static_cast<std::uint32_t>(l / groups), group % 8,
                 at + 500 + gap(run.random()));
  }
  EstimateInput input;
  input.samples = run.Sample(at / static_cast<double>(launches) * 10);
  input.launches = std::move(run.launches);
  input.metrics = run.Metrics();
  input.queries.resize((groups + 7) / 8);
  for (std::uint32_t l = 0; l < input.launches.size(); ++l)
    input.queries[input.launches[l].region].launches.push_back(l);
  return input;
}

void BM_Estimate(benchmark::State& state) {
  const EstimateInput input =
      MakeEstimateInput(static_cast<std::size_t>(state.range(0)),
                        static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    const CounterFit fit =
        CounterFit::Make(input.launches, input.samples, input.metrics);
    benchmark::DoNotOptimize(fit.Estimate(input.queries));
  }
  state.counters["samples"] =
      static_cast<double>(input.samples.start_ns.size());
}

BENCHMARK(BM_Estimate)
    ->ArgNames({"launches", "groups"})
    ->Args({100'000, 500})
    ->Args({1'000'000, 500})
    ->Args({1'000'000, 1000})
    ->Args({1'000'000, 2000})
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

}  // namespace
}  // namespace rangefinder

BENCHMARK_MAIN();
