#include "ranks/host_clocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

constexpr double kLeastSpanNs = 5e8;
constexpr std::size_t kLeastSamples = 12;
constexpr double kMostDrift = 1e-3;  // larger: a broken clock

double MedianOf(std::span<const ClockSample> samples,
                double ClockSample::*value) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const ClockSample& sample : samples) values.push_back(sample.*value);
  return Median(values);
}

// Applies `inner`, then `outer`.
ClockLine Chained(const ClockLine& outer, const ClockLine& inner) {
  const double around = inner.around_ns;
  return {.offset_ns = outer.At(inner.At(around)) - around,
          .drift = (1 + outer.drift) * (1 + inner.drift) - 1,
          .around_ns = around};
}

// Undoes `line`.
ClockLine Inverse(const ClockLine& line) {
  const double around = line.At(line.around_ns);
  return {.offset_ns = line.around_ns - around,
          .drift = 1 / (1 + line.drift) - 1,
          .around_ns = around};
}

}  // namespace

ClockLine FitClock(std::vector<ClockSample> samples) {
  ClockLine line;
  if (samples.empty()) return line;
  std::ranges::stable_sort(samples, {}, &ClockSample::ns);
  line.around_ns = MedianOf(samples, &ClockSample::ns);
  const std::span<const ClockSample> all(samples);
  const std::size_t third = samples.size() / 3;
  if (samples.size() >= kLeastSamples) {
    const auto first = all.first(third), last = all.last(third);
    const double span =
        MedianOf(last, &ClockSample::ns) - MedianOf(first, &ClockSample::ns);
    if (span >= kLeastSpanNs) {
      line.drift = (MedianOf(last, &ClockSample::offset_ns) -
                    MedianOf(first, &ClockSample::offset_ns)) /
                   span;
      line.drift = std::clamp(line.drift, -kMostDrift, kMostDrift);
    }
  }
  for (ClockSample& sample : samples)
    sample.offset_ns -= line.drift * (sample.ns - line.around_ns);
  line.offset_ns = MedianOf(samples, &ClockSample::offset_ns);
  return line;
}

HostClocks::HostClocks(std::size_t hosts)
    : lines_(hosts),
      groups_(hosts),
      members_(hosts),
      residual_ns_(hosts),
      samples_(hosts) {
  std::iota(groups_.begin(), groups_.end(), std::size_t{0});
  for (std::size_t i = 0; i < hosts; ++i) members_[i].push_back(i);
}

void HostClocks::Tie(std::size_t to, std::size_t host, const ClockLine& line) {
  if (AreTied(to, host)) return;
  std::size_t keep = groups_[to], gone = groups_[host];
  // `line` leads to the shared clock of `to`, so the line of `host` is undone
  // first.
  ClockLine change = Chained(line, Inverse(lines_[host]));
  // Moving the smaller group keeps the total time small.
  if (members_[keep].size() < members_[gone].size()) {
    change = Inverse(change);
    std::swap(keep, gone);
  }
  for (const std::size_t moved : members_[gone]) {
    lines_[moved] = Chained(change, lines_[moved]);
    groups_[moved] = keep;
    members_[keep].push_back(moved);
  }
  members_[gone].clear();
}

void HostClocks::Correct(std::size_t host,
                         const std::vector<ClockSample>& samples) {
  if (samples.empty()) return;
  const ClockLine line = FitClock(samples);
  lines_[host] = Chained(line, lines_[host]);
  std::vector<double> left;
  left.reserve(samples.size());
  for (const ClockSample& sample : samples)
    left.push_back(sample.ns + sample.offset_ns - line.At(sample.ns));
  residual_ns_[host] = MedianDistance(std::move(left), 0);
  samples_[host] = samples.size();
}

std::vector<HostClock> HostClocks::Describe(
    std::span<const std::string> names) const {
  std::vector<HostClock> clocks;
  if (lines_.size() < 2) return clocks;
  // Relative to the first host of the group, at the median time of the samples.
  std::vector<std::size_t> first(lines_.size(), lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    std::size_t& reference = first[groups_[i]];
    if (reference == lines_.size()) reference = i;
    const double around = lines_[i].around_ns;
    clocks.push_back(
        {.host = names[i],
         .offset_ns = lines_[i].At(around) - lines_[reference].At(around),
         .residual_ns = residual_ns_[i],
         .collectives = samples_[i]});
  }
  return clocks;
}

}  // namespace rangefinder
