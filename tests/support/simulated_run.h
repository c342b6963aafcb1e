// A device that runs kernels and counts, with the truth known: what estimates
// from samples are tested with. Nothing in it knows how the estimates are made.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "estimate/estimate.h"

namespace rangefinder {

// What one kernel does. A launch's work lies between its start and 1 us before
// its end, `tilt` early (-1) or late (1) in it.
struct SimulatedKernel {
  std::vector<double> counts{};  // of a launch, by metric
  double scatter = 0.02;         // of a launch's counts, relative
  double tilt = 0;
  // Where there are any: the rates of its work in equal parts of that time,
  // relative; instead of a tilt.
  std::vector<double> rates{};
  double duration_ns = 10'000;
  double jitter = 0.05;  // of the duration, relative
  double warps = 0;
};

class SimulatedRun {
 public:
  explicit SimulatedRun(std::uint64_t seed, std::size_t metrics = 3)
      : random_(seed), metrics_(metrics) {}

  // Durations and rates as PyTorch's kernels have them; the last metric is 0
  // for two of three kernels.
  std::uint32_t AddKernel(double duration_ns, double tilt = 0.3) {
    SimulatedKernel kernel;
    kernel.duration_ns = duration_ns;
    kernel.tilt = std::uniform_real_distribution<>(-tilt, tilt)(random_);
    for (std::size_t m = 0; m < metrics_; ++m) {
      const double rate =
          std::exp(std::normal_distribution<>(0, 0.7)(random_)) * 100;
      const bool none = m + 1 == metrics_ && metrics_ > 1 && random_() % 3 > 0;
      kernel.counts.push_back(none ? 0 : rate * duration_ns);
    }
    kernels.push_back(kernel);
    return static_cast<std::uint32_t>(kernels.size() - 1);
  }

  // Runs one at `at`; returns its end. `times`: its counts, by the kernel's.
  double Run(std::uint32_t kernel, std::uint32_t region, std::uint32_t instance,
             std::uint32_t ordinal, double at, double times = 1,
             double longer = 1) {
    const SimulatedKernel& what = kernels[kernel];
    const double duration =
        what.duration_ns * longer *
        std::exp(std::normal_distribution<>(0, what.jitter)(random_));
    launches.push_back({.start_ns = kOrigin + std::llround(at),
                        .end_ns = kOrigin + std::llround(at + duration),
                        .region = region,
                        .kernel = kernel,
                        .ordinal = ordinal,
                        .instance = instance,
                        .warps = what.warps});
    std::vector<double> counts;
    for (const double count : what.counts)
      counts.push_back(
          count * times *
          std::max(1 + std::normal_distribution<>(0, what.scatter)(random_),
                   0.0));
    truth.push_back(counts);
    begin_ns_ = std::min(begin_ns_, at);
    end_ns_ = std::max(end_ns_, at + duration);
    return at + duration;
  }

  // Something counts from `from` to `to` that is no launch.
  void Disturb(double from, double to, double rate) {
    disturbances_.push_back({from, to, rate});
    end_ns_ = std::max(end_ns_, to);
  }

  // Counts what ran, in intervals from before the first launch until after the
  // last. `clock`: the samples' time of the launches' time.
  DeviceSamples Sample(
      double interval_ns,
      const std::function<double(double)>& clock = [](double t) { return t; },
      double noise = 0.002) {
    DeviceSamples samples;
    const double from = begin_ns_ - 3.3 * interval_ns;
    const auto count =
        static_cast<std::size_t>((end_ns_ - from) / interval_ns + 3);
    samples.values.assign(count * metrics_, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const double start = from + static_cast<double>(i) * interval_ns;
      samples.start_ns.push_back(kOrigin + std::llround(clock(start)));
      samples.end_ns.push_back(kOrigin +
                               std::llround(clock(start + interval_ns)));
    }
    for (std::size_t l = 0; l < launches.size(); ++l) {
      const SimulatedKernel& what = kernels[launches[l].kernel];
      const auto start = static_cast<double>(launches[l].start_ns - kOrigin);
      const auto end = static_cast<double>(launches[l].end_ns - kOrigin);
      const double tail = std::min(early_end_ns, (end - start) / 2);
      Spread(start, end - tail, what, from, interval_ns, truth[l],
             samples.values);
    }
    for (const auto& [start, end, rate] : disturbances_)
      Spread(start, end, {}, from, interval_ns,
             std::vector<double>(metrics_, rate * (end - start)),
             samples.values);
    for (double& value : samples.values)
      value *= 1 + std::normal_distribution<>(0, noise)(random_);
    return samples;
  }

  std::vector<EstimatedMetric> Metrics() const {
    std::vector<EstimatedMetric> metrics(metrics_);
    for (std::size_t m = 0; m < metrics_; ++m)
      metrics[m].name = "metric_" + std::to_string(m);
    return metrics;
  }

  // By region, its launches.
  std::map<std::uint32_t, RegionQuery> Regions() const {
    std::map<std::uint32_t, RegionQuery> regions;
    for (std::uint32_t l = 0; l < launches.size(); ++l)
      regions[launches[l].region].launches.push_back(l);
    return regions;
  }

  double Truth(const RegionQuery& query, std::size_t metric) const {
    double sum = 0;
    for (const std::uint32_t l : query.launches) sum += truth[l][metric];
    return sum;
  }

  double end_ns() const { return end_ns_; }
  std::mt19937_64& random() { return random_; }

  static constexpr std::int64_t kOrigin = 1'700'000'000'000'000'000;
  double early_end_ns = 1000;  // before a launch's end its work is done
  std::vector<SimulatedKernel> kernels{};
  std::vector<SampledLaunch> launches{};
  std::vector<std::vector<double>> truth{};  // by launch and metric

 private:
  struct Disturbance {
    double from = 0, to = 0, rate = 0;
  };

  // How much of a kernel's work is done up to a part of its time.
  static double Done(const SimulatedKernel& kernel, double part) {
    if (kernel.rates.empty()) return part + kernel.tilt * (part * part - part);
    const auto parts = static_cast<double>(kernel.rates.size());
    double done = 0, all = 0;
    for (std::size_t k = 0; k < kernel.rates.size(); ++k) {
      const double here = part * parts - static_cast<double>(k);
      done += kernel.rates[k] * std::clamp(here, 0.0, 1.0);
      all += kernel.rates[k];
    }
    return done / all;
  }

  // Adds counts, which lie in [start, end), to the intervals.
  void Spread(double start, double end, const SimulatedKernel& kernel,
              double from, double interval_ns,
              const std::vector<double>& counts,
              std::vector<double>& values) const {
    const auto done = [&](double time) {
      return Done(kernel, std::clamp((time - start) / (end - start), 0.0, 1.0));
    };
    auto i = static_cast<std::size_t>((start - from) / interval_ns);
    for (; from + static_cast<double>(i) * interval_ns < end; ++i) {
      const double part =
          done(from + static_cast<double>(i + 1) * interval_ns) -
          done(from + static_cast<double>(i) * interval_ns);
      for (std::size_t m = 0; m < metrics_; ++m)
        values[i * metrics_ + m] += part * counts[m];
    }
  }

  std::mt19937_64 random_;
  std::size_t metrics_;
  double begin_ns_ = 0;
  double end_ns_ = 0;
  std::vector<Disturbance> disturbances_{};
};

}  // namespace rangefinder
