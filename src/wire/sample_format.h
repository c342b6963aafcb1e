// Samples of the GPUs' counters in a trace file: the records of a block of kind
// kSamples. One stream has those of all devices.
//
// [operand : 32][words that follow : 16][set : 12][SampleRecord : 4]
//
// A set is one device with its metrics, numbered from 0. Times are ns of
// CLOCK_REALTIME. Samples of a set follow each other in time; where one does
// not begin where the last ended, a gap between them says so.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::wire {

enum class SampleRecord : std::uint8_t {
  // + device | number of metrics << 32, interval in ns, chip (a string), then
  // the metrics' names (strings), two a word.
  kSet = 1,
  kStarted = 2,  // + when sampling began, ns that the program was held up
  kSample = 3,   // operand: ns from start to end; + start, a double a metric
  kGap = 4,      // operand: SampleLoss; + from, to, samples that are missing
  // + when, ns that the program was held up, why (a string; 0: the program
  // ended). Without a kStarted before it: why there are no samples.
  kStopped = 5,
};

// Why there are no samples of a time.
enum class SampleLoss : std::uint32_t {
  kUnknown = 0,
  kImageFull = 1,  // our thread was too slow for the memory it decodes into
  kOverflow = 2,   // it was too slow for the GPU's own buffer
  kNoRoom = 3,     // the trace file had no room
  kNoContext = 4,  // the program had destroyed its contexts: nothing is lost
};

inline constexpr std::size_t kSetWords = 3;  // before the names
inline constexpr std::size_t kStartedWords = 2;
inline constexpr std::size_t kSampleWords = 1;  // before the values
inline constexpr std::size_t kGapWords = 3;
inline constexpr std::size_t kStoppedWords = 3;

inline constexpr std::uint32_t kMostSets = 1 << 12;
inline constexpr std::size_t kMostMetrics = 256;  // of a set

constexpr std::uint64_t SampleWord(SampleRecord kind, std::uint32_t set,
                                   std::uint32_t operand, std::uint64_t words) {
  return std::uint64_t{operand} << 32 | (words & 0xFFFF) << 16 |
         std::uint64_t{set & 0xFFF} << 4 | static_cast<std::uint64_t>(kind);
}

}  // namespace rangefinder::wire
