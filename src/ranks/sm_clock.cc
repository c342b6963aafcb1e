#include "ranks/sm_clock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace rangefinder {
namespace {

// Each of these counts the cycles of one SM. The cycles of all SMs do not tell
// the clock rate: the number of SMs is not known here.
constexpr std::array<std::string_view, 4> kMetrics{
    "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max",
    "smsp__cycles_elapsed.avg", "smsp__cycles_elapsed.max"};

std::optional<std::size_t> MetricOf(const Profile& profile,
                                    const CounterSamples& samples) {
  for (const std::string_view name : kMetrics) {
    for (std::size_t i = 0; i < samples.metrics.size(); ++i) {
      if (profile.Name(samples.metrics[i]) == name) return i;
    }
  }
  return std::nullopt;
}

// The cycles in `ns` of one sample.
CountedCycles PartOf(const CounterSamples& samples, std::size_t metric,
                     std::size_t i, double ns) {
  const double cycles = samples.Row(i)[metric];
  const auto all = static_cast<double>(samples.end_ns[i] - samples.start_ns[i]);
  if (!std::isfinite(cycles) || cycles < 0 || all <= 0) return {};
  return {cycles * ns / all, ns};
}

}  // namespace

SmClock::SmClock(const Profile& profile, ProcessId process) {
  for (const CounterSamples& samples : profile.counter_samples) {
    const auto metric = MetricOf(profile, samples);
    if (samples.process != process || samples.device < 0 || !metric) continue;
    Device device{.samples = &samples, .metric = *metric};
    CountedCycles sum;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      device.before.push_back(sum);
      sum +=
          PartOf(samples, *metric, i,
                 static_cast<double>(samples.end_ns[i] - samples.start_ns[i]));
    }
    if (!device.before.empty())
      by_device_.try_emplace(samples.device, std::move(device));
  }
}

CountedCycles SmClock::Until(const Device& device, std::uint64_t ns) {
  const CounterSamples& samples = *device.samples;
  const auto after = std::ranges::upper_bound(samples.start_ns, ns);
  if (after == samples.start_ns.begin()) return {};
  const auto i = static_cast<std::size_t>(after - samples.start_ns.begin()) - 1;
  CountedCycles sum = device.before[i];
  const std::uint64_t to = std::min(ns, samples.end_ns[i]);
  sum += PartOf(samples, device.metric, i,
                static_cast<double>(to - std::min(to, samples.start_ns[i])));
  return sum;
}

CountedCycles SmClock::In(std::int32_t device, std::uint64_t start_ns,
                          std::uint64_t end_ns) const {
  const auto at = by_device_.find(device);
  if (at == by_device_.end()) return {};
  const CountedCycles from = Until(at->second, start_ns);
  const CountedCycles to = Until(at->second, end_ns);
  return {to.cycles - from.cycles, to.ns - from.ns};
}

}  // namespace rangefinder
