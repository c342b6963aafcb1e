#include "ingest/trace/trace_ranges.h"

#include <algorithm>
#include <map>

#include "profile/range_depth.h"

namespace rangefinder {
namespace {

constexpr std::size_t kBetweenCheckpoints = 256;

void Cross(const Boundary& boundary, std::vector<std::uint32_t>& open) {
  if (boundary.opens)
    open.push_back(boundary.range);
  else
    std::erase(open, boundary.range);
}

}  // namespace

Frames::Frames(const TraceNames& names) {
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> ids;
  for (std::uint32_t i = 0; i < names.labels.size(); ++i) {
    const TraceLabel label = names.labels[i];
    const auto key =
        std::pair(names.DomainName(label.domain), names.Text(label.string));
    first_.push_back(ids.emplace(key, i).first->second);
  }
}

ProcessRanges::ProcessRanges(const Trace& trace, const Frames& frames,
                             Notes& notes, std::string_view where) {
  for (const TraceStream& stream : trace.threads) Collect(trace, stream);
  for (const auto& [id, ns] : ends_) {
    const auto range = by_id_.find(id);
    if (range == by_id_.end()) {
      notes.Add(Severity::kInfo, "unmatched_end",
                "range ends of start/end ranges that never began", where);
      continue;
    }
    StartEnd& open = ranges[range->second];
    open.close_ns = std::max(ns, open.open_ns);
  }
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    boundaries.push_back({ranges[i].open_ns, true, i});
    if (ranges[i].close_ns != kNeverClosed)
      boundaries.push_back({ranges[i].close_ns, false, i});
  }
  std::ranges::stable_sort(boundaries, {}, &Boundary::ns);
  LeaveOutTooDeep(frames);
}

void ProcessRanges::LeaveOutTooDeep(const Frames& frames) {
  std::vector<std::uint32_t> open;
  std::size_t kept = 0;
  for (const Boundary boundary : boundaries) {
    StartEnd& range = ranges[boundary.range];
    if (boundary.opens) {
      range.too_deep = IsTooDeep(open, [&](std::uint32_t other) {
        return frames(ranges[other].label) == frames(range.label);
      });
      too_deep += range.too_deep;
    }
    if (range.too_deep) continue;
    if (kept % kBetweenCheckpoints == 0) checkpoints_.push_back(open);
    Cross(boundary, open);
    boundaries[kept++] = boundary;
  }
  boundaries.resize(kept);
}

bool ProcessRanges::Advance(std::uint64_t ns, std::size_t& next,
                            std::vector<std::uint32_t>& open) const {
  const auto is_due = [&](std::size_t at) {
    return at < boundaries.size() && boundaries[at].ns <= ns;
  };
  if (!is_due(next)) return false;
  if (is_due(next + 2 * kBetweenCheckpoints)) {
    const auto later =
        std::ranges::upper_bound(boundaries, ns, {}, &Boundary::ns);
    const auto at = static_cast<std::size_t>(later - boundaries.begin() - 1) /
                    kBetweenCheckpoints;
    open = checkpoints_[at];
    next = at * kBetweenCheckpoints;
  }
  for (; is_due(next); ++next) Cross(boundaries[next], open);
  return true;
}

std::uint32_t ProcessRanges::Find(std::uint64_t id) const {
  const auto range = by_id_.find(id);
  return range != by_id_.end() ? range->second : kNoRange;
}

void ProcessRanges::Collect(const Trace& trace, const TraceStream& stream) {
  std::size_t hint = 0;
  for (const TraceBlock& block : stream.blocks) {
    ForEachEvent(block, [&](const TraceEvent& event) {
      if (event.kind == wire::Event::kStart) {
        const std::uint64_t ns = trace.clock.Ns(event.ticks, hint);
        const auto index = static_cast<std::uint32_t>(ranges.size());
        if (!by_id_.emplace(event.extra, index).second) return;
        ranges.push_back({.label = event.operand,
                          .id = event.extra,
                          .thread = stream.thread,
                          .open_ns = ns});
      } else if (event.kind == wire::Event::kEnd) {
        ends_.emplace_back(event.extra, trace.clock.Ns(event.ticks, hint));
      }
    });
  }
}

}  // namespace rangefinder
