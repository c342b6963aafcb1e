// The records in the blocks of a trace file: events, names, and the GPU's work.
//
// A block's content is records of 8-byte words. The first word of a record is
// never 0 and is written last, so an open block ends at its first 0.
//
// kEvents:  [ticks since the last event : 32][operand : 28][Event : 4]
// kNames:   [words that follow : 32][id : 28][Name : 4]
// kGpu:     [0 : 32][operand : 20][words that follow : 8][Gpu : 4]

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::wire {

enum class Event : std::uint8_t {
  kPush = 1,      // operand: label
  kPop = 2,       // operand: domain
  kStart = 3,     // operand: label; + range id
  kEnd = 4,       // operand: domain; + range id
  kMark = 5,      // operand: label
  kClock = 6,     // + ticks, realtime_ns; deltas count from here
  kPayload = 7,   // operand: NVTX payload type; + bits; of the record before
  kLaunch = 8,    // operand: Call; + correlation id
  kLost = 9,      // operand: how many events were dropped here, at least
  kInherit = 10,  // operand: label; open since before fork()
  kNode = 14,     // of a graph, made here: + its id, id of its original or 0
};

// Words that follow the first; a reader steps over the kinds it does not know.
inline constexpr std::uint8_t kEventWords[16] = {0, 0, 0, 1, 1, 0, 2, 1,
                                                 1, 0, 0, 0, 1, 1, 2, 2};

enum class Call : std::uint32_t {
  kKernel = 1,
  kGraph = 2,
  kCopy = 3,
  kSet = 4,
};

inline constexpr std::uint32_t kNoDomain = 0xFFFFF;  // of a handle nobody made
inline constexpr std::size_t kMaxName = 32 * 1024;
// Strings, and labels: the uses of others share one.
inline constexpr std::uint32_t kMostNames = 1 << 19;

enum class Name : std::uint8_t {
  kString = 1,    // + length in bytes, bytes
  kLabel = 2,     // + domain | string << 32, colour | category << 32
  kDomain = 3,    // + string
  kCategory = 4,  // id: domain; + category | string << 32
  kThread = 5,    // + OS thread id, string
  kShape = 6,     // a kernel and its launch configuration, kShapeWords words
  kPlace = 7,     // + device | context << 32, stream
  kDevice = 8,    // id: device; + string, compute capability major << 8 | minor
  kStream = 9,    // + stream handle, string (a name the program gave)
  kFact = 10,     // + key string | value string << 32
  kContext = 11,  // + context handle, string
  kBus = 12,      // id: device; + PCI domain << 32 | bus << 8 | device, 0
  // id: device; + memory clock in kHz | width of its bus in bits << 32,
  // multiprocessors | their clock in kHz << 32; the most that it can
  kPeaks = 13,
};

// + string | registers << 32, grid x | y << 32, grid z | block x << 32,
//   block y | z << 32, static | dynamic shared memory << 32
inline constexpr std::uint32_t kShapeWords = 5;
enum class Gpu : std::uint8_t {
  kKernel = 1,  // + start, end, correlation | shape << 32, place, graph node
  kCopy = 2,    // operand: CUPTI's copy kind; + start, end,
                //   correlation | place << 32, bytes, graph node
  kSet = 3,     // + start, end, correlation | place << 32, bytes, graph node
  kCall = 4,    // operand: Call | ns to the middle of the call << 3;
                //   + its start, correlation | OS thread id << 32
};
inline constexpr std::uint32_t kGpuWords = 5;
inline constexpr std::uint32_t kCallWords = 2;
inline constexpr std::uint32_t kMostToMiddle = (1 << 17) - 1;

constexpr std::uint64_t EventWord(Event kind, std::uint32_t operand,
                                  std::uint64_t delta) {
  return delta << 32 | std::uint64_t{operand & 0xFFFFFFF} << 4 |
         static_cast<std::uint64_t>(kind);
}

constexpr std::uint64_t NameWord(Name kind, std::uint32_t id,
                                 std::uint64_t words) {
  return words << 32 | std::uint64_t{id & 0xFFFFFFF} << 4 |
         static_cast<std::uint64_t>(kind);
}

constexpr std::uint64_t GpuWord(Gpu kind, std::uint32_t operand,
                                std::uint64_t words) {
  return std::uint64_t{operand & 0xFFFFF} << 12 | words << 4 |
         static_cast<std::uint64_t>(kind);
}

constexpr std::uint64_t Pack(std::uint64_t low, std::uint64_t high) {
  return (low & 0xFFFFFFFF) | high << 32;
}

}  // namespace rangefinder::wire
