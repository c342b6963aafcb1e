#include "summary/time_stat.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace rangefinder {
namespace {

// Both ascending.
void AddBuckets(std::vector<Spread::Bucket>& to,
                std::span<const Spread::Bucket> more) {
  std::size_t at = 0;
  std::size_t missing = 0;
  for (const Spread::Bucket& bucket : more) {
    while (at < to.size() && to[at].index < bucket.index) ++at;
    if (at < to.size() && to[at].index == bucket.index)
      to[at].count += bucket.count;
    else
      ++missing;
  }
  if (missing == 0) return;
  std::vector<Spread::Bucket> all;
  all.reserve(to.size() + missing);
  auto old = to.begin();
  for (const Spread::Bucket& bucket : more) {
    while (old != to.end() && old->index < bucket.index) all.push_back(*old++);
    if (old == to.end() || old->index != bucket.index) all.push_back(bucket);
  }
  all.insert(all.end(), old, to.end());
  to = std::move(all);
}

// The square of `sum` over `count`, rounded down: the sum of squares of equal
// values.
Wide SquareOfMean(Wide sum, std::uint64_t count) {
  constexpr Wide kLow = ~std::uint64_t{0};
  if (count == 0) return 0;
  if (sum <= kLow) return sum * sum / count;
  // Approximate beyond 584 years in sum.
  const auto mean = static_cast<long double>(sum) / count;
  return static_cast<Wide>(
      std::min(mean * mean * count, std::ldexp(1.0L, 127)));
}

}  // namespace

void TimeStat::Add(std::uint64_t ns, std::int32_t rank) {
  AddEnds({ns, rank}, {ns, rank});
  ++count;
  sum += ns;
  squares += Wide{ns} * ns;
  const std::uint32_t index = Spread::BucketOf(ns);
  const auto at =
      std::ranges::lower_bound(buckets, index, {}, &Spread::Bucket::index);
  if (at != buckets.end() && at->index == index)
    ++at->count;
  else
    buckets.insert(at, {index, 1});
}

void TimeStat::Add(const Spread& spread, std::int32_t rank) {
  if (spread.count() == 0) return;
  const double apart = std::round(spread.squares());
  Add(TimeStat{.count = spread.count(),
               .sum = spread.sum(),
               .squares = SquareOfMean(spread.sum(), spread.count()) +
                          static_cast<Wide>(std::clamp(apart, 0.0, 1e38)),
               .min = spread.min(),
               .max = spread.max(),
               .min_rank = rank,
               .max_rank = rank,
               .buckets = spread.Buckets()});
}

void TimeStat::Add(const TimeStat& other) {
  if (other.empty()) return;
  AddEnds({other.min, other.min_rank}, {other.max, other.max_rank});
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  if (buckets.empty())
    buckets = other.buckets;
  else
    AddBuckets(buckets, other.buckets);
}

// Of equal values the lowest rank counts; unknown ranks do not.
void TimeStat::AddEnds(const End& low, const End& high) {
  const auto known = [](std::int32_t rank) {
    return static_cast<std::uint32_t>(rank);
  };
  if (empty() || low.ns < min ||
      (low.ns == min && known(low.rank) < known(min_rank))) {
    min = low.ns;
    min_rank = low.rank;
  }
  if (empty() || high.ns > max ||
      (high.ns == max && known(high.rank) < known(max_rank))) {
    max = high.ns;
    max_rank = high.rank;
  }
}

std::uint64_t TimeStat::total() const {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  return sum > kMost ? kMost : static_cast<std::uint64_t>(sum);
}

Spread TimeStat::ToSpread() const {
  if (empty()) return {};
  const Wide least = SquareOfMean(sum, count);
  const double apart =
      squares > least ? static_cast<double>(squares - least) : 0;
  return Spread::Of(
      {.count = count,
       .sum = total(),
       .min = min,
       .max = max,
       .mean = static_cast<double>(sum) / static_cast<double>(count),
       .squares = apart,
       .buckets = buckets});
}

}  // namespace rangefinder
