// A device that runs kernels and counts, with a known truth: estimates from
// samples are tested with it. It knows nothing of how estimates are made.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "estimate/estimate.h"

namespace rangefinder {

// One kernel. The work of a launch lies between its start and 1 us before its
// end; `tilt` moves it early (-1) or late (1).
struct SimulatedKernel {
  std::vector<double> counts{};  // per launch, by metric
  double scatter = 0.02;         // of the counts, relative
  double tilt = 0;
  // Relative rates of the work in equal parts of the launch's time; used
  // instead of `tilt` where not empty.
  std::vector<double> rates{};
  double duration_ns = 10'000;
  double jitter = 0.05;  // of the duration, relative
  double warps = 0;
  double sms = 0;  // in use
  // The rate of work goes its own way in each launch: by so much of the mean,
  // a standard deviation of each of three waves.
  double wander = 0;
};

class SimulatedRun {
 public:
  explicit SimulatedRun(std::uint64_t seed, std::size_t metrics = 3)
      : random_(seed), metrics_(metrics) {}

  // Adds a kernel whose duration and rates are typical for PyTorch. The last
  // metric is 0 for two of three kernels.
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

  // Runs a kernel at `at` and returns its end. `times` multiplies its counts.
  double Run(std::uint32_t kernel, std::uint32_t region, std::uint32_t instance,
             std::uint32_t ordinal, double at, double times = 1,
             double longer = 1) {
    const SimulatedKernel& what = kernels[kernel];
    const double duration =
        what.duration_ns * longer *
        std::exp(std::normal_distribution<>(0, what.jitter)(random_));
    launches.push_back(
        {.start_ns = kOrigin + std::llround(at),
         .end_ns = kOrigin + std::llround(at + duration),
         .region = region,
         .kernel = kernel,
         .ordinal = ordinal,
         .instance = instance,
         .size = {.warps = what.warps, .block_warps = 8, .sms = what.sms}});
    std::vector<double> counts;
    for (const double count : what.counts)
      counts.push_back(
          count * times *
          std::max(1 + std::normal_distribution<>(0, what.scatter)(random_),
                   0.0));
    truth.push_back(counts);
    waves_.emplace_back();
    for (double& wave : waves_.back())
      wave = what.wander > 0
                 ? std::normal_distribution<>(0, what.wander)(random_)
                 : 0;
    begin_ns_ = std::min(begin_ns_, at);
    end_ns_ = std::max(end_ns_, at + duration);
    return at + duration;
  }

  // Counts from `from` to `to` that belong to no launch.
  void Disturb(double from, double to, double rate) {
    disturbances_.push_back({from, to, rate});
    end_ns_ = std::max(end_ns_, to);
  }

  // Samples the counts from before the first launch to after the last, with
  // noise relative to a value. `clock` is the samples' time as a function of
  // the launches' time.
  DeviceSamples Sample(
      double interval_ns, double noise = 0.002,
      const std::function<double(double)>& clock = [](double t) { return t; }) {
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
      const auto [start, end] = Work(launches[l]);
      const auto late =
          l > 0 ? late_ns.find({launches[l - 1].kernel, launches[l].kernel})
                : late_ns.end();
      Spread(start + (late != late_ns.end() ? late->second : 0), end,
             concurrent_rates.empty() ? what : WithConcurrentRates(l),
             waves_[l], from, interval_ns, truth[l], samples.values);
    }
    for (const auto& [start, end, rate] : disturbances_)
      Spread(start, end, {}, {}, from, interval_ns,
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

  // The launches of each region.
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
  double early_end_ns = 1000;  // the work ends so long before the launch
  // By the kernel before and its own: how much later than a launch its work
  // begins.
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> late_ns{};
  // By a kernel and another one: the kernel's rate while the other one runs,
  // over its rate alone.
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> concurrent_rates{};
  std::vector<SimulatedKernel> kernels{};
  std::vector<SampledLaunch> launches{};
  std::vector<std::vector<double>> truth{};  // by launch and metric

 private:
  using Waves = std::array<double, 3>;
  struct Disturbance {
    double from = 0, to = 0, rate = 0;
  };

  // The time in which a launch works.
  std::pair<double, double> Work(const SampledLaunch& launch) const {
    const auto start = static_cast<double>(launch.start_ns - kOrigin);
    const auto end = static_cast<double>(launch.end_ns - kOrigin);
    return {start, end - std::min(early_end_ns, (end - start) / 2)};
  }

  // The kernel of a launch, with its rates while other launches run.
  SimulatedKernel WithConcurrentRates(std::size_t l) const {
    constexpr std::size_t kParts = 200, kNear = 8;
    const SampledLaunch& own = launches[l];
    SimulatedKernel kernel = kernels[own.kernel];
    kernel.rates.assign(kParts, 1);
    const std::size_t last = std::min(launches.size(), l + kNear);
    for (std::size_t j = l - std::min(l, kNear); j < last; ++j) {
      const auto rate = concurrent_rates.find({own.kernel, launches[j].kernel});
      if (rate == concurrent_rates.end()) continue;
      for (std::size_t k = 0; k < kParts; ++k) {
        const double part = (static_cast<double>(k) + 0.5) / kParts;
        const double time =
            Work(own).first + part * (Work(own).second - Work(own).first);
        const auto [from, to] = Work(launches[j]);
        if (time >= from && time < to) kernel.rates[k] *= rate->second;
      }
    }
    return kernel;
  }

  // The share of a kernel's work that is done after a part of its time.
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

  // Adds counts that lie in [start, end) to the intervals.
  void Spread(double start, double end, const SimulatedKernel& kernel,
              const Waves& waves, double from, double interval_ns,
              const std::vector<double>& counts,
              std::vector<double>& values) const {
    const auto done = [&](double time) {
      const double part = std::clamp((time - start) / (end - start), 0.0, 1.0);
      double sum = Done(kernel, part);
      for (std::size_t j = 0; j < waves.size(); ++j) {
        const double turns = static_cast<double>(j + 1) * std::numbers::pi;
        sum += waves[j] * std::sin(turns * part) / turns;
      }
      return sum;
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
  std::vector<Waves> waves_{};  // by launch
  std::vector<Disturbance> disturbances_{};
};

inline CounterFit FitOf(const SimulatedRun& run, const DeviceSamples& samples,
                        const EstimateOptions& options = {}) {
  return CounterFit::Make(run.launches, samples, run.Metrics(), options);
}

inline CounterFit FitOf(SimulatedRun& run, double interval_ns,
                        const EstimateOptions& options = {}) {
  return FitOf(run, run.Sample(interval_ns), options);
}

}  // namespace rangefinder
