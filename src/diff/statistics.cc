#include "diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include <boost/math/distributions/normal.hpp>

namespace rangefinder {
namespace {

constexpr std::size_t kResamples = 1000;
constexpr std::size_t kMostExact = 30;
constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15;

// Of 0 to n - 1, the same on every platform.
std::size_t Draw(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>(random() % n);
}

double UpperTail(double z) {
  return boost::math::cdf(
      boost::math::complement(boost::math::normal_distribution<>(), z));
}

double Quantile(double p) {
  return boost::math::quantile(boost::math::normal_distribution<>(), p);
}

double MedianOfSorted(std::span<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(middle),
                   values.end());
  if (values.size() % 2 == 1) return values[middle];
  const double below = *std::max_element(
      values.begin(), values.begin() + static_cast<long>(middle));
  return (below + values[middle]) / 2;
}

// How many of the ways to choose `n` of n + m ranks have each sum, the least
// possible being 0: the exact distribution of U.
std::vector<double> RankSums(std::size_t n, std::size_t m) {
  // ways[i][u]: of choosing i ranks with a sum of u above the least.
  std::vector<std::vector<double>> ways(n + 1,
                                        std::vector<double>(n * m + 1, 0));
  ways[0][0] = 1;
  for (std::size_t rank = 0; rank < n + m; ++rank) {
    for (std::size_t i = std::min(n, rank + 1); i > 0; --i) {
      const std::size_t above = rank - (i - 1);  // beyond the least place
      if (above > m) continue;
      for (std::size_t u = n * m; u + 1 > above; --u) {
        ways[i][u] += ways[i - 1][u - above];
        if (u == above) break;
      }
    }
  }
  return ways[n];
}

struct Ranks {
  double base_sum = 0;  // of ranks from 1, ties in the middle
  double ties = 0;      // the sum of t^3 - t
};

Ranks RanksOf(std::span<const double> base, std::span<const double> other) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : base) all.emplace_back(value, true);
  for (const double value : other) all.emplace_back(value, false);
  std::ranges::sort(all);
  Ranks ranks;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const auto tied = static_cast<double>(end - i);
    const double rank = static_cast<double>(i + end + 1) / 2;
    for (std::size_t k = i; k < end; ++k)
      if (all[k].second) ranks.base_sum += rank;
    ranks.ties += tied * tied * tied - tied;
    i = end;
  }
  return ranks;
}

}  // namespace

double MedianOf(std::vector<double> values) {
  return values.empty() ? 0 : MedianOfSorted(values);
}

RatioBootstrap::RatioBootstrap(std::size_t base_runs, std::size_t other_runs) {
  std::mt19937_64 random(kSeed);
  const auto draw = [&](std::size_t runs) {
    std::vector<std::size_t> places(runs);
    for (std::size_t& place : places) place = Draw(random, runs);
    std::ranges::sort(places);
    return Middle{places[(runs - 1) / 2], places[runs / 2]};
  };
  for (std::size_t i = 0; i < kResamples; ++i) {
    base_.push_back(draw(base_runs));
    other_.push_back(draw(other_runs));
  }
}

Interval RatioBootstrap::Of(std::span<const double> base,
                            std::span<const double> other) const {
  std::vector<double> a(base.begin(), base.end());
  std::vector<double> b(other.begin(), other.end());
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<double> ratios(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i)
    ratios[i] = (b[other_[i].below] + b[other_[i].above]) /
                (a[base_[i].below] + a[base_[i].above]);
  const auto low = ratios.begin() + kResamples / 40;  // 2.5 %
  const auto high = ratios.end() - 1 - kResamples / 40;
  std::nth_element(ratios.begin(), low, ratios.end());
  std::nth_element(low + 1, high, ratios.end());
  return {*low, *high};
}

MannWhitney::MannWhitney(std::size_t base_runs, std::size_t other_runs) {
  if (base_runs + other_runs > kMostExact) return;
  at_most_ = RankSums(base_runs, other_runs);
  const double all = std::accumulate(at_most_.begin(), at_most_.end(), 0.0);
  std::partial_sum(at_most_.begin(), at_most_.end(), at_most_.begin());
  for (double& ways : at_most_) ways /= all;
}

double MannWhitney::P(std::span<const double> base,
                      std::span<const double> other) const {
  if (base.empty() || other.empty()) return 1;
  const Ranks ranks = RanksOf(base, other);
  const auto n = static_cast<double>(base.size());
  const auto m = static_cast<double>(other.size());
  const double u = ranks.base_sum - n * (n + 1) / 2;
  const double less = std::min(u, n * m - u);
  if (ranks.ties == 0 && !at_most_.empty())
    return std::min(1.0,
                    2 * at_most_[static_cast<std::size_t>(std::lround(less))]);
  const double count = n + m;
  const double variance =
      n * m / 12 * (count + 1 - ranks.ties / (count * (count - 1)));
  if (variance <= 0) return 1;
  const double away = std::max(0.0, n * m / 2 - less - 0.5);
  return std::min(1.0, 2 * UpperTail(away / std::sqrt(variance)));
}

std::vector<double> BenjaminiHochberg(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size(), 1);
  double least = 1;
  for (std::size_t k = order.size(); k > 0; --k) {
    least = std::min(least, p[order[k - 1]] * static_cast<double>(p.size()) /
                                static_cast<double>(k));
    adjusted[order[k - 1]] = least;
  }
  return adjusted;
}

std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha) {
  std::size_t least = 5;
  // Fewer have too few labellings to tell: two of them are as clear as can be.
  for (double ways = 252; 2 / ways > alpha && least < 20; ++least) {
    const auto n = static_cast<double>(least);
    ways *= 2 * (2 * n + 1) / (n + 1);
  }
  const double effect = std::abs(std::log(ratio));
  if (!(effect > 0)) return 0;
  const double each =
      alpha / 2 / static_cast<double>(std::max<std::size_t>(rows, 1));
  const double z = Quantile(1 - each) + Quantile(0.9);
  const double runs = 2 * std::pow(z * deviation / effect, 2);
  return std::max(least,
                  static_cast<std::size_t>(std::ceil(std::min(runs, 1e9))));
}

double LogDeviation(std::span<const double> base,
                    std::span<const double> other) {
  double squares = 0;
  double degrees = 0;
  for (const auto side : {base, other}) {
    if (side.size() < 2) continue;
    double sum = 0;
    for (const double value : side) sum += std::log(value);
    const double mean = sum / static_cast<double>(side.size());
    for (const double value : side)
      squares += std::pow(std::log(value) - mean, 2);
    degrees += static_cast<double>(side.size() - 1);
  }
  return degrees > 0 ? std::sqrt(squares / degrees) : 0;
}

}  // namespace rangefinder
