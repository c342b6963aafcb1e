// How many values of one kind spread: their number, sum, extremes, mean and
// standard deviation exactly; quantiles exactly while there are few, and within
// one percent from then on. Its size does not grow with the number of values,
// so a region that ran ten million times costs what one costs that ran a
// thousand.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rangefinder {

class Spread {
 public:
  // Values that are equal within one percent.
  struct Bucket {
    std::uint32_t index = 0;  // see BucketOf()
    std::uint64_t count = 0;
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  static constexpr std::uint32_t kBuckets = (64 - 6 + 1) << 6;
  static std::uint32_t BucketOf(std::uint64_t value);  // below kBuckets

  // What a spread was, kept elsewhere.
  struct Kept {
    std::uint64_t count = 0, sum = 0, min = 0, max = 0;
    double mean = 0;
    double squares = 0;
    std::vector<Bucket> buckets{};  // ascending
  };
  static Spread Of(const Kept& kept);
  // Its buckets that are not empty, ascending.
  std::vector<Bucket> Buckets() const;

  void Add(std::uint64_t value);
  void Merge(const Spread& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t min() const { return count_ > 0 ? min_ : 0; }
  std::uint64_t max() const { return max_; }
  double mean() const { return mean_; }
  // Of distances from the mean, summed.
  double squares() const { return squares_; }
  // Of the population; 0 for fewer than two values.
  double standard_deviation() const;
  // The value below which a share of `q` (0 to 1) lies; nothing without values.
  std::optional<double> Quantile(double q) const;
  std::optional<double> median() const { return Quantile(0.5); }

 private:
  // 64 buckets for each power of two.
  static constexpr int kBits = 6;
  static constexpr std::size_t kExact = 256;

  static double MiddleOf(std::uint32_t bucket);
  void Count(std::uint32_t bucket, std::uint64_t times);
  void ToBuckets();

  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  double mean_ = 0;
  double squares_ = 0;                   // of distances from the mean, summed
  std::vector<std::uint64_t> values_{};  // while there are at most kExact
  std::vector<std::uint64_t> buckets_{};
  std::uint32_t first_bucket_ = 0;  // which buckets_[0] is
};

}  // namespace rangefinder
