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
// A mode has at least one in so many launches of its place. Fewer are slow
// because other kernels ran at the same time, and do no other work.
constexpr std::uint64_t kPlaceOverMode = 50;
constexpr std::size_t kMostClasses = 4;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::uint64_t kMostSplitByLength = 100;  // launches
constexpr double kMuchLonger = 1.5;
constexpr double kLeastLength = 1e4;  // ns
constexpr std::size_t kMostSplits = 100;
constexpr double kLongest = 0x1p50;  // ns, 13 days: nothing lasts longer

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

// Sums over the logarithms of durations.
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
  LaunchKind kind{};
  Durations durations{};
};

double Length(const SampledLaunch& launch) {
  return static_cast<double>(static_cast<std::uint64_t>(launch.end_ns) -
                             static_cast<std::uint64_t>(launch.start_ns));
}

// By group of `least` to `most` launches, its ordinals with the logarithms of
// their launches' durations.
using LogsByOrdinal = std::map<std::uint32_t, std::vector<float>>;
std::vector<LogsByOrdinal> LogsOf(std::span<const SampledLaunch> launches,
                                  const Grouping& grouping, std::uint64_t least,
                                  std::uint64_t most) {
  std::vector<LogsByOrdinal> by_group(grouping.groups.size());
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const std::uint32_t group = grouping.group[l];
    if (group == CounterFit::kNoGroup) continue;
    const std::uint64_t count = grouping.groups[group].launches;
    if (count < least || count > most) continue;
    by_group[group][launches[l].ordinal].push_back(
        static_cast<float>(std::log(Length(launches[l]))));
  }
  return by_group;
}

bool AreApart(const Durations& below, const Durations& above,
              std::uint64_t least = kLeastLaunches) {
  if (below.count < least || above.count < least) return false;
  const double step = above.mean() - below.mean();
  const double scatter = std::sqrt((below.variance() + above.variance()) / 2);
  return step > std::log(kLeastRatio) && step >= kLeastGap * scatter;
}

Durations Sum(std::span<const float> logs) {
  Durations sum;
  for (const double log : logs) sum.Add({1, log, log * log});
  return sum;
}

// The index in ascending logarithms that cuts them into two parts with the
// least scatter; 0 if the parts are not apart, or one has less than `least`
// launches.
std::size_t ModeCut(std::span<const float> logs, std::uint64_t least) {
  const Durations all = Sum(logs);
  Durations below;
  Durations best;
  double most = 0;
  for (std::size_t at = 1; at < logs.size(); ++at) {
    const double log = logs[at - 1];
    below.Add({1, log, log * log});
    if (logs[at] == logs[at - 1]) continue;
    const double above = static_cast<double>(all.count - below.count);
    const double step = (all.sum - below.sum) / above - below.mean();
    const double between =
        static_cast<double>(below.count) * above * step * step;
    if (between <= most) continue;
    most = between;
    best = below;
  }
  const Durations rest = {all.count - best.count, all.sum - best.sum,
                          all.squares - best.squares};
  return AreApart(best, rest, least) ? static_cast<std::size_t>(best.count) : 0;
}

// Cuts [0, size) into at most kMostClasses parts, the first part first: `cut`
// gives the place where [from, to) is cut, `from` if nowhere. Returns the ends
// of the parts.
template <typename Cut>
std::vector<std::size_t> EndsOfParts(std::size_t size, Cut cut) {
  std::vector<std::size_t> ends = {size};
  for (std::size_t at = 0; at < ends.size() && ends.size() < kMostClasses;) {
    const std::size_t from = at == 0 ? 0 : ends[at - 1];
    const std::size_t place = cut(from, ends[at]);
    if (place == from)
      ++at;
    else
      ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(at), place);
  }
  return ends;
}

// The places of one group; adds the limits of their modes to `split`.
std::vector<Place> PlacesOf(LogsByOrdinal& by_ordinal, GroupSplit& split) {
  std::vector<Place> places;
  for (auto& [ordinal, logs] : by_ordinal) {
    std::ranges::sort(logs);
    const std::span<const float> all = logs;
    const std::uint64_t least =
        std::max<std::uint64_t>(kLeastLaunches, all.size() / kPlaceOverMode);
    const std::vector<std::size_t> ends =
        EndsOfParts(all.size(), [&](std::size_t from, std::size_t to) {
          return from + ModeCut(all.subspan(from, to - from), least);
        });
    std::uint32_t mode = ends.size() > 1 ? 1 : 0;
    std::size_t from = 0;
    for (const std::size_t end : ends) {
      places.push_back({{ordinal, mode++}, Sum(all.subspan(from, end - from))});
      if (end < all.size())
        split.modes[ordinal].push_back(
            std::exp((double{all[end - 1]} + double{all[end]}) / 2));
      from = end;
    }
  }
  return places;
}

// The widest step in [from, to) of places that are sorted by their means: the
// first place above it; `from` if no step is wide enough.
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
    if (step <= width || !AreApart(below, rest)) continue;
    widest = at;
    width = step;
  }
  return widest;
}

// The busiest groups' splits, up to a limit: the cost of the equations is
// quadratic in the columns.
std::vector<GroupSplit> Busiest(std::vector<GroupSplit> splits,
                                const Grouping& grouping) {
  if (splits.size() <= kMostSplits) return splits;
  const auto busy = [&](const GroupSplit& split) {
    return grouping.groups[split.group].busy_ns;
  };
  std::ranges::stable_sort(splits, std::ranges::greater{}, busy);
  splits.resize(kMostSplits);
  std::ranges::sort(splits, {}, &GroupSplit::group);
  return splits;
}

// A group's launches, cut where the next longer one lasts much longer; no
// classes if none does.
GroupSplit ClassesByLength(std::uint32_t group,
                           const LogsByOrdinal& by_ordinal) {
  std::vector<float> all;
  for (const auto& [ordinal, logs] : by_ordinal)
    all.insert(all.end(), logs.begin(), logs.end());
  std::ranges::sort(all);
  std::vector<double> limits;
  for (std::size_t at = 1; at < all.size(); ++at)
    if (all[at] - all[at - 1] > std::log(kMuchLonger) &&
        all[at] > std::log(kLeastLength))
      limits.push_back(std::exp((double{all[at - 1]} + double{all[at]}) / 2));
  GroupSplit split{.group = group};
  if (limits.empty()) return split;
  split.classes.resize(limits.size() + 1);
  for (const auto& [ordinal, logs] : by_ordinal) {
    split.modes[ordinal] = limits;
    for (const float log : logs) {
      const auto above =
          std::ranges::upper_bound(limits, std::exp(double{log})) -
          limits.begin();
      const LaunchKind kind = {ordinal, static_cast<std::uint32_t>(above) + 1};
      std::vector<LaunchKind>& kinds =
          split.classes[static_cast<std::size_t>(above)];
      if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
    }
  }
  return split;
}

LaunchKind KindOf(const SampledLaunch& launch,
                  const std::map<std::uint32_t, std::vector<double>>& modes) {
  const auto found = modes.find(launch.ordinal);
  if (found == modes.end()) return {launch.ordinal, 0};
  const auto above = std::ranges::upper_bound(found->second, Length(launch));
  return {launch.ordinal,
          static_cast<std::uint32_t>(above - found->second.begin()) + 1};
}

}  // namespace

Grouping GroupCoarsely(std::span<const SampledLaunch> launches) {
  Grouping grouping;
  grouping.group.assign(launches.size(), CounterFit::kNoGroup);
  std::unordered_map<Key, std::uint32_t, KeyHash> known;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const SampledLaunch& launch = launches[l];
    if (launch.end_ns <= launch.start_ns || Length(launch) > kLongest) continue;
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

Grouping SplitByLength(std::span<const SampledLaunch> launches,
                       const Grouping& grouping) {
  std::vector<GroupSplit> splits;
  const std::vector<LogsByOrdinal> by_group =
      LogsOf(launches, grouping, 2, kMostSplitByLength);
  for (std::uint32_t group = 0; group < by_group.size(); ++group) {
    const auto repeats = [](const auto& place) {
      return place.second.size() >= kLeastLaunches;
    };
    if (std::ranges::any_of(by_group[group], repeats)) continue;
    GroupSplit split = ClassesByLength(group, by_group[group]);
    if (!split.classes.empty()) splits.push_back(std::move(split));
  }
  return Split(launches, grouping, splits);
}

std::vector<GroupSplit> FindSplits(std::span<const SampledLaunch> launches,
                                   const Grouping& grouping) {
  std::vector<GroupSplit> splits;
  std::vector<LogsByOrdinal> by_group =
      LogsOf(launches, grouping, 2 * kLeastLaunches, kNoLimit);
  for (std::uint32_t group = 0; group < by_group.size(); ++group) {
    if (!grouping.groups[group].kinds.empty()) continue;  // split by length
    GroupSplit split{.group = group};
    std::vector<Place> places = PlacesOf(by_group[group], split);
    if (places.size() < 2) continue;
    std::ranges::stable_sort(
        places, {}, [](const Place& place) { return place.durations.mean(); });
    const std::vector<std::size_t> ends =
        EndsOfParts(places.size(), [&](std::size_t from, std::size_t to) {
          return WidestStep(places, from, to);
        });
    if (ends.size() < 2) continue;
    std::size_t from = 0;
    for (const std::size_t end : ends) {
      std::vector<LaunchKind>& kinds = split.classes.emplace_back();
      for (; from < end; ++from) kinds.push_back(places[from].kind);
      std::ranges::sort(kinds);
    }
    splits.push_back(std::move(split));
  }
  return Busiest(std::move(splits), grouping);
}

Grouping Split(std::span<const SampledLaunch> launches,
               const Grouping& grouping, std::span<const GroupSplit> splits) {
  Grouping finer = grouping;
  std::vector<const GroupSplit*> of_group(grouping.groups.size(), nullptr);
  // By group: the new group of each kind.
  std::vector<std::map<LaunchKind, std::uint32_t>> classes(
      grouping.groups.size());
  for (const GroupSplit& split : splits) {
    of_group[split.group] = &split;
    const FitGroup whole = finer.groups[split.group];
    for (std::size_t c = 0; c < split.classes.size(); ++c) {
      std::uint32_t at = split.group;
      if (c > 0) {
        at = static_cast<std::uint32_t>(finer.groups.size());
        finer.groups.push_back(whole);
      }
      finer.groups[at].launches = 0;
      finer.groups[at].busy_ns = 0;
      finer.groups[at].kinds = split.classes[c];
      for (const LaunchKind kind : split.classes[c])
        classes[split.group][kind] = at;
    }
  }
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const std::uint32_t group = grouping.group[l];
    if (group == CounterFit::kNoGroup || !of_group[group]) continue;
    finer.group[l] =
        classes[group].at(KindOf(launches[l], of_group[group]->modes));
    FitGroup& to = finer.groups[finer.group[l]];
    ++to.launches;
    to.busy_ns += Length(launches[l]);
  }
  return finer;
}

}  // namespace rangefinder
