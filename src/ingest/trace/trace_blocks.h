// The framing of a trace file (docs/trace-format.md): header, blocks in order,
// names, and one clock.
//
// Everything is checked, since the file may be damaged: a block with a wrong
// checksum is left out with a note, a cut file is read up to the cut.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "ingest/trace/trace_names.h"
#include "ingest/trace/trace_records.h"
#include "wire/trace_format.h"

namespace rangefinder {

// Converts ticks of the CPU's counter to ns of CLOCK_REALTIME. The injection
// library writes a pair of both clocks every ten milliseconds or
// so. Between two pairs the rate is assumed constant.
class TraceClock {
 public:
  TraceClock() = default;
  explicit TraceClock(std::vector<wire::ClockPair> pairs);
  // `hint` is any number at first; it speeds up queries of neighbouring
  // moments.
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
  TraceBlocks gpu{}, samples{}, counts{};
  std::string executable{}, host{}, command{}, library{};
  bool is_damaged = false;      // a part of the file is lost
  bool gpu_is_damaged = false;  // a part that has or may have had GPU work
  std::string reason{}, gpu_reason{}, sampling_reason{}, counting_reason{};
};

bool IsTrace(std::string_view first_bytes);

// The rank of the process that wrote the trace at `path`, read from the header
// alone if the file is not compressed. Nothing: the file is no trace, or its
// rank is unknown.
std::optional<int> RankOfTrace(const std::filesystem::path& path);

// kCorrupt: the header cannot be read. kUnsupported: another version or byte
// order. The bytes must outlive the Trace.
Result<Trace> OpenTrace(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
