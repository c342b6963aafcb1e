// Values of GPU counters in a trace file: the records of blocks of the kinds
// kSamples and kCounts. One stream has the records of all devices.
//
// [operand : 32][words that follow : 16][set : 12][SampleRecord or CountRecord
// : 4]
//
// A set is a device (kSamples) or a context of a device (kCounts) with its
// metrics; sets are numbered from 0. Times are ns of CLOCK_REALTIME. In the
// comments, "+" lists the words that follow; `a | b << 32` is one word.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::wire {

template <typename Record>
constexpr std::uint64_t CounterWord(Record kind, std::uint32_t set,
                                    std::uint32_t operand,
                                    std::uint64_t words) {
  return std::uint64_t{operand} << 32 | (words & 0xFFFF) << 16 |
         std::uint64_t{set & 0xFFF} << 4 | static_cast<std::uint64_t>(kind);
}

// ---- samples over time: PM sampling ----------------------------------------

// The samples of a set are in order of time; if a sample does not begin at the
// end of the previous one, a gap between them has the reason.
enum class SampleRecord : std::uint8_t {
  // + device | number of metrics << 32, interval in ns, chip (a string), then
  // the metrics' names (strings), two a word.
  kSet = 1,
  kStarted = 2,  // + start of sampling, ns that the program was held up
  kSample = 3,   // operand: ns from start to end; + start, a double a metric
  kGap = 4,      // operand: SampleLoss; + from, to, number of missing samples
  // + end, ns that the program was held up, reason (a string; 0: the program
  // ended). Without a kStarted before it, the reason why there are no samples.
  kStopped = 5,
};

// The reason why samples of a time are missing.
enum class SampleLoss : std::uint32_t {
  kUnknown = 0,
  kImageFull = 1,  // the injection library decoded too slowly for its image
  kOverflow = 2,   // it emptied the GPU's own buffer too slowly
  kNoRoom = 3,     // the trace file had no room
  kNoContext = 4,  // the program had destroyed its contexts: nothing is lost
};

inline constexpr std::size_t kSetWords = 3;  // before the names
inline constexpr std::size_t kStartedWords = 2;
inline constexpr std::size_t kSampleWords = 1;  // before the values
inline constexpr std::size_t kGapWords = 3;
inline constexpr std::size_t kStoppedWords = 3;

inline constexpr std::size_t kMostMetrics = 256;  // of a set

// ---- exact counts of regions: the Range Profiler ---------------------------

// A row is a region to be measured.
enum class CountRecord : std::uint8_t {
  // + device | number of metrics << 32, passes | most ranges of a pass << 32,
  // bytes of device memory used, chip (a string), then the metrics'
  // names (strings), two a word.
  kSet = 1,
  // operand: row. + skip | every << 32, most | slot << 32, slots | flags << 32,
  // then a word for each range of its path, outermost first: the strings of its
  // domain and name, domain | name << 32. Belongs to no set.
  kRow = 2,
  kStarted = 3,  // operand: pass; + time, ns that the program was held up
  // operand: row; + pass, number of the instance, start, end, ns that the
  // program was held up, OS thread, then the measured instance around it: 1 +
  // its row (0: none), its number. Then a double per metric; NaN: the pass
  // lacks the metric.
  kCounts = 4,
  kSkipped = 5,  // operand: row; + CountSkip, instances skipped so far
  // + time, ns that the program was held up in all, reason (a string; 0: the
  // program ended).
  kStopped = 6,
};

// The reason why an instance of a row was not measured.
enum class CountSkip : std::uint32_t {
  kUnknown = 0,
  kOtherThread = 1,   // an instance of another thread was being measured
  kInside = 2,        // an instance around it was being measured
  kCapture = 3,       // a stream was being captured
  kNoContext = 4,     // the thread had no CUDA context yet
  kOtherContext = 5,  // the thread had another context than the measured one
  kCrossed = 6,       // it ended before a range that began in it
  kDropped = 7,       // CUPTI dropped it
  kNoRoom = 8,        // the trace file had no room
  kUnfinished = 9,    // the context or the program ended inside it
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

}  // namespace rangefinder::wire
