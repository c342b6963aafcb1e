// The ranges of a trace as far as they are known before any thread is played
// back: labels that name the same region, and the start/end ranges of all
// threads.

#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"

namespace rangefinder {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoRange = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFF;
inline constexpr std::uint64_t kNeverClosed = ~std::uint64_t{0};

// Labels that differ only in colour or category name the same region.
class Frames {
 public:
  explicit Frames(const TraceNames& names);

  // The first label that names the same region as `label`.
  std::uint32_t operator()(std::uint32_t label) const {
    return label < first_.size() ? first_[label] : label;
  }

 private:
  std::vector<std::uint32_t> first_;
};

// A start/end range of the process.
struct StartEnd {
  std::uint32_t label = 0;
  std::uint64_t id = 0;
  std::uint64_t thread = 0;
  std::uint64_t open_ns = 0;
  std::uint64_t close_ns = kNeverClosed;
  bool too_deep = false;  // has no level, and no boundaries
  // Known once its thread is played.
  std::uint32_t row = kNoRow;
  std::uint32_t instance = kNoInstance;
};

// One moment at which a start/end range opened or closed.
struct Boundary {
  std::uint64_t ns = 0;
  bool opens = false;
  std::uint32_t range = 0;
};

// The start/end ranges of all threads.
class ProcessRanges {
 public:
  ProcessRanges(const Trace& trace, const Frames& frames, Notes& notes,
                std::string_view where);

  // The range with this id, or kNoRange.
  std::uint32_t Find(std::uint64_t id) const;

  std::vector<StartEnd> ranges{};
  std::vector<Boundary> boundaries{};  // by time
  std::uint64_t too_deep = 0;          // how many ranges are

  // `open` holds the ranges that are open before boundary `next`. Moves both to
  // the moment `ns`. Returns whether any boundary was passed.
  bool Advance(std::uint64_t ns, std::size_t& next,
               std::vector<std::uint32_t>& open) const;

 private:
  void Collect(const Trace& trace, const TraceStream& stream);
  void LeaveOutTooDeep(const Frames& frames);

  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends_;  // id, ns
  // The open ranges before each 256th boundary, so that a thread that begins
  // late need not pass all boundaries before it.
  std::vector<std::vector<std::uint32_t>> checkpoints_;
};

}  // namespace rangefinder
