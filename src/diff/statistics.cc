#include "diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "base/median.h"

namespace rangefinder {

namespace {

constexpr std::size_t kResamples = 1000;
constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15;

// A random number from 0 to n - 1, the same on every platform.
std::size_t Draw(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>(random() % n);
}

double Quantile(double p) {
  return boost::math::quantile(boost::math::normal_distribution<>(), p);
}

}  // namespace

double MedianOf(std::vector<double> values) {
  return Median(values);
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

std::size_t RunsNeeded(double ratio, double deviation, std::size_t rows,
                       double alpha) {
  std::size_t least = 5;
  // Few runs have few labellings: even the clearest change has a large p.
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

// ---- Permutation test ------------------------------------------------------

namespace {

constexpr std::size_t kMostLabellings = 2000;
constexpr std::size_t kDrawnLabellings = 1999;
// The precision of clocks: the least deviation of a logarithm.
constexpr double kLeastDeviation = 1e-4;

// The inverse of the trigamma function for a positive y, by Newton's steps on
// 1/trigamma from below, which never overshoot (Smyth 2004, appendix).
double InverseTrigamma(double y) {
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 50; ++i) {
    const double at = boost::math::trigamma(x);
    const double step = at * (1 - at / y) / boost::math::polygamma(2, x);
    x += step;
    if (std::abs(step) < 1e-8 * x) break;
  }
  return x;
}

// The logarithms of a row, with outliers moved towards the median: one delayed
// run must not hide a change that all other runs show. Independent of the
// labels.
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
  const double reach =
      kFar * std::max(1.4826 * MedianOf(apart), kLeastDeviation);
  for (double& value : logs)
    value = std::clamp(value, middle - reach, middle + reach);
  return logs;
}

// Every way to label `chosen` of `all` runs, or a random sample of the ways.
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
        std::swap(runs[i], runs[i + random() % (all - i)]);
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

// The rows on one scale: around their means, divided by their deviations. S is
// the sum of a row's squares, D the difference of the means under a labelling.
// The moderated t has t^2 = c D^2 / (d0 s0^2 + S - c' D^2), with the same c and
// c' for all rows and labellings of equally many runs. It grows with D^2 / (d0
// s0^2 + S), in which only D depends on the labels.
std::vector<RunValues> Scaled(std::span<const RunValues> values) {
  constexpr double kLeast = kLeastDeviation * kLeastDeviation;
  std::vector<RunValues> rows;
  std::vector<double> variances;
  const auto degrees = static_cast<double>(values.front().size() - 1);
  for (const RunValues& value : values) {
    RunValues row = Steadied(value);
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) /
                        static_cast<double>(row.size());
    double squares = 0;
    for (double& log : row) {
      log -= mean;
      squares += log * log;
    }
    rows.push_back(std::move(row));
    variances.push_back(std::max(squares / degrees, kLeast));
  }
  const VariancePrior prior = PriorOf(variances, degrees);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double variance =
        std::isinf(prior.degrees)
            ? prior.variance
            : (prior.degrees * prior.variance + degrees * variances[i]) /
                  (prior.degrees + degrees);
    for (double& log : rows[i]) log /= std::sqrt(variance);
  }
  return rows;
}

// The rows in a given order, and their statistics for each labelling. The
// values lie by run and then by row, so that a labelling is a sum of whole
// lines.
class Lines {
 public:
  Lines(std::span<const RunValues> rows, std::span<const std::size_t> order)
      : lines_(rows.front().size()), sums_(order.size()) {
    for (std::size_t run = 0; run < lines_.size(); ++run)
      for (const std::size_t row : order) lines_[run].push_back(rows[row][run]);
  }

  // The absolute statistics of the rows, valid until the next call.
  std::span<const double> Of(std::span<const std::size_t> labelling) {
    std::ranges::fill(sums_, 0.0);
    for (const std::size_t run : labelling) {
      const double* const line = lines_[run].data();
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += line[i];
    }
    for (double& sum : sums_) sum = std::abs(sum);
    return sums_;
  }

 private:
  std::vector<std::vector<double>> lines_;
  std::vector<double> sums_;
};

}  // namespace

VariancePrior PriorOf(std::span<const double> variances, double degrees) {
  using boost::math::digamma;
  if (variances.size() < 2) return {};
  std::vector<double> logs(variances.size());
  std::ranges::transform(variances, logs.begin(),
                         [](double variance) { return std::log(variance); });
  const double alike = boost::math::trigamma(degrees / 2);
  const double least = MedianOf(logs) - 2 * std::sqrt(alike);
  for (double& log : logs) log = std::max(log, least);
  const auto count = static_cast<double>(logs.size());
  double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double squares = 0;
  for (const double log : logs) squares += std::pow(log - mean, 2);
  mean += std::log(degrees / 2) - digamma(degrees / 2);
  const double spread = squares / (count - 1) - alike;
  constexpr double kNone = 1e-6;  // of two million degrees of freedom
  if (spread < kNone) return {.variance = std::exp(mean), .degrees = HUGE_VAL};
  const double half = InverseTrigamma(spread);
  return {.variance = std::exp(mean + digamma(half) - std::log(half)),
          .degrees = 2 * half};
}

std::vector<double> PermutationP(std::span<const RunValues> rows,
                                 std::size_t base_runs) {
  std::vector<double> p(rows.size(), 1);
  if (rows.empty() || base_runs < 2 || rows.front().size() < base_runs + 2)
    return p;
  const std::size_t all = rows.front().size();
  const std::vector<RunValues> scaled = Scaled(rows);
  std::vector<std::size_t> labels(all - base_runs), order(rows.size());
  std::iota(labels.begin(), labels.end(), base_runs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Lines unordered(scaled, order);
  const std::span<const double> found = unordered.Of(labels);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t row) { return found[row]; });

  // From the row with the smallest difference up: the number of labellings in
  // which the greatest difference of the rows so far is as large.
  Lines lines(scaled, order);
  std::vector<std::size_t> as_much(rows.size(), 0);
  const auto labellings = Labellings(all, all - base_runs);
  for (const std::vector<std::size_t>& labelling : labellings) {
    const std::span<const double> dealt = lines.Of(labelling);
    double greatest = 0;
    for (std::size_t i = rows.size(); i-- > 0;) {
      greatest = std::max(greatest, dealt[i]);
      // Differences of rounding count as equal.
      as_much[i] += greatest >= found[order[i]] * (1 - 1e-9) ? 1U : 0U;
    }
  }
  // A random sample of labellings also contains the real labelling.
  const std::size_t drawn = labellings.size() == kDrawnLabellings ? 1 : 0;
  double most = 0;  // a row's p is at least that of rows that differ more
  for (std::size_t i = 0; i < rows.size(); ++i) {
    most = std::max(most, static_cast<double>(as_much[i] + drawn) /
                              static_cast<double>(labellings.size() + drawn));
    p[order[i]] = most;
  }
  return p;
}

}  // namespace rangefinder
