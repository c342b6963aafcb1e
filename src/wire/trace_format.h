// The bytes of a trace file: what the injection library writes while a program
// runs, and ingest/trace/trace_blocks.h reads. The meaning of every field and
// the rules of reading are docs/trace-format.md; the version is raised when a
// reader of the old one would be wrong about the new one.
//
//   header page | block | block | ...
//
// A block belongs to one stream (a thread's events, the names, the GPU's work),
// is written in place, and is sealed with a checksum when it is full. All
// numbers are in the byte order of the machine, which kByteOrder shows. What is
// in blocks is in record_format.h, sample_format.h and count_format.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/record_format.h"

namespace rangefinder::wire {

inline constexpr char kTraceMagic[8] = {'R', 'F', 'T', 'R',
                                        'A', 'C', 'E', 0x1A};
inline constexpr std::uint32_t kTraceVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::size_t kPageSize = 4096;  // all offsets are multiples
inline constexpr char kTraceSuffix[] = ".rftrace";

// ---- The header page -------------------------------------------------------

enum class Clock : std::uint32_t {
  kRealtime = 0,  // ticks are ns of CLOCK_REALTIME
  kCounter = 1,   // ticks of the CPU's time stamp counter
};

// The same moment on both clocks.
struct ClockPair {
  std::uint64_t ticks;
  std::uint64_t realtime_ns;
};

enum class RunState : std::uint32_t { kRunning = 0, kEnded = 1, kOff = 2 };

enum class GpuState : std::uint32_t {
  kNotAsked = 0,  // mode `regions`
  kWaiting = 1,   // the program has not initialised CUDA
  kTracing = 2,
  kFailed = 3,  // LiveHeader::gpu_reason says why
};

enum class SamplingState : std::uint32_t {
  kNotAsked = 0,  // not mode `sample`, a forked child, or an older library
  kWaiting = 1,   // the program has made no CUDA context
  kSampling = 2,  // on one device at least
  kFailed = 3,    // LiveHeader::sampling_reason says why
  kStopped = 4,   // began, and ended before the program: the same says why
};

enum class CountingState : std::uint32_t {
  kNotAsked = 0,  // not mode `count`, a forked child, or an older library
  kWaiting = 1,   // nothing was to be measured yet
  kCounting = 2,
  kFailed = 3,   // LiveHeader::counting_reason says why
  kStopped = 4,  // began, and ended before the program: the same says why
};

// Written once, before the file has its name.
struct FixedHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint32_t header_size;  // where the first block begins
  Clock clock;
  std::uint64_t pid;
  std::uint64_t parent_pid;
  std::uint64_t forked_from;  // pid of the traced process it forked from, or 0
  ClockPair first;            // when the library was loaded
  ClockPair second;           // a moment later: the rate, until there is better
  std::int32_t rank;          // of an MPI-like job; -1: unknown
  // Of several runs that were made for their samples: 0 the one whose times
  // count, 1 the next.
  std::uint32_t run;
  char executable[512];  // texts are cut to fit and end with a zero
  char host[128];
  char command[1024];      // the arguments, a space between them
  char library[64];        // version of the library that wrote it
  std::uint64_t checksum;  // of everything above
};

// Written as the program runs; has no checksum.
struct LiveHeader {
  RunState state;
  GpuState gpu;
  ClockPair last;                 // at the end of the program
  std::uint64_t dropped_events;   // no room or no memory for them
  std::uint64_t dropped_records;  // CUPTI's count
  std::uint64_t cut_names;        // names longer than kMaxName
  std::uint64_t reentrant;        // NVTX calls made inside one of ours
  char reason[256];             // why events were dropped or the library is off
  char gpu_reason[256];         // why there is no GPU activity
  std::uint32_t cupti_version;  // as cuptiGetVersion tells; 0: none
  SamplingState sampling;
  std::uint64_t samples;       // of all devices, written
  std::uint64_t lost_samples;  // by what the gaps say
  char sampling_reason[256];   // why there are none, or no more
  std::uint64_t counted;       // instances that were measured, and are written
  CountingState counting;
  std::uint32_t reserved;
  char counting_reason[256];   // why nothing is counted, or nothing more
  std::uint64_t shared_names;  // uses of names, shapes, places that share one
  std::uint64_t lost_domains;  // so many that they have no number
  std::uint64_t lost_notes;    // names of threads, streams, categories
};

inline constexpr std::size_t kLiveHeaderOffset = 2048;
static_assert(sizeof(FixedHeader) <= kLiveHeaderOffset);
static_assert(kLiveHeaderOffset + sizeof(LiveHeader) <= kPageSize);

// ---- Blocks ----------------------------------------------------------------

inline constexpr std::uint32_t kBlockMagic = 0x31424652;  // "RFB1"
inline constexpr std::size_t kMaxBlock = std::size_t{1} << 24;

// Readers step over kinds that they do not know, and say so.
enum class BlockKind : std::uint8_t {
  kEvents = 1,
  kNames = 2,
  kGpu = 3,
  kSamples = 4,
  kCounts = 5,
};
enum class BlockState : std::uint8_t { kOpen = 0, kSealed = 1 };

struct BlockHeader {
  std::uint32_t magic;
  BlockKind kind;
  BlockState state;
  std::uint16_t reserved;
  std::uint32_t stream;    // unique in the file
  std::uint32_t sequence;  // of the block in its stream, from 0
  std::uint64_t thread;    // OS id; of kEvents
  ClockPair opened;        // the first event's delta counts from these ticks
  std::uint32_t size;      // of the block, this header included
  std::uint32_t words;     // that are used; written when it is sealed
  std::uint64_t identity;  // checksum of the fields that do not change
  std::uint64_t checksum;  // of the used words; written when it is sealed
};
static_assert(sizeof(BlockHeader) == 64);

}  // namespace rangefinder::wire
