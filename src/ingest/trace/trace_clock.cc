#include "ingest/trace/trace_clock.h"

#include <algorithm>

namespace rangefinder {
namespace {

// Pairs nearer than this are not used: the uncertainty of each pair (some tens
// of ns) would become an error of the rate.
constexpr std::uint64_t kNearNs = 5000000;

std::uint64_t Shift(std::uint64_t ns, double by) {
  // A damaged file must not make a double that no integer can hold.
  constexpr double kFar = 4e18;
  return ns + static_cast<std::uint64_t>(
                  static_cast<std::int64_t>(std::clamp(by, -kFar, kFar)));
}

}  // namespace

TraceClock::TraceClock(std::vector<wire::ClockPair> pairs) {
  std::ranges::sort(pairs, {}, &wire::ClockPair::ticks);
  std::vector<wire::ClockPair> kept;
  for (const wire::ClockPair& pair : pairs) {
    // If CLOCK_REALTIME does not increase, it has been set back in between.
    if (kept.empty() ||
        (pair.ticks > kept.back().ticks &&
         pair.realtime_ns >= kept.back().realtime_ns + kNearNs)) {
      kept.push_back(pair);
    }
  }
  // A program of a few milliseconds has only the pairs at its start and end.
  if (kept.size() == 1 && pairs.back().ticks > kept[0].ticks &&
      pairs.back().realtime_ns > kept[0].realtime_ns) {
    kept.push_back(pairs.back());
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Segment segment{kept[i].ticks, kept[i].realtime_ns, 1};
    if (i + 1 < kept.size()) {
      segment.rate =
          static_cast<double>(kept[i + 1].realtime_ns - kept[i].realtime_ns) /
          static_cast<double>(kept[i + 1].ticks - kept[i].ticks);
    } else if (!segments_.empty()) {
      segment.rate = segments_.back().rate;
    }
    segments_.push_back(segment);
  }
}

std::uint64_t TraceClock::Ns(std::uint64_t ticks, std::size_t& hint) const {
  if (segments_.empty()) return ticks;
  const auto holds = [&](std::size_t i) {
    return (i == 0 || segments_[i].ticks <= ticks) &&
           (i + 1 == segments_.size() || ticks < segments_[i + 1].ticks);
  };
  if (hint >= segments_.size() || !holds(hint)) {
    if (hint + 1 < segments_.size() && holds(hint + 1)) {
      ++hint;
    } else {
      const auto above =
          std::ranges::upper_bound(segments_, ticks, {}, &Segment::ticks);
      hint = above == segments_.begin()
                 ? 0
                 : static_cast<std::size_t>(above - segments_.begin()) - 1;
    }
  }
  const Segment& segment = segments_[hint];
  const auto distance = static_cast<std::int64_t>(ticks - segment.ticks);
  return Shift(segment.ns, static_cast<double>(distance) * segment.rate);
}

}  // namespace rangefinder
