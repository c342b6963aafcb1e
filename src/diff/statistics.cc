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
constexpr std::size_t kMostLabellings = 2000;
constexpr std::size_t kDrawnLabellings = 1999;
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

// The rows' logarithms, those far from their middle drawn in: one run that was
// held up must not hide what all others show. The labels play no part in it.
std::vector<double> Steadied(const RunValues& row) {
  constexpr double kFar = 5;
  std::vector<double> logs(row.size());
  std::ranges::transform(row, logs.begin(),
                         [](double value) { return std::log(value); });
  const double middle = MedianOf(logs);
  std::vector<double> apart(logs.size());
  std::ranges::transform(logs, apart.begin(), [&](double value) {
    return std::abs(value - middle);
  });
  const double reach = kFar * std::max(1.4826 * MedianOf(apart), 1e-4);
  for (double& value : logs)
    value = std::clamp(value, middle - reach, middle + reach);
  return logs;
}

struct Row {
  std::vector<double> logs{};  // around their mean
  double squares = 0;          // their sum
};

// t of a labelling, never dividing by (nearly) nothing: `least` is added to the
// standard error (Tusher, Tibshirani and Chu 2001).
double Statistic(const Row& row, std::span<const std::size_t> others,
                 double least) {
  const auto all = static_cast<double>(row.logs.size());
  const auto m = static_cast<double>(others.size());
  const double n = all - m;
  double sum = 0;
  for (const std::size_t run : others) sum += row.logs[run];
  const double apart = sum / m + sum / n;  // the rest sums to -sum
  const double within =
      std::max(0.0, row.squares - n * m / all * apart * apart);
  const double error = std::sqrt(within / (all - 2) * (1 / n + 1 / m));
  return apart / (error + least);
}

// Every way to label `chosen` of `all` runs, or drawn ones.
std::vector<std::vector<std::size_t>> Labellings(std::size_t all,
                                                 std::size_t chosen) {
  double ways = 1;
  for (std::size_t i = 0; i < chosen; ++i)
    ways = ways * static_cast<double>(all - i) / static_cast<double>(i + 1);
  std::vector<std::vector<std::size_t>> labellings;
  std::vector<std::size_t> runs(all);
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  if (ways > static_cast<double>(kMostLabellings)) {
    std::mt19937_64 random(kSeed);
    for (std::size_t k = 0; k < kDrawnLabellings; ++k) {
      for (std::size_t i = 0; i < chosen; ++i)
        std::swap(runs[i], runs[i + Draw(random, all - i)]);
      labellings.emplace_back(runs.begin(),
                              runs.begin() + static_cast<long>(chosen));
    }
    return labellings;
  }
  std::vector<bool> taken(all, false);
  std::fill(taken.begin(), taken.begin() + static_cast<long>(chosen), true);
  do {
    std::vector<std::size_t> labelling;
    for (std::size_t i = 0; i < all; ++i)
      if (taken[i]) labelling.push_back(i);
    labellings.push_back(std::move(labelling));
  } while (std::prev_permutation(taken.begin(), taken.end()));
  return labellings;
}

// Half the middle standard error of all rows, whatever the labels.
double LeastError(std::span<const Row> rows, std::size_t base_runs) {
  std::vector<double> errors;
  for (const Row& row : rows) {
    const auto all = static_cast<double>(row.logs.size());
    const auto n = static_cast<double>(base_runs);
    errors.push_back(
        std::sqrt(row.squares / (all - 1) * (1 / n + 1 / (all - n))));
  }
  return std::max(MedianOf(std::move(errors)) / 2, 1e-4);
}

std::vector<Row> RowsOf(std::span<const RunValues> values) {
  std::vector<Row> rows;
  for (const RunValues& row : values) {
    Row made{.logs = Steadied(row)};
    const double mean =
        std::accumulate(made.logs.begin(), made.logs.end(), 0.0) /
        static_cast<double>(made.logs.size());
    for (double& value : made.logs) {
      value -= mean;
      made.squares += value * value;
    }
    rows.push_back(std::move(made));
  }
  return rows;
}

}  // namespace

double MedianOf(std::vector<double> values) {
  return values.empty() ? 0 : MedianOfSorted(values);
}

Interval BootstrapRatio(std::span<const double> base,
                        std::span<const double> other) {
  std::mt19937_64 random(kSeed);
  std::vector<double> ratios(kResamples);
  std::vector<double> a(base.size()), b(other.size());
  for (double& ratio : ratios) {
    for (double& value : a) value = base[Draw(random, base.size())];
    for (double& value : b) value = other[Draw(random, other.size())];
    ratio = MedianOfSorted(b) / MedianOfSorted(a);
  }
  std::ranges::sort(ratios);
  const std::size_t tail = kResamples / 40;  // 2.5 %
  return {ratios[tail], ratios[kResamples - 1 - tail]};
}

double MannWhitneyP(std::span<const double> base,
                    std::span<const double> other) {
  if (base.empty() || other.empty()) return 1;
  const Ranks ranks = RanksOf(base, other);
  const auto n = static_cast<double>(base.size());
  const auto m = static_cast<double>(other.size());
  const double u = ranks.base_sum - n * (n + 1) / 2;
  const double less = std::min(u, n * m - u);
  if (ranks.ties == 0 && base.size() + other.size() <= kMostExact) {
    const std::vector<double> ways = RankSums(base.size(), other.size());
    const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
    const auto tail = static_cast<long>(std::lround(less)) + 1;
    const double sum = std::accumulate(ways.begin(), ways.begin() + tail, 0.0);
    return std::min(1.0, 2 * sum / all);
  }
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

std::vector<double> PermutationP(std::span<const RunValues> rows,
                                 std::size_t base_runs) {
  std::vector<double> p(rows.size(), 1);
  if (rows.empty() || base_runs < 2 || rows.front().size() < base_runs + 2)
    return p;
  const std::size_t all = rows.front().size();
  const std::vector<Row> made = RowsOf(rows);
  const double least = LeastError(made, base_runs);
  std::vector<std::size_t> labels(all - base_runs);
  std::iota(labels.begin(), labels.end(), base_runs);
  std::vector<double> found;
  for (const Row& row : made) found.push_back(Statistic(row, labels, least));

  const auto labellings = Labellings(all, all - base_runs);
  std::vector<double> greatest, smallest;  // t of any row; the latter negated
  for (const std::vector<std::size_t>& labelling : labellings) {
    double most = 0, least_t = 0;
    for (const Row& row : made) {
      const double t = Statistic(row, labelling, least);
      most = std::max(most, t);
      least_t = std::min(least_t, t);
    }
    greatest.push_back(most);
    smallest.push_back(-least_t);
  }
  std::ranges::sort(greatest);
  std::ranges::sort(smallest);
  // Of drawn labellings the real one is one more.
  const double drawn = labellings.size() == kDrawnLabellings ? 1 : 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::vector<double>& chance = found[i] > 0 ? greatest : smallest;
    // Equal but for rounding is equal.
    const auto at =
        std::ranges::lower_bound(chance, std::abs(found[i]) * (1 - 1e-9));
    p[i] = (static_cast<double>(chance.end() - at) + drawn) /
           (static_cast<double>(chance.size()) + drawn);
  }
  return p;
}

std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha) {
  constexpr std::size_t kLeast = 5;
  const double effect = std::abs(std::log(ratio));
  if (!(effect > 0)) return 0;
  const double each =
      alpha / static_cast<double>(std::max<std::size_t>(rows, 1));
  const double z = Quantile(1 - each) + Quantile(0.9);
  const double runs = 2 * std::pow(z * deviation / effect, 2);
  return std::max(kLeast,
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
