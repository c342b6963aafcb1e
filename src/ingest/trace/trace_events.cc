#include "ingest/trace/trace_events.h"

namespace rangefinder {

void AddClockPairs(const TraceStream& stream,
                   std::vector<wire::ClockPair>& pairs) {
  for (const TraceBlock& block : stream.blocks) {
    const TraceWords& words = block.words;
    for (std::size_t at = 0; at < words.size() && words[at] != 0;) {
      const std::uint64_t kind = words[at] & 0xF;
      const std::size_t extra = wire::kEventWords[kind];
      if (extra > words.size() - at - 1) break;
      if (static_cast<wire::Event>(kind) == wire::Event::kClock) {
        pairs.push_back({words[at + 1], words[at + 2]});
      }
      at += 1 + extra;
    }
  }
}

}  // namespace rangefinder
