#include "profile/region_times.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rangefinder {
namespace {

constexpr std::uint64_t kFirstStep = 1024;  // ns
constexpr std::uint64_t kLastStep = std::uint64_t{1} << 62;

}  // namespace

std::uint32_t Spread::BucketOf(std::uint64_t value) {
  constexpr std::uint64_t kLinear = std::uint64_t{1} << kBits;
  if (value < kLinear) return static_cast<std::uint32_t>(value);
  const int exponent = 63 - std::countl_zero(value);
  const std::uint64_t mantissa = value >> (exponent - kBits);  // 64 to 127
  return static_cast<std::uint32_t>(
      (static_cast<std::uint64_t>(exponent - kBits) << kBits) + mantissa);
}

Spread Spread::Of(const Kept& kept) {
  Spread spread;
  spread.count_ = kept.count;
  spread.sum_ = kept.sum;
  spread.min_ = kept.min;
  spread.max_ = kept.max;
  spread.mean_ = kept.mean;
  spread.squares_ = kept.squares;
  for (const Bucket& bucket : kept.buckets)
    spread.Count(bucket.index, bucket.count);
  return spread;
}

std::vector<Spread::Bucket> Spread::Buckets() const {
  if (buckets_.empty() && !values_.empty()) {
    Spread counted;
    for (const std::uint64_t value : values_) counted.Count(BucketOf(value), 1);
    return counted.Buckets();
  }
  std::vector<Bucket> buckets;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] > 0)
      buckets.push_back(
          {first_bucket_ + static_cast<std::uint32_t>(i), buckets_[i]});
  }
  return buckets;
}

double Spread::MiddleOf(std::uint32_t bucket) {
  constexpr std::uint32_t kLinear = 1U << kBits;
  if (bucket < 2 * kLinear) return bucket;
  const int shift = static_cast<int>(bucket >> kBits) - 1;
  const double low = std::ldexp(kLinear + (bucket & (kLinear - 1)), shift);
  return low + std::ldexp(1.0, shift) / 2;
}

void Spread::Count(std::uint32_t bucket, std::uint64_t times) {
  if (buckets_.empty()) first_bucket_ = bucket;
  if (bucket < first_bucket_) {
    buckets_.insert(buckets_.begin(), first_bucket_ - bucket, 0);
    first_bucket_ = bucket;
  }
  const std::size_t at = bucket - first_bucket_;
  if (at >= buckets_.size()) buckets_.resize(at + 1);
  buckets_[at] += times;
}

void Spread::ToBuckets() {
  for (const std::uint64_t value : values_) Count(BucketOf(value), 1);
  values_ = {};
}

void Spread::Add(std::uint64_t value) {
  ++count_;
  sum_ += value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  const double distance = static_cast<double>(value) - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (static_cast<double>(value) - mean_);
  if (buckets_.empty() && values_.size() < kExact) {
    values_.push_back(value);
    return;
  }
  if (buckets_.empty()) ToBuckets();
  Count(BucketOf(value), 1);
}

void Spread::Merge(const Spread& other) {
  if (other.count_ == 0) return;
  const auto mine = static_cast<double>(count_);
  const auto theirs = static_cast<double>(other.count_);
  const double distance = other.mean_ - mean_;
  squares_ +=
      other.squares_ + distance * distance * mine * theirs / (mine + theirs);
  mean_ += distance * theirs / (mine + theirs);
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  if (buckets_.empty() && other.buckets_.empty() &&
      values_.size() + other.values_.size() <= kExact) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    return;
  }
  ToBuckets();
  for (const std::uint64_t value : other.values_) Count(BucketOf(value), 1);
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) {
    if (other.buckets_[i] == 0) continue;
    Count(other.first_bucket_ + static_cast<std::uint32_t>(i),
          other.buckets_[i]);
  }
}

double Spread::standard_deviation() const {
  if (count_ < 2) return 0;
  return std::sqrt(squares_ / static_cast<double>(count_));
}

std::optional<double> Spread::Quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  const double place =
      std::clamp(q, 0.0, 1.0) * static_cast<double>(count_ - 1);
  if (buckets_.empty()) {
    std::vector<std::uint64_t> sorted = values_;
    std::ranges::sort(sorted);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - static_cast<double>(below);
    return static_cast<double>(sorted[below]) * (1 - part) +
           static_cast<double>(sorted[above]) * part;
  }
  const auto wanted = static_cast<std::uint64_t>(place);
  if (wanted == 0) return static_cast<double>(min_);
  if (wanted + 1 >= count_) return static_cast<double>(max_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen <= wanted) continue;
    const double middle =
        MiddleOf(first_bucket_ + static_cast<std::uint32_t>(i));
    return std::clamp(middle, static_cast<double>(min_),
                      static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

void SpanKeeper::Add(std::size_t list, const TimeSpan& span) {
  if (list >= lists_.size()) lists_.resize(list + 1);
  if (Join(lists_[list], span)) return;
  lists_[list].push_back(span);
  if (++count_ > most_ && step_ns_ < kLastStep) Coarsen();
}

std::vector<TimeSpan> SpanKeeper::Take(std::size_t list) {
  if (list >= lists_.size()) return {};
  return std::move(lists_[list]);
}

bool SpanKeeper::Join(std::vector<TimeSpan>& list, const TimeSpan& span) const {
  if (step_ns_ == 0 || list.empty()) return false;
  TimeSpan& last = list.back();
  // A joined span may be longer than a step.
  const auto is_short = [&](const TimeSpan& one) {
    return one.count > 1 || one.end_ns - one.start_ns < step_ns_;
  };
  if (!is_short(last) || !is_short(span)) return false;
  if (last.start_ns / step_ns_ != span.start_ns / step_ns_) return false;
  last.end_ns = std::max(last.end_ns, span.end_ns);
  last.busy_ns += span.busy_ns;
  last.count += span.count;
  return true;
}

// Joins spans until half of the limit is free, so that it is called rarely.
void SpanKeeper::Coarsen() {
  while (count_ > most_ / 2 && step_ns_ < kLastStep) {
    step_ns_ = step_ns_ == 0 ? kFirstStep : step_ns_ * 4;
    count_ = 0;
    for (std::vector<TimeSpan>& list : lists_) {
      std::vector<TimeSpan> joined;
      for (const TimeSpan& span : list) {
        if (!Join(joined, span)) joined.push_back(span);
      }
      count_ += joined.size();
      list = std::move(joined);
    }
  }
}

void AddCopies(std::vector<CopyUse>& list, const CopyUse& more) {
  for (CopyUse& use : list) {
    if (use.kind != more.kind || use.from != more.from || use.to != more.to)
      continue;
    use.count += more.count;
    use.ns += more.ns;
    use.bytes += more.bytes;
    return;
  }
  list.push_back(more);
}

void AddCallUse(std::vector<CallUse>& list, const CallUse& more) {
  for (CallUse& use : list) {
    if (use.function != more.function || use.part != more.part) continue;
    use.count += more.count;
    use.ns += more.ns;
    return;
  }
  list.push_back(more);
}

}  // namespace rangefinder
