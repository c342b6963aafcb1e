// A thread's events, one after the other, with their time.

#pragma once

#include <cstdint>

#include "ingest/trace/trace_blocks.h"

namespace rangefinder {

struct TraceEvent {
  wire::Event kind{};
  std::uint32_t operand = 0;  // see wire::Event
  std::uint64_t extra = 0;    // the word after the first, where there is one
  std::uint64_t more = 0;     // the one after that
  std::uint64_t ticks = 0;
};

// Calls `see(event)` for every event of a block; clock pairs and what this
// version does not know are stepped over. False: the words end in the middle of
// a record.
template <typename See>
bool ForEachEvent(const TraceBlock& block, See see) {
  const TraceWords& words = block.words;
  std::uint64_t ticks = block.ticks;
  for (std::size_t at = 0; at < words.size();) {
    const std::uint64_t head = words[at];
    if (head == 0) return true;  // an open block's end
    const std::size_t extra = wire::kEventWords[head & 0xF];
    if (extra > words.size() - at - 1) return false;
    const auto kind = static_cast<wire::Event>(head & 0xF);
    ticks += head >> 32;
    if (kind == wire::Event::kClock) ticks = words[at + 1];
    see(TraceEvent{kind, static_cast<std::uint32_t>(head >> 4 & 0xFFFFFFF),
                   extra > 0 ? words[at + 1] : 0, extra > 1 ? words[at + 2] : 0,
                   ticks});
    at += 1 + extra;
  }
  return true;
}

// The pairs of clocks that a stream holds.
void AddClockPairs(const TraceStream& stream,
                   std::vector<wire::ClockPair>& pairs);

// One of the GPU's records: a kernel, a copy or a set.
struct TraceGpuRecord {
  wire::Gpu kind{};
  std::uint32_t operand = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t correlation = 0;
  std::uint32_t shape = 0;  // of a kernel
  std::uint32_t place = 0;
  std::uint64_t bytes = 0;  // of a copy or set
  std::uint64_t graph_node = 0;
};

template <typename See>
bool ForEachGpuRecord(const TraceBlock& block, See see) {
  const TraceWords& words = block.words;
  for (std::size_t at = 0; at < words.size();) {
    const std::uint64_t head = words[at];
    if (head == 0) return true;
    const std::size_t extra = head >> 4 & 0xFF;
    if (extra > words.size() - at - 1) return false;
    const auto kind = static_cast<wire::Gpu>(head & 0xF);
    if (extra >= wire::kGpuWords && kind <= wire::Gpu::kSet) {
      TraceGpuRecord record{
          .kind = kind,
          .operand = static_cast<std::uint32_t>(head >> 12 & 0xFFFFF),
          .start_ns = words[at + 1],
          .end_ns = words[at + 2],
          .correlation = static_cast<std::uint32_t>(words[at + 3]),
          .graph_node = words[at + 5]};
      const auto high = static_cast<std::uint32_t>(words[at + 3] >> 32);
      if (record.kind == wire::Gpu::kKernel) {
        record.shape = high;
        record.place = static_cast<std::uint32_t>(words[at + 4]);
      } else {
        record.place = high;
        record.bytes = words[at + 4];
      }
      see(record);
    }
    at += 1 + extra;
  }
  return true;
}

// A call that launched something, as CUPTI recorded it.
struct TraceCall {
  std::uint64_t start_ns = 0;
  std::uint64_t middle_ns = 0;
  std::uint32_t correlation = 0;
  std::uint32_t thread = 0;  // OS id
};

template <typename See>
void ForEachCall(const TraceBlock& block, See see) {
  const TraceWords& words = block.words;
  for (std::size_t at = 0; at < words.size() && words[at] != 0;) {
    const std::uint64_t head = words[at];
    const std::size_t extra = head >> 4 & 0xFF;
    if (extra > words.size() - at - 1) return;
    if (static_cast<wire::Gpu>(head & 0xF) == wire::Gpu::kCall &&
        extra >= wire::kCallWords) {
      const std::uint64_t start = words[at + 1];
      see(TraceCall{start, start + (head >> 15 & wire::kMostToMiddle),
                    static_cast<std::uint32_t>(words[at + 2]),
                    static_cast<std::uint32_t>(words[at + 2] >> 32)});
    }
    at += 1 + extra;
  }
}

}  // namespace rangefinder
