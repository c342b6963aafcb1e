#include "profile/wall_time.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rangefinder {
namespace {

constexpr std::size_t At(WallPart part) {
  return static_cast<std::size_t>(part);
}

}  // namespace

std::string_view NameOf(WallPart part) {
  constexpr std::array<std::string_view, kWallParts> kNames = {
      "kernels",        "rank_wait",   "copies",     "other_gpu_work",
      "page_migration", "loading",     "allocating", "synchronising",
      "launching",      "other_calls", "host",       "unknown"};
  return kNames[At(part)];
}

std::uint64_t WallTime::total() const {
  return std::accumulate(ns.begin(), ns.end(), std::uint64_t{0});
}

WallTime& WallTime::operator+=(const WallTime& more) {
  for (std::size_t part = 0; part < kWallParts; ++part)
    ns[part] += more.ns[part];
  return *this;
}

CoveredTime::CoveredTime(std::vector<WallInterval> intervals) {
  std::ranges::sort(intervals, {}, &WallInterval::start_ns);
  for (const WallInterval& one : intervals) {
    if (one.end_ns <= one.start_ns) continue;
    if (!parts_.empty() && one.start_ns <= parts_.back().end_ns)
      parts_.back().end_ns = std::max(parts_.back().end_ns, one.end_ns);
    else
      parts_.push_back(one);
  }
  before_.reserve(parts_.size());
  std::uint64_t sum = 0;
  for (const WallInterval& part : parts_) {
    before_.push_back(sum);
    sum += part.end_ns - part.start_ns;
  }
}

CoveredTime CoveredTime::With(const std::vector<WallInterval>& more) const {
  std::vector<WallInterval> all = parts_;
  all.insert(all.end(), more.begin(), more.end());
  return CoveredTime(std::move(all));
}

std::uint64_t CoveredTime::Between(std::uint64_t start_ns,
                                   std::uint64_t end_ns) const {
  return end_ns > start_ns ? Until(end_ns) - Until(start_ns) : 0;
}

std::uint64_t CoveredTime::Until(std::uint64_t ns) const {
  const auto after =
      std::ranges::upper_bound(parts_, ns, {}, &WallInterval::start_ns);
  if (after == parts_.begin()) return 0;
  const auto at = static_cast<std::size_t>(after - parts_.begin()) - 1;
  return before_[at] + std::min(ns, parts_[at].end_ns) - parts_[at].start_ns;
}

void OwnGpuWork::Add(WallPart part, std::uint64_t start_ns,
                     std::uint64_t end_ns) {
  start_ns = std::max(start_ns, open_ns_);
  end_ns = std::min(end_ns, close_ns_);
  for (std::size_t i = At(part); i < covered_ns_.size(); ++i) {
    const std::uint64_t from = std::max(start_ns, until_ns_[i]);
    if (end_ns <= from) continue;
    covered_ns_[i] += end_ns - from;
    until_ns_[i] = end_ns;
  }
}

ProcessWallTimes::ProcessWallTimes(
    std::vector<WallInterval> gpu_work,
    const std::vector<WallInterval>& migrations,
    const std::map<std::uint64_t, std::vector<WallCall>>* calls)
    : calls_known_(calls != nullptr),
      busy_(std::move(gpu_work)),
      busy_or_migrating_(busy_.With(migrations)) {
  if (!calls_known_) return;
  for (const auto& [thread, list] : *calls) {
    UpToPart& up_to = threads_[thread];
    up_to[0] = busy_or_migrating_;
    for (std::size_t i = 1; i < up_to.size(); ++i) {
      std::vector<WallInterval> of_part;
      for (const WallCall& call : list)
        if (At(call.part) == At(WallPart::kPageMigration) + i)
          of_part.push_back({call.start_ns, call.end_ns});
      up_to[i] = up_to[i - 1].With(of_part);
    }
  }
}

WallTime ProcessWallTimes::Of(std::uint64_t thread,
                              const OwnGpuWork& own) const {
  WallTime time;
  const std::uint64_t open = own.open_ns_, close = own.close_ns_;
  if (close <= open) return time;
  std::uint64_t before = 0;  // of the parts so far
  const auto add = [&](std::size_t part, std::uint64_t up_to_it) {
    time.ns[part] = up_to_it - before;
    before = up_to_it;
  };
  for (std::size_t i = 0; i < own.covered_ns_.size(); ++i)
    add(i, own.covered_ns_[i]);
  add(At(WallPart::kOtherGpuWork), busy_.Between(open, close));
  add(At(WallPart::kPageMigration), busy_or_migrating_.Between(open, close));
  const auto calls = threads_.find(thread);
  if (calls != threads_.end())
    for (std::size_t i = 1; i < calls->second.size(); ++i)
      add(At(WallPart::kPageMigration) + i,
          calls->second[i].Between(open, close));
  add(At(calls_known_ ? WallPart::kHost : WallPart::kUnknown), close - open);
  return time;
}

}  // namespace rangefinder
