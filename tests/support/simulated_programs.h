// Synthetic programs for a SimulatedRun: deep-learning programs, and programs
// whose regions are hard to tell apart.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/simulated_run.h"

namespace rangefinder {

// The kernels of a layer in launch order.
using SimulatedLayer = std::vector<std::uint32_t>;

inline SimulatedLayer RandomLayer(SimulatedRun& run, std::size_t kernels,
                                  double shortest_ns, double longest_ns) {
  SimulatedLayer layer;
  std::uniform_real_distribution<> log(std::log(shortest_ns),
                                       std::log(longest_ns));
  for (std::size_t k = 0; k < kernels; ++k)
    layer.push_back(run.AddKernel(std::exp(log(run.random()))));
  return layer;
}

// Runs the kernels of a layer one after the other; returns the end of the last.
inline double RunLayer(SimulatedRun& run, const SimulatedLayer& layer,
                       std::uint32_t region, std::uint32_t instance, double at,
                       double times = 1) {
  std::exponential_distribution<> gap(1.0 / 1200);
  std::uint32_t ordinal = 0;
  for (const std::uint32_t kernel : layer)
    at = run.Run(kernel, region, instance, ordinal++,
                 at + 800 + gap(run.random()), times);
  return at;
}

// A decode loop on one stream of `steps` steps: `layers` attention regions and
// as many MLP regions, with the same kernels in each layer. A prefill with
// larger kernels runs before every `steps` / `prefills` steps.
inline SimulatedRun DecodeLoop(std::uint64_t seed, std::uint32_t steps,
                               std::uint32_t prefills = 4,
                               std::uint32_t layers = 4, double growth = 0) {
  SimulatedRun run(seed);
  const SimulatedLayer attention = RandomLayer(run, 6, 2000, 12'000);
  const SimulatedLayer linear = RandomLayer(run, 4, 3000, 15'000);
  const SimulatedLayer prefill = RandomLayer(run, 5, 20'000, 120'000);
  std::exponential_distribution<> idle(1.0 / 20'000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (step % std::max(steps / prefills, 1U) == 0)
      at = RunLayer(run, prefill, 100, step, at + 50'000);
    const double times = 1 + growth * step / steps;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      at = RunLayer(run, attention, 2 * layer, step, at, times);
      at = RunLayer(run, linear, 2 * layer + 1, step, at);
    }
    at += idle(run.random());
  }
  return run;
}

// Two or more streams, each with its own regions and kernels.
inline SimulatedRun OverlappingStreams(std::uint64_t seed,
                                       std::uint32_t streams,
                                       std::uint32_t steps) {
  SimulatedRun run(seed);
  std::exponential_distribution<> idle(1.0 / 30'000);
  for (std::uint32_t stream = 0; stream < streams; ++stream) {
    const SimulatedLayer one = RandomLayer(run, 4, 5000, 25'000);
    const SimulatedLayer two = RandomLayer(run, 3, 5000, 40'000);
    double at = 5000.0 * stream;
    for (std::uint32_t step = 0; step < steps; ++step) {
      at = RunLayer(run, one, 2 * stream, step, at);
      at = RunLayer(run, two, 2 * stream + 1, step, at) + idle(run.random());
    }
  }
  return run;
}

// Two streams and three regions: the two kernels of pair begin at about the
// same time; then the kernel of memory begins while that of solo runs. While
// another one runs, one kernel of each two works at `rate` and the other one at
// 0.98.
inline SimulatedRun ConcurrentRates(std::uint64_t seed, std::uint32_t steps,
                                    double rate) {
  SimulatedRun run(seed);
  const std::uint32_t first = run.AddKernel(24'000);
  const std::uint32_t second = run.AddKernel(15'000);
  const std::uint32_t solo = run.AddKernel(20'000);
  const std::uint32_t memory = run.AddKernel(18'000);
  run.concurrent_rates = {{{first, second}, rate},
                          {{second, first}, 0.98},
                          {{solo, memory}, rate},
                          {{memory, solo}, 0.98}};
  for (SimulatedKernel& kernel : run.kernels) kernel.scatter = 1e-4;
  std::exponential_distribution<> gap(1.0 / 2000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    at = std::max(run.Run(first, 0, step, 0, at + gap(run.random())),
                  run.Run(second, 0, step, 1, at + gap(run.random())));
    at += gap(run.random());
    const double begin = at + 8000 + gap(run.random());
    at = std::max(run.Run(solo, 1, step, 0, at),
                  run.Run(memory, 2, step, 0, begin));
  }
  return run;
}

// Three regions without a gap between them: pair, solo, memory. Pair launches
// one kernel twice, and one of the two launches does twice the work.
inline SimulatedRun UnequalLaunches(std::uint64_t seed, std::uint32_t steps,
                                    double gap_ns = 3000) {
  SimulatedRun run(seed);
  const std::uint32_t unequal = run.AddKernel(8000);
  const std::uint32_t solo = run.AddKernel(12'000);
  const std::uint32_t memory = run.AddKernel(9000);
  std::exponential_distribution<> gap(1.0 / gap_ns);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    at = run.Run(unequal, 0, step, 0, at + gap(run.random()));
    at = run.Run(unequal, 0, step, 1, at + gap(run.random()), 2, 2);
    at = run.Run(solo, 1, step, 0, at + gap(run.random()));
    at = run.Run(memory, 2, step, 0, at + gap(run.random()));
  }
  return run;
}

// Three regions: turns, solo, memory. The kernel of turns does twice the work
// in every second instance, or a random amount in each; its time grows with its
// work.
inline SimulatedRun UnequalInstances(std::uint64_t seed, std::uint32_t steps,
                                     bool as_it_likes) {
  SimulatedRun run(seed);
  const std::uint32_t unequal = run.AddKernel(8000);
  const std::uint32_t solo = run.AddKernel(12'000);
  const std::uint32_t memory = run.AddKernel(9000);
  std::exponential_distribution<> gap(1 / 3000.0);
  std::uniform_real_distribution<> work(0.5, 2.5);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const double times = as_it_likes ? work(run.random()) : 1 + step % 2;
    at = run.Run(unequal, 0, step, 0, at + gap(run.random()), times, times);
    at = run.Run(solo, 1, step, 0, at + gap(run.random()));
    at = run.Run(memory, 2, step, 0, at + gap(run.random()));
  }
  return run;
}

// Two kernels of a few microseconds between large kernels, nearly without a
// gap: both lie in the same samples as their neighbours.
inline SimulatedRun CollinearNeighbours(std::uint64_t seed,
                                        std::uint32_t steps) {
  SimulatedRun run(seed);
  const std::uint32_t large = run.AddKernel(40'000);
  const std::uint32_t one = run.AddKernel(3000);
  const std::uint32_t two = run.AddKernel(5000);
  std::exponential_distribution<> gap(1 / 1500.0);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    at = run.Run(large, 0, step, 0, at + gap(run.random()));
    at = run.Run(one, 1, step, 0, at + gap(run.random()));
    at = run.Run(two, 2, step, 0, at + gap(run.random()));
  }
  return run;
}

// Long kernels with phases, each directly followed by a region of short
// kernels, as in a convolutional network.
inline SimulatedRun LongPhases(std::uint64_t seed, std::uint32_t steps) {
  SimulatedRun run(seed);
  std::uniform_real_distribution<> length(40'000, 130'000), rate(0.2, 1.8);
  std::vector<std::uint32_t> large;
  std::vector<SimulatedLayer> small;
  for (int pair = 0; pair < 3; ++pair) {
    large.push_back(run.AddKernel(length(run.random())));
    for (int phase = 0; phase < 4; ++phase)
      run.kernels.back().rates.push_back(rate(run.random()));
    small.push_back(RandomLayer(run, 4, 3000, 15'000));
  }
  std::exponential_distribution<> gap(1.0 / 1000), idle(1.0 / 60'000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t pair = 0; pair < 3; ++pair) {
      at = run.Run(large[pair], 2 * pair, step, 0, at + gap(run.random()));
      at = RunLayer(run, small[pair], 2 * pair + 1, step, at);
    }
    at += idle(run.random());
  }
  return run;
}

// Regions in turn. A launch counts up to a tenth less, the longer the device
// was idle before it.
inline SimulatedRun WarmAndCold(std::uint64_t seed, std::uint32_t steps) {
  SimulatedRun run(seed);
  std::vector<SimulatedLayer> layers;
  for (int layer = 0; layer < 4; ++layer)
    layers.push_back(RandomLayer(run, 4, 4000, 30'000));
  std::exponential_distribution<> gap(1.0 / 8000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t layer = 0; layer < 4; ++layer) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        const double idle = gap(run.random());
        at = run.Run(layers[layer][k], layer, step, k, at + idle,
                     1 - 0.1 * idle / (idle + 8000));
      }
    }
  }
  return run;
}

// A decode loop after some large kernels that run once each and do most of
// their work at their end.
inline SimulatedRun AfterABeginning(std::uint64_t seed, std::uint32_t steps) {
  SimulatedRun run = DecodeLoop(seed, steps);
  double at = -40e6;
  for (std::uint32_t k = 0; k < 100; ++k) {
    const std::uint32_t kernel = run.AddKernel(300'000);
    run.kernels[kernel].rates = {0.3, 1, 1, 1.7};
    for (double& count : run.kernels[kernel].counts) count *= 10;
    at = run.Run(kernel, 200, k, 0, at + 20'000);
  }
  return run;
}

// A captured graph: in each step the same launches in the same order, nearly
// without a gap. Each layer has a region of attention and one of
// multiplications, which launch the same kernels in all layers; a kernel of its
// own ends the step. A layer's attention counts `times(layer)` as much as its
// kernels do.
inline SimulatedRun CapturedGraph(
    std::uint64_t seed, std::uint32_t steps, std::uint32_t layers = 6,
    const std::function<double(std::uint32_t)>& times = [](std::uint32_t) {
      return 1.0;
    }) {
  SimulatedRun run(seed);
  const SimulatedLayer attention = RandomLayer(run, 8, 1500, 25'000);
  const SimulatedLayer linear = RandomLayer(run, 4, 1500, 20'000);
  const std::uint32_t head = run.AddKernel(30'000);
  for (SimulatedKernel& kernel : run.kernels) {
    kernel.jitter = 0.02;
    kernel.scatter = 0.002;
  }
  std::exponential_distribution<> gap(1.0 / 200), idle(1.0 / 20'000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      for (std::uint32_t k = 0; k < attention.size(); ++k)
        at = run.Run(attention[k], 2 * layer, step, k,
                     at + 400 + gap(run.random()), times(layer));
      for (std::uint32_t k = 0; k < linear.size(); ++k)
        at = run.Run(linear[k], 2 * layer + 1, step, k,
                     at + 400 + gap(run.random()));
    }
    at = run.Run(head, 100, step, 0, at + 400 + gap(run.random()));
    at += 5000 + idle(run.random());
  }
  return run;
}

// A captured graph as of a decoder: in each layer, back to back, a region of
// norms, whose kernels last 1 to 3 us and count little, and one of attention,
// where two kernels of 22 us with most of the counts go at a rate of their own
// in every launch.
inline SimulatedRun NormsInAGraph(std::uint64_t seed, std::uint32_t steps,
                                  std::uint32_t layers = 6) {
  SimulatedRun run(seed);
  SimulatedLayer norms = RandomLayer(run, 8, 1000, 3000);
  for (const std::uint32_t kernel : norms)
    for (double& count : run.kernels[kernel].counts) count *= 0.1;
  SimulatedLayer attention = RandomLayer(run, 6, 1500, 6000);
  const std::uint32_t large = run.AddKernel(22'000);
  for (double& count : run.kernels[large].counts) count *= 5;
  attention.insert(attention.end(), {large, large});
  for (SimulatedKernel& kernel : run.kernels) {
    kernel.jitter = 0.01;
    kernel.scatter = 1e-4;
    kernel.wander = 0.05;
  }
  std::exponential_distribution<> gap(1.0 / 100), idle(1.0 / 20'000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      for (std::uint32_t k = 0; k < norms.size(); ++k)
        at =
            run.Run(norms[k], 2 * layer, step, k, at + 300 + gap(run.random()));
      for (std::uint32_t k = 0; k < attention.size(); ++k)
        at = run.Run(attention[k], 2 * layer + 1, step, k,
                     at + 300 + gap(run.random()));
    }
    at += 5000 + idle(run.random());
  }
  return run;
}

// A loop of two small kernels behind a copy that moves far more than they do,
// all in region 0; the copy is kernel 2.
inline SimulatedRun CopiesBesideKernels(std::uint64_t seed,
                                        std::uint32_t steps) {
  SimulatedRun run(seed);
  const std::uint32_t one = run.AddKernel(6000);
  const std::uint32_t two = run.AddKernel(9000);
  const std::uint32_t copy = run.AddKernel(40'000);
  for (double& count : run.kernels[copy].counts) count *= 20;
  std::exponential_distribution<> gap(1.0 / 3000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    at = run.Run(copy, 0, step, 0, at + gap(run.random()));
    at = run.Run(one, 0, step, 1, at + 500 + gap(run.random()));
    at = run.Run(two, 0, step, 2, at + 500 + gap(run.random()));
  }
  return run;
}

// Two kernels in turn, back to back: one first in region 0, the other first in
// region 1, and longer launches of both in region 2. Work begins up to 600 ns
// later than a launch, depending on the kernel before it.
inline SimulatedRun OrderAlone(std::uint64_t seed, std::uint32_t steps) {
  SimulatedRun run(seed);
  const std::array<std::uint32_t, 4> kernels{
      run.AddKernel(15'000), run.AddKernel(11'000), run.AddKernel(30'000),
      run.AddKernel(22'000)};
  for (const std::uint32_t kernel : {kernels[1], kernels[3]})
    for (double& count : run.kernels[kernel].counts) count *= 0.05;
  std::uniform_real_distribution<> late(0, 600);
  for (const std::uint32_t before : kernels)
    for (const std::uint32_t kernel : kernels)
      run.late_ns[{before, kernel}] = late(run.random());
  for (SimulatedKernel& kernel : run.kernels)
    kernel.jitter = kernel.scatter = 0.002;
  std::exponential_distribution<> gap(1.0 / 200), idle(1.0 / 50'000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto next = [&](std::uint32_t kernel, std::uint32_t region,
                          std::uint32_t ordinal) {
      at = run.Run(kernels[kernel], region, step, ordinal,
                   at + 1000 + gap(run.random()));
    };
    for (std::uint32_t turn = 0; turn < 6; ++turn) next(turn % 2, 0, turn);
    for (std::uint32_t turn = 0; turn < 6; ++turn) next(1 - turn % 2, 1, turn);
    next(2, 2, 0);
    next(3, 2, 1);
    if (step % 16 == 15) at += idle(run.random());
  }
  return run;
}

// Six kernels of 60 to 300 us, back to back, each with a region of its own.
// They count from 1 to 300 million, and each warp executes 10 to 40
// instructions of a prologue when the launch begins.
inline SimulatedRun Prologues(std::uint64_t seed, std::uint32_t steps) {
  constexpr double kWarps = 8448, kParts = 500;
  SimulatedRun run(seed, 1);
  const SimulatedLayer layer = RandomLayer(run, 6, 60'000, 300'000);
  std::uniform_real_distribution<> size(std::log(1e6), std::log(3e8));
  std::uniform_real_distribution<> prologue(10, 40);
  for (SimulatedKernel& kernel : run.kernels) {
    kernel.warps = kWarps;
    kernel.sms = 132;
    kernel.scatter = 1e-5;
    kernel.jitter = 0.002;
    const double later = std::exp(size(run.random()));
    const double first = kWarps * prologue(run.random());
    kernel.counts = {first + later};
    kernel.rates.assign(static_cast<std::size_t>(kParts), 1);
    kernel.rates.front() += kParts * first / later;
  }
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (const std::uint32_t kernel : layer)
      at = run.Run(kernel, kernel, step, 0, at + 900);
  }
  return run;
}

// A region of three kernels that count almost nothing, between two large
// kernels: its estimates scatter about 0. All work is even over the kernels'
// windows.
inline SimulatedRun LittleBesideMuch(std::uint64_t seed, std::uint32_t steps) {
  SimulatedRun run(seed);
  const std::uint32_t before = run.AddKernel(30'000);
  const SimulatedLayer little = RandomLayer(run, 3, 3000, 12'000);
  const std::uint32_t behind = run.AddKernel(20'000);
  std::uniform_real_distribution<> log(std::log(1e-4), std::log(0.1));
  for (const std::uint32_t kernel : little) {
    for (double& count : run.kernels[kernel].counts)
      count *= std::exp(log(run.random()));
  }
  run.early_end_ns = 0;
  for (SimulatedKernel& kernel : run.kernels) kernel.tilt = 0;
  std::exponential_distribution<> gap(1.0 / 3000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    at = run.Run(before, 0, step, 0, at + gap(run.random()));
    at = RunLayer(run, little, 1, step, at);
    at = run.Run(behind, 2, step, 0, at + gap(run.random()));
  }
  return run;
}

// A loop, and four prefills with more kernels than samples that see them.
inline SimulatedRun ManyKernelsFewTimes(std::uint64_t seed,
                                        std::uint32_t steps) {
  SimulatedRun run(seed);
  const SimulatedLayer prefill = RandomLayer(run, 40, 8000, 25'000);
  const SimulatedLayer rest = RandomLayer(run, 40, 8000, 25'000);
  const SimulatedLayer loop = RandomLayer(run, 20, 2000, 12'000);
  double at = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (step % (steps / 4) == 0) {
      at = RunLayer(run, prefill, 50, step, at);
      at = RunLayer(run, rest, 51, step, at);
    }
    at = RunLayer(run, loop, 0, step, at) + 20'000;
  }
  return run;
}

}  // namespace rangefinder
