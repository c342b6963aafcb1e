// The bytes of a trace file, which the injection library writes while a program
// runs and `ingest` reads. docs/trace-format.md has the meaning of every field
// and the rules of reading. The version is raised when a reader of the old
// format would misread the new one.
//
//   header page | block | block | ...
//
// A block belongs to one stream (a thread's events, the names, the GPU's work).
// It is written in place and sealed with a checksum when it is full. All
// numbers are in the byte order of the machine, which kByteOrder shows.

#pragma once

#include <cstddef>
#include <cstdint>

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

// One moment on both clocks.
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
  kStopped = 4,   // ended before the program; sampling_reason says why
};

enum class CountingState : std::uint32_t {
  kNotAsked = 0,  // not mode `count`, a forked child, or an older library
  kWaiting = 1,   // no region to measure has opened yet
  kCounting = 2,
  kFailed = 3,   // LiveHeader::counting_reason says why
  kStopped = 4,  // ended before the program; counting_reason says why
};

// Written once, before the file has its name.
struct FixedHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint32_t header_size;  // offset of the first block
  Clock clock;
  std::uint64_t pid;
  std::uint64_t parent_pid;
  std::uint64_t forked_from;  // pid of the traced process it forked from, or 0
  ClockPair first;            // when the library was loaded
  ClockPair second;           // a moment later, for the rate of the ticks
  std::int32_t rank;          // of an MPI-like job; -1: unknown
  // The number of the run, if a program is run several times for more samples:
  // the times of run 0 count, then 1, 2 ...
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
  std::uint64_t dropped_events;   // for lack of room or memory
  std::uint64_t dropped_records;  // CUPTI's count
  std::uint64_t cut_names;        // names longer than kMaxName
  std::uint64_t reentrant;        // NVTX calls from inside the library
  char reason[256];             // why events were dropped or the library is off
  char gpu_reason[256];         // why there is no GPU activity
  std::uint32_t cupti_version;  // from cuptiGetVersion(); 0: none
  SamplingState sampling;
  std::uint64_t samples;       // written, of all devices
  std::uint64_t lost_samples;  // as in the gaps
  char sampling_reason[256];   // why there are no samples, or no more
  std::uint64_t counted;       // instances measured and written
  CountingState counting;
  std::uint32_t unread;        // instances measured, but not written yet
  char counting_reason[256];   // why there are no counts, or no more
  std::uint64_t shared_names;  // uses of shared ids, because of too many names
  std::uint64_t lost_domains;  // domains beyond the largest number
  std::uint64_t lost_notes;    // names of threads, streams, categories
};

inline constexpr std::size_t kLiveHeaderOffset = 2048;
static_assert(sizeof(FixedHeader) <= kLiveHeaderOffset);
static_assert(kLiveHeaderOffset + sizeof(LiveHeader) <= kPageSize);

// ---- Blocks ----------------------------------------------------------------

inline constexpr std::uint32_t kBlockMagic = 0x31424652;  // "RFB1"
inline constexpr std::size_t kMaxBlock = std::size_t{1} << 24;

// Readers skip blocks of unknown kinds, with a note.
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
  std::uint32_t words;     // used; written when the block is sealed
  std::uint64_t identity;  // checksum of the fields that do not change
  std::uint64_t checksum;  // of the used words; written with `words`
};
static_assert(sizeof(BlockHeader) == 64);

// ---- Records ---------------------------------------------------------------

// The content of a block is records of 8-byte words. The first word of a record
// is never 0 and is written last, so an open block ends at its first 0.
//
// kEvents:  [ticks since the last event : 32][operand : 28][Event : 4]
// kNames:   [words that follow : 32][id : 28][Name : 4]
// kGpu:     [0 : 32][operand : 20][words that follow : 8][Gpu : 4]
// kSamples and kCounts: counter_format.h

enum class Event : std::uint8_t {
  kPush = 1,       // operand: label
  kPop = 2,        // operand: domain
  kStart = 3,      // operand: label; + range id
  kEnd = 4,        // operand: domain; + range id
  kMark = 5,       // operand: label
  kClock = 6,      // + ticks, realtime_ns; deltas count from here
  kPayload = 7,    // operand: NVTX payload type; + bits; of the event before
  kLaunch = 8,     // operand: Call; + correlation id
  kLost = 9,       // operand: events dropped here, at least
  kInherit = 10,   // operand: label; open since before fork()
  kLaunched = 11,  // the call of the thread's last kLaunch returned
  kInheritStart = 12,  // operand: label; + range id; open since before a window
  kCpuTime = 13,       // + ns that the thread has run so far, on any CPU
  // A graph node was made: + its id, id of its original or 0. Operand 1: before
  // the window, in the inherited ranges alone.
  kNode = 14,
  // + NCCL's hash of a communicator, bytes of the message; belongs to the range
  // that was opened before.
  kMessage = 15,
};

// Words that follow the first, by Event; a reader skips unknown events.
inline constexpr std::uint8_t kEventWords[16] = {0, 0, 0, 1, 1, 0, 2, 1,
                                                 1, 0, 0, 0, 1, 1, 2, 2};

enum class Call : std::uint32_t {
  kKernel = 1,
  kGraph = 2,
  kCopy = 3,
  kSet = 4,
};

inline constexpr std::uint32_t kNoDomain = 0xFFFFF;  // of an unknown handle
inline constexpr std::size_t kMaxName = 32 * 1024;
// Most strings and most labels; uses beyond share one id.
inline constexpr std::uint32_t kMostNames = 1 << 19;

// Longer paths of sources are not recorded.
inline constexpr std::size_t kMaxSourcePath = 4096;

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
  // multiprocessors | their clock in kHz << 32; the maxima of the device
  kPeaks = 13,
  // id: line of the source where a kernel begins; + kernel string (mangled) |
  // file string << 32
  kSource = 14,
};

// + string | registers << 32, grid x | y << 32, grid z | block x << 32,
//   block y | z << 32, static | dynamic shared memory << 32
inline constexpr std::uint32_t kShapeWords = 5;
enum class Gpu : std::uint8_t {
  kKernel = 1,  // + start, end, correlation | shape << 32, place, graph node
  kCopy = 2,    // operand: CUPTI's copy kind | memory read << 8 |
                //   memory written << 12 (CUpti_ActivityMemoryKind);
                //   + start, end, correlation | place << 32, bytes, graph node
  kSet = 3,     // + start, end, correlation | place << 32, bytes, graph node
  kTimed = 5,   // a call that is no launch; operand: TimedCall;
                //   + start, end, OS thread id | string of its name << 32
  kMigration = 6,  // pages of unified memory moved, or faults of a GPU;
                   //   operand: CUPTI's kind of counter; + start, end, bytes
                   //   or number of faults, device | 0
  kOwnWork = 7,    // the library worked inside a call that initialises CUDA or
                   //   makes a context; + start, end, OS thread id
};
inline constexpr std::uint32_t kGpuWords = 5;
inline constexpr std::uint32_t kTimedWords = 3;
inline constexpr std::uint32_t kMigrationWords = 4;
inline constexpr std::uint32_t kOwnWorkWords = 3;

enum class TimedCall : std::uint32_t {
  kLoad = 1,         // loads or compiles code
  kAllocate = 2,     // allocates or frees memory, or registers it
  kSynchronise = 3,  // waits for the GPU; or a synchronous copy
  kLaunch = 4,       // a launch or an asynchronous copy
  kOther = 5,
};

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
