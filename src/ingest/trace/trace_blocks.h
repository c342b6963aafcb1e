// The framing of a trace file (docs/trace-format.md): header, blocks in order,
// names, and one clock. What the words of the events mean is trace_events.h's
// and trace_regions.h's business.
//
// Everything here comes from a file and is checked: a block whose checksum is
// wrong is left out with a note, a cut file is read up to the cut.

#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "wire/trace_format.h"

namespace rangefinder {

// Words of a file, which need not lie at multiples of eight.
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
  std::uint64_t ticks = 0;  // that the first delta counts from
  TraceWords words{};
};

// The blocks of one thread's log, of the GPU's records, or of samples, in
// order.
struct TraceStream {
  std::uint32_t id = 0;
  std::uint64_t thread = 0;
  std::vector<TraceBlock> blocks{};
};

struct TraceLabel {
  std::uint32_t domain = 0;
  std::uint32_t string = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
};

struct TraceShape {
  std::uint32_t name = 0;  // a string, mangled
  std::uint32_t registers = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
};

struct TracePlace {
  std::uint32_t device = 0, context = 0;
  std::uint64_t stream = 0;
};

// The most that a device can do: 0 where the driver did not say.
struct TracePeaks {
  std::uint32_t memory_khz = 0, memory_bus_bits = 0;
  std::uint32_t multiprocessors = 0, clock_khz = 0;
};

struct TraceNames {
  std::vector<std::string_view> strings{};
  std::vector<TraceLabel> labels{};
  std::vector<std::uint32_t> domains{};  // the string of each
  std::vector<TraceShape> shapes{};
  std::vector<TracePlace> places{};
  std::unordered_map<std::uint64_t, std::uint32_t> threads{};  // their names
  std::unordered_map<std::uint64_t, std::uint32_t> streams{};  // by handle
  std::unordered_map<std::uint32_t, std::uint32_t> devices{};  // by ordinal
  std::map<std::uint32_t, std::uint64_t> buses{};              // likewise
  std::unordered_map<std::uint32_t, TracePeaks> peaks{};       // likewise
  std::vector<std::pair<std::uint32_t, std::uint32_t>> facts{};

  std::string_view Text(std::uint32_t string) const;
  TraceLabel Label(std::uint32_t label) const;
  std::string_view DomainName(std::uint32_t domain) const;
};

// Ticks to ns of CLOCK_REALTIME, by interpolation between known pairs.
class TraceClock {
 public:
  TraceClock() = default;
  explicit TraceClock(std::vector<wire::ClockPair> pairs);
  // `hint` is any number at first, and speeds up neighbouring questions.
  std::uint64_t Ns(std::uint64_t ticks, std::size_t& hint) const;

 private:
  struct Segment {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
    double rate = 1;
  };
  std::vector<Segment> segments_;
};

struct Trace {
  wire::FixedHeader header{};
  wire::LiveHeader live{};
  TraceNames names{};
  TraceClock clock{};
  std::vector<TraceStream> threads{};
  std::vector<TraceStream> gpu{};
  std::vector<TraceStream> samples{};
  std::vector<TraceStream> counts{};
  std::string executable{}, host{}, command{}, library{};
  std::string reason{}, gpu_reason{}, sampling_reason{}, counting_reason{};
};

bool IsTrace(std::string_view first_bytes);

// The rank of the process that the file at `path` is of, by its header alone;
// nothing where it is no trace, or the rank is not known.
std::optional<int> RankOfTrace(const std::filesystem::path& path);

// kCorrupt where not even the header can be read, kUnsupported for another
// version or byte order. The bytes must outlive the Trace.
Result<Trace> OpenTrace(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
