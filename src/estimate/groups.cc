#include "estimate/groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace rangefinder {
namespace {

constexpr double kLeastRatio = 1.15;         // between classes' durations
constexpr double kLeastGap = 2;              // in standard deviations
constexpr std::uint64_t kLeastLaunches = 8;  // of a class
constexpr std::size_t kMostClasses = 4;

using Key = std::array<std::uint32_t, 4>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t part : key) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

// The logarithms of some launches' durations.
struct Durations {
  std::uint64_t count = 0;
  double sum = 0;
  double squares = 0;
  double mean() const { return sum / static_cast<double>(count); }
  double variance() const {
    const double n = static_cast<double>(count);
    return std::max(squares / n - mean() * mean(), 0.0);
  }
  void Add(const Durations& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
};

struct Place {
  std::uint32_t ordinal = 0;
  Durations durations{};
};

double Length(const SampledLaunch& launch) {
  return static_cast<double>(launch.end_ns - launch.start_ns);
}

// By group, its ordinals with their durations.
std::vector<std::map<std::uint32_t, Durations>> DurationsOf(
    std::span<const SampledLaunch> launches, const Grouping& grouping) {
  std::vector<std::map<std::uint32_t, Durations>> by_group(
      grouping.groups.size());
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const std::uint32_t group = grouping.group[l];
    if (group == CounterFit::kNoGroup) continue;
    if (grouping.groups[group].launches < 2 * kLeastLaunches) continue;
    const double log = std::log(Length(launches[l]));
    by_group[group][launches[l].ordinal].Add({1, log, log * log});
  }
  return by_group;
}

// Where in [from, to) of places in the order of their means the widest step is
// that parts them: the first place above it; `from` where there is none.
std::size_t WidestStep(std::span<const Place> places, std::size_t from,
                       std::size_t to) {
  std::vector<Durations> above(to - from + 1);
  for (std::size_t at = to; at > from; --at) {
    above[at - 1 - from] = above[at - from];
    above[at - 1 - from].Add(places[at - 1].durations);
  }
  Durations below;
  std::size_t widest = from;
  double width = std::log(kLeastRatio);
  for (std::size_t at = from + 1; at < to; ++at) {
    below.Add(places[at - 1].durations);
    const Durations& rest = above[at - from];
    const double step =
        places[at].durations.mean() - places[at - 1].durations.mean();
    if (below.count < kLeastLaunches || rest.count < kLeastLaunches) continue;
    const double scatter = std::sqrt((below.variance() + rest.variance()) / 2);
    if (step <= width || rest.mean() - below.mean() < kLeastGap * scatter)
      continue;
    widest = at;
    width = step;
  }
  return widest;
}

// Ends of classes of places that are in the order of their means.
std::vector<std::size_t> Classes(std::span<const Place> places) {
  std::vector<std::size_t> ends = {places.size()};
  for (std::size_t at = 0; at < ends.size() && ends.size() < kMostClasses;) {
    const std::size_t from = at == 0 ? 0 : ends[at - 1];
    const std::size_t step = WidestStep(places, from, ends[at]);
    if (step == from)
      ++at;
    else
      ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(at), step);
  }
  return ends;
}

}  // namespace

Grouping GroupCoarsely(std::span<const SampledLaunch> launches) {
  Grouping grouping;
  grouping.group.assign(launches.size(), CounterFit::kNoGroup);
  std::unordered_map<Key, std::uint32_t, KeyHash> known;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const SampledLaunch& launch = launches[l];
    if (launch.end_ns <= launch.start_ns) continue;
    const Key key = {launch.region, launch.kernel, launch.shape, launch.mode};
    const auto [at, is_new] = known.try_emplace(
        key, static_cast<std::uint32_t>(grouping.groups.size()));
    if (is_new)
      grouping.groups.push_back({.region = launch.region,
                                 .kernel = launch.kernel,
                                 .shape = launch.shape,
                                 .mode = launch.mode});
    FitGroup& group = grouping.groups[at->second];
    ++group.launches;
    group.busy_ns += Length(launch);
    grouping.group[l] = at->second;
  }
  return grouping;
}

std::vector<GroupSplit> FindSplits(std::span<const SampledLaunch> launches,
                                   const Grouping& grouping) {
  std::vector<GroupSplit> splits;
  const auto by_group = DurationsOf(launches, grouping);
  for (std::uint32_t group = 0; group < by_group.size(); ++group) {
    if (by_group[group].size() < 2) continue;
    std::vector<Place> places;
    for (const auto& [ordinal, durations] : by_group[group])
      places.push_back({ordinal, durations});
    std::ranges::stable_sort(
        places, {}, [](const Place& place) { return place.durations.mean(); });
    const std::vector<std::size_t> ends = Classes(places);
    if (ends.size() < 2) continue;
    GroupSplit split{.group = group};
    std::size_t from = 0;
    for (const std::size_t end : ends) {
      std::vector<std::uint32_t>& ordinals = split.ordinals.emplace_back();
      for (; from < end; ++from) ordinals.push_back(places[from].ordinal);
      std::ranges::sort(ordinals);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

Grouping Split(std::span<const SampledLaunch> launches,
               const Grouping& grouping, std::span<const GroupSplit> splits) {
  Grouping finer = grouping;
  // By group and ordinal, the group of the class.
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> classes(
      grouping.groups.size());
  for (const GroupSplit& split : splits) {
    const FitGroup whole = finer.groups[split.group];
    for (std::size_t c = 0; c < split.ordinals.size(); ++c) {
      std::uint32_t at = split.group;
      if (c > 0) {
        at = static_cast<std::uint32_t>(finer.groups.size());
        finer.groups.push_back(whole);
      }
      finer.groups[at].launches = 0;
      finer.groups[at].busy_ns = 0;
      finer.groups[at].ordinals = split.ordinals[c];
      for (const std::uint32_t ordinal : split.ordinals[c])
        classes[split.group][ordinal] = at;
    }
  }
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const std::uint32_t group = grouping.group[l];
    if (group == CounterFit::kNoGroup || classes[group].empty()) continue;
    finer.group[l] = classes[group].at(launches[l].ordinal);
    FitGroup& to = finer.groups[finer.group[l]];
    ++to.launches;
    to.busy_ns += Length(launches[l]);
  }
  return finer;
}

}  // namespace rangefinder
