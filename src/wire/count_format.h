// Counts of regions in a trace file: the records of a block of kind kCounts,
// exact ones of the Range Profiler. One stream has them all.
//
// [operand : 32][words that follow : 16][set : 12][CountRecord : 4]
//
// A set is a context of one device with its metrics, numbered from 0. A row is
// a region that was to be measured. Times are ns of CLOCK_REALTIME.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::wire {

enum class CountRecord : std::uint8_t {
  // + device | number of metrics << 32, passes | most ranges of a pass << 32,
  // bytes of device memory that it took, chip (a string), then the metrics'
  // names (strings), two a word.
  kSet = 1,
  // operand: row. + skip | every << 32, most | slot << 32, slots | flags << 32,
  // then a word for each range of its path, outermost first: the strings of
  // its domain and name, domain | name << 32. Of no set.
  kRow = 2,
  kStarted = 3,  // operand: pass; + when, ns that the program was held up
  // operand: row; + pass | instances << 32, number of the first instance,
  // start, end, ns that the program was held up, OS thread, then the instance
  // that was measured around it: 1 + its row (0: none), its number. Then a
  // double a metric: of all its instances together, NaN where the pass does
  // not have it.
  kCounts = 4,
  kSkipped = 5,  // operand: row; + CountSkip, how many instances so far
  // + when, ns that the program was held up in all, why (a string; 0: the
  // program ended).
  kStopped = 6,
};

// Why an instance that was to be measured was not.
enum class CountSkip : std::uint32_t {
  kUnknown = 0,
  kOtherThread = 1,   // a range of another thread was being measured
  kInside = 2,        // one around it was, in the same thread
  kCapture = 3,       // a stream was being captured
  kNoContext = 4,     // the thread had no CUDA context yet
  kOtherContext = 5,  // or another one than that which is measured
  kCrossed = 6,       // it ended before a range that began in it
  kDropped = 7,       // CUPTI dropped it
  kNoRoom = 8,        // the trace file had no room
  kUnfinished = 9,    // the context or the program ended in it
};
inline constexpr std::size_t kCountSkips = 10;

inline constexpr std::uint32_t kRowIsSplit = 1;  // a flag of kRow

inline constexpr std::size_t kCountSetWords = 4;  // before the names
inline constexpr std::size_t kCountRowWords = 3;  // before the path
inline constexpr std::size_t kCountStartWords = 2;
inline constexpr std::size_t kCountWords = 8;  // before the values
inline constexpr std::size_t kCountSkipWords = 2;
inline constexpr std::size_t kCountStopWords = 3;

inline constexpr std::size_t kMostCountRows = 4096;
inline constexpr std::size_t kDeepestCount = 256;  // ranges of a path

constexpr std::uint64_t CountWord(CountRecord kind, std::uint32_t set,
                                  std::uint32_t operand, std::uint64_t words) {
  return std::uint64_t{operand} << 32 | (words & 0xFFFF) << 16 |
         std::uint64_t{set & 0xFFF} << 4 | static_cast<std::uint64_t>(kind);
}

}  // namespace rangefinder::wire
