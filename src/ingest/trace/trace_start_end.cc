#include "ingest/trace/trace_start_end.h"

#include <algorithm>

#include "profile/range_depth.h"

namespace rangefinder {
namespace {

constexpr std::size_t kBetweenCheckpoints = 256;

}  // namespace

ProcessRanges::ProcessRanges(const Trace& trace, const RegionLabels& regions,
                             Notes& notes, std::string_view where) {
  for (const TraceStream& stream : trace.threads) Collect(trace, stream);
  for (const End& end : ends_) {
    const std::uint32_t range = Find(end.id);
    if (range == kNoRange) {
      notes.Add(Severity::kInfo, "unmatched_end",
                "range ends of start/end ranges that never began", where);
      continue;
    }
    StartEnd& open = ranges[range];
    open.close_ns = std::max(end.ns, open.open_ns);
    open.closer = end.thread;
  }
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    boundaries_.push_back({ranges[i].Opening(), true, i});
    if (ranges[i].close_ns != kNeverClosed)
      boundaries_.push_back({ranges[i].close_ns, false, i});
  }
  std::ranges::stable_sort(boundaries_, {}, &Boundary::ns);
  LeaveOutTooDeep(regions);
}

std::uint32_t ProcessRanges::Find(std::uint64_t id) const {
  const auto range = by_id_.find(id);
  return range != by_id_.end() ? range->second : kNoRange;
}

bool ProcessRanges::Advance(std::uint64_t ns, std::size_t& next,
                            std::vector<std::uint32_t>& open) const {
  const auto is_due = [&](std::size_t at) {
    return at < boundaries_.size() && boundaries_[at].ns <= ns;
  };
  if (!is_due(next)) return false;
  if (is_due(next + 2 * kBetweenCheckpoints)) {
    const auto later =
        std::ranges::upper_bound(boundaries_, ns, {}, &Boundary::ns);
    const auto at = static_cast<std::size_t>(later - boundaries_.begin() - 1) /
                    kBetweenCheckpoints;
    open = checkpoints_[at];
    next = at * kBetweenCheckpoints;
  }
  for (; is_due(next); ++next) Cross(boundaries_[next], open);
  return true;
}

void ProcessRanges::Cross(const Boundary& boundary,
                          std::vector<std::uint32_t>& open) {
  if (boundary.opens)
    open.push_back(boundary.range);
  else
    std::erase(open, boundary.range);
}

void ProcessRanges::Collect(const Trace& trace, const TraceStream& stream) {
  std::size_t hint = 0;
  ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
    const bool inherited = event.kind == wire::Event::kInheritStart;
    if (event.kind == wire::Event::kStart || inherited) {
      const std::uint64_t ns = trace.clock.Ns(event.ticks, hint);
      const auto index = static_cast<std::uint32_t>(ranges.size());
      if (!by_id_.emplace(event.extra, index).second) return;
      ranges.push_back({.label = event.operand,
                        .id = event.extra,
                        .thread = stream.thread,
                        .open_ns = ns,
                        .inherited = inherited});
    } else if (event.kind == wire::Event::kEnd) {
      ends_.push_back(
          {event.extra, trace.clock.Ns(event.ticks, hint), stream.thread});
    }
  });
}

void ProcessRanges::LeaveOutTooDeep(const RegionLabels& regions) {
  std::vector<std::uint32_t> open;
  std::size_t kept = 0;
  for (const Boundary boundary : boundaries_) {
    StartEnd& range = ranges[boundary.range];
    if (boundary.opens) {
      range.too_deep = IsTooDeep(open, [&](std::uint32_t other) {
        return regions(ranges[other].label) == regions(range.label);
      });
      too_deep += range.too_deep;
    }
    if (range.too_deep) continue;
    if (kept % kBetweenCheckpoints == 0) checkpoints_.push_back(open);
    Cross(boundary, open);
    boundaries_[kept++] = boundary;
  }
  boundaries_.resize(kept);
}

}  // namespace rangefinder
