#include "profile/time_spans.h"

#include <algorithm>

namespace rangefinder {
namespace {

constexpr std::uint64_t kFirstStep = 1024;  // ns
constexpr std::uint64_t kLastStep = std::uint64_t{1} << 62;

}  // namespace

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
  // What was joined is longer than each of its parts, but of one step.
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

// To half of what may be, so that this is done seldom.
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

}  // namespace rangefinder
