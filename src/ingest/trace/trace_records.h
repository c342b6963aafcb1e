// The records in the blocks of a trace (wire/trace_format.h,
// wire/counter_format.h): how a block's words divide into records, and a
// record's words into fields.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "wire/trace_format.h"

namespace rangefinder {

// The words of a block. They need not be aligned.
class TraceWords {
 public:
  TraceWords() = default;
  TraceWords(const char* at, std::size_t count) : at_(at), count_(count) {}

  std::size_t size() const { return count_; }
  std::uint64_t operator[](std::size_t index) const {
    std::uint64_t word;
    std::memcpy(&word, at_ + index * 8, 8);
    return word;
  }
  const char* bytes(std::size_t index) const { return at_ + index * 8; }

 private:
  const char* at_ = nullptr;
  std::size_t count_ = 0;
};

struct TraceBlock {
  std::uint32_t sequence = 0;
  std::uint64_t ticks = 0;  // the first event's delta counts from here
  TraceWords words{};
};

using TraceBlocks = std::vector<TraceBlock>;

// The events of one thread.
struct TraceStream {
  std::uint64_t thread = 0;
  TraceBlocks blocks{};  // in order
};

// The two halves of a word.
constexpr std::uint32_t Low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}
constexpr std::uint32_t High(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

// A record: its first word, and the words that follow.
struct WireRecord {
  std::uint64_t head;
  const TraceBlock& block;
  std::size_t at, count;  // of the words that follow

  std::uint64_t operator[](std::size_t i) const { return block.words[at + i]; }
};

// Calls `see(record)` for every record of the blocks. `words_after(head)` is
// the number of words that follow a record's first word. Returns the number of
// blocks that end within a record.
template <typename WordsAfter, typename See>
std::uint64_t ForEachRecord(const TraceBlocks& blocks, WordsAfter words_after,
                            See see) {
  std::uint64_t cut = 0;
  for (const TraceBlock& block : blocks) {
    const TraceWords& words = block.words;
    // An open block ends at its first word that is 0.
    for (std::size_t at = 0; at < words.size() && words[at] != 0;) {
      const std::uint64_t head = words[at];
      const std::size_t count = words_after(head);
      if (count > words.size() - at - 1) {
        ++cut;
        break;
      }
      see(WireRecord{head, block, at + 1, count});
      at += 1 + count;
    }
  }
  return cut;
}

// ---- Events ----------------------------------------------------------------

struct TraceEvent {
  wire::Event kind{};
  std::uint32_t operand = 0;  // see wire::Event
  std::uint64_t extra = 0;    // the word after the first, if there is one
  std::uint64_t more = 0;     // the word after `extra`, if there is one
  std::uint64_t ticks = 0;
};

// Returns the number of blocks that end within an event.
template <typename See>
std::uint64_t ForEachEvent(const TraceBlocks& blocks, See see) {
  std::uint64_t ticks = 0;
  return ForEachRecord(
      blocks, [](std::uint64_t head) { return wire::kEventWords[head & 0xF]; },
      [&](const WireRecord& r) {
        const auto kind = static_cast<wire::Event>(r.head & 0xF);
        if (r.at == 1) ticks = r.block.ticks;  // the first event of its block
        ticks += High(r.head);
        if (kind == wire::Event::kClock) ticks = r[0];
        see(TraceEvent{kind,
                       static_cast<std::uint32_t>(r.head >> 4 & 0xFFFFFFF),
                       r.count > 0 ? r[0] : 0, r.count > 1 ? r[1] : 0, ticks});
      });
}

// ---- Records of the GPU's work ---------------------------------------------

constexpr std::size_t GpuRecordWords(std::uint64_t head) {
  return head >> 4 & 0xFF;
}

// A kernel, a copy or a memory set.
struct TraceGpuRecord {
  wire::Gpu kind{};
  std::uint32_t operand = 0;  // see wire::Gpu
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t correlation = 0;
  std::uint32_t shape = 0;  // of a kernel
  std::uint32_t place = 0;
  std::uint64_t bytes = 0;  // of a copy or set
  std::uint64_t graph_node = 0;
};

// Returns the number of blocks that end within a record.
template <typename See>
std::uint64_t ForEachGpuRecord(const TraceBlocks& blocks, See see) {
  return ForEachRecord(blocks, GpuRecordWords, [&](const WireRecord& r) {
    const auto kind = static_cast<wire::Gpu>(r.head & 0xF);
    if (r.count < wire::kGpuWords || kind < wire::Gpu::kKernel ||
        kind > wire::Gpu::kSet)
      return;
    TraceGpuRecord record{
        .kind = kind,
        .operand = static_cast<std::uint32_t>(r.head >> 12 & 0xFFFFF),
        .start_ns = r[0],
        .end_ns = r[1],
        .correlation = Low(r[2]),
        .graph_node = r[4]};
    if (kind == wire::Gpu::kKernel) {
      record.shape = High(r[2]);
      record.place = Low(r[3]);
    } else {
      record.place = High(r[2]);
      record.bytes = r[3];
    }
    see(record);
  });
}

// A call that launches nothing, with its duration.
struct TraceTimedCall {
  wire::TimedCall kind{};
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t thread = 0;  // OS id
  std::uint32_t name = 0;    // a string of TraceNames
};

template <typename See>
void ForEachTimedCall(const TraceBlocks& blocks, See see) {
  ForEachRecord(blocks, GpuRecordWords, [&](const WireRecord& r) {
    if (static_cast<wire::Gpu>(r.head & 0xF) != wire::Gpu::kTimed ||
        r.count < wire::kTimedWords)
      return;
    see(TraceTimedCall{static_cast<wire::TimedCall>(r.head >> 12 & 0xFFFFF),
                       r[0], r[1], Low(r[2]), High(r[2])});
  });
}

// Calls `see(start_ns, end_ns)` for every migration of pages.
template <typename See>
void ForEachMigration(const TraceBlocks& blocks, See see) {
  ForEachRecord(blocks, GpuRecordWords, [&](const WireRecord& r) {
    if (static_cast<wire::Gpu>(r.head & 0xF) == wire::Gpu::kMigration &&
        r.count >= wire::kMigrationWords)
      see(r[0], r[1]);
  });
}

// Calls `see(start_ns, end_ns, OS thread)` for the library's own work in calls.
template <typename See>
void ForEachOwnWork(const TraceBlocks& blocks, See see) {
  ForEachRecord(blocks, GpuRecordWords, [&](const WireRecord& r) {
    if (static_cast<wire::Gpu>(r.head & 0xF) == wire::Gpu::kOwnWork &&
        r.count >= wire::kOwnWorkWords && r[0] <= r[1])
      see(r[0], r[1], r[2]);
  });
}

}  // namespace rangefinder
