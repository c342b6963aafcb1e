// Time and memory of estimates from 1 million launches, 100,000 samples and 25
// metrics: a row for each number of groups and of kernels, with its ratio to
// the row before. Targets on two cores: 60 s and 3 GB for 20,000 groups, 20 s
// and 2 GB for 5,000.
//
//   estimate_bench [LAUNCHES/GROUPS/KERNELS...]     these rows instead

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "estimate/estimate.h"
#include "tests/support/simulated_run.h"

namespace rangefinder {
namespace {

struct BenchSize {
  std::size_t launches = 0;
  std::size_t groups = 0;
  std::size_t kernels = 0;
  std::size_t metrics = 25;
};

struct EstimateInput {
  std::vector<SampledLaunch> launches{};
  DeviceSamples samples{};
  std::vector<EstimatedMetric> metrics{};
  std::vector<RegionQuery> queries{};
};

// A loop over all groups, eight launches a region, sampled every ten launches.
EstimateInput MakeEstimateInput(const BenchSize& size) {
  SimulatedRun run(3, size.metrics);
  std::uniform_real_distribution<> duration(1500, 20'000);
  for (std::size_t k = 0; k < size.kernels; ++k) {
    run.AddKernel(duration(run.random()));
    run.kernels.back().jitter = 0.15;  // so that splits are tried
  }
  std::vector<std::uint32_t> kernels;  // by group
  for (std::size_t g = 0; g < size.groups; ++g)
    kernels.push_back(
        static_cast<std::uint32_t>(run.random()() % size.kernels));
  std::exponential_distribution<> gap(1 / 2000.0);
  double at = 0;
  for (std::size_t l = 0; l < size.launches; ++l) {
    const auto group = static_cast<std::uint32_t>(l % size.groups);
    at = run.Run(kernels[group], group / 8,
                 static_cast<std::uint32_t>(l / size.groups), group % 8,
                 at + 500 + gap(run.random()));
  }
  EstimateInput input;
  input.samples = run.Sample(at / static_cast<double>(size.launches) * 10);
  input.launches = std::move(run.launches);
  input.metrics = run.Metrics();
  input.queries.resize((size.groups + 7) / 8);
  for (std::uint32_t l = 0; l < input.launches.size(); ++l)
    input.queries[input.launches[l].region].launches.push_back(l);
  return input;
}

struct Cost {
  double seconds = 0;
  double megabytes = 0;  // peak memory beyond the input
  std::size_t samples = 0;
};

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Cost Measure(const BenchSize& size) {
  const EstimateInput input = MakeEstimateInput(size);
  const double before = PeakMegabytes();
  const auto start = std::chrono::steady_clock::now();
  const CounterFit fit =
      CounterFit::Make(input.launches, input.samples, input.metrics);
  const auto estimates = fit.Estimate(input.queries);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  return {.seconds = took.count(),
          .megabytes = PeakMegabytes() - before,
          .samples = input.samples.start_ns.size()};
}

// Measures in a child process, so that no other row is part of the peak memory.
Cost MeasureApart(const BenchSize& size) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const Cost cost = Measure(size);
    _exit(write(pipe_ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  close(pipe_ends[1]);
  Cost cost;
  if (read(pipe_ends[0], &cost, sizeof cost) != sizeof cost) cost = {};
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  return cost;
}

int Run(int argc, char** argv) {
  std::vector<BenchSize> sizes = {
      {100'000, 500, 200},      {1'000'000, 500, 200},
      {1'000'000, 2000, 200},   {1'000'000, 5000, 200},
      {1'000'000, 20'000, 200}, {1'000'000, 20'000, 20'000}};
  if (argc > 1) sizes.clear();
  for (int a = 1; a < argc; ++a) {
    BenchSize size;
    if (sscanf(argv[a], "%zu/%zu/%zu", &size.launches, &size.groups,
               &size.kernels) == 3)
      sizes.push_back(size);
  }
  fmt::print("{:>9} {:>7} {:>8} {:>8} | {:>8} {:>8} | previous row = 1\n",
             "launches", "groups", "kernels", "samples", "seconds", "MB");
  Cost before;
  for (const BenchSize& size : sizes) {
    const Cost cost = MeasureApart(size);
    fmt::print("{:>9} {:>7} {:>8} {:>8} | {:>8.1f} {:>8.0f} |", size.launches,
               size.groups, size.kernels, cost.samples, cost.seconds,
               cost.megabytes);
    if (before.seconds > 0)
      fmt::print(" time {:.2f}, memory {:.2f}", cost.seconds / before.seconds,
                 cost.megabytes / before.megabytes);
    fmt::print("\n");
    fflush(stdout);
    before = cost;
  }
  return 0;
}

}  // namespace
}  // namespace rangefinder

int main(int argc, char** argv) {
  return rangefinder::Run(argc, argv);
}
