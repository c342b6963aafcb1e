// The start/end ranges of a traced process, which belong to all its threads.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "ingest/trace/trace_names.h"

namespace rangefinder {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoRange = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFF;
inline constexpr std::uint64_t kNeverClosed = ~std::uint64_t{0};

struct StartEnd {
  std::uint32_t label = 0;
  std::uint64_t id = 0;
  std::uint64_t thread = 0;
  std::uint64_t open_ns = 0;
  std::uint64_t close_ns = kNeverClosed;
  std::uint64_t closer = 0;  // the thread that closed it
  bool inherited = false;    // open since before the trace: no instance
  bool too_deep = false;     // has no level, and no boundaries
  bool left_out = false;     // by ReadSelection
  // Known once its thread is replayed.
  std::uint32_t row = kNoRow;
  std::uint32_t instance = kNoInstance;

  // The time of opening, for the order of paths. Inherited ranges have no
  // times: they come before all others, first push/pop ranges, then start/end
  // ranges.
  std::uint64_t Opening() const { return inherited ? 1 : open_ns; }
};

// The start/end ranges of all threads.
class ProcessRanges {
 public:
  ProcessRanges(const Trace& trace, const RegionLabels& regions, Notes& notes,
                std::string_view where);

  // The range with this id, or kNoRange.
  std::uint32_t Find(std::uint64_t id) const;

  // `open`: the ranges that are open before boundary `next`. Moves both to the
  // moment `ns`. Returns whether a boundary was passed.
  bool Advance(std::uint64_t ns, std::size_t& next,
               std::vector<std::uint32_t>& open) const;

  std::vector<StartEnd> ranges{};
  std::uint64_t too_deep = 0;  // number of ranges without a level

 private:
  struct End {
    std::uint64_t id = 0;
    std::uint64_t ns = 0;
    std::uint64_t thread = 0;
  };

  // One moment at which a range opened or closed.
  struct Boundary {
    std::uint64_t ns = 0;
    bool opens = false;
    std::uint32_t range = 0;
  };

  static void Cross(const Boundary& boundary, std::vector<std::uint32_t>& open);
  void Collect(const Trace& trace, const TraceStream& stream);
  void LeaveOutTooDeep(const RegionLabels& regions);

  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::vector<End> ends_;
  std::vector<Boundary> boundaries_;  // by time
  // The open ranges before each 256th boundary, so that a thread that begins
  // late need not pass all boundaries before it.
  std::vector<std::vector<std::uint32_t>> checkpoints_;
};

}  // namespace rangefinder
