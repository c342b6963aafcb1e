#include "diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include <boost/math/distributions/normal.hpp>

namespace rangefinder {
namespace {

constexpr std::size_t kResamples = 1000;
constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15;

// Of 0 to n - 1, the same on every platform.
std::size_t Draw(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>(random() % n);
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
