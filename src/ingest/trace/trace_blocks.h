// The framing of a trace file (docs/trace-format.md): header, blocks in order,
// names, and one clock.
//
// Everything is checked, since the file may be damaged: a block with a wrong
// checksum is left out with a note, a cut file is read up to the cut.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "ingest/trace/trace_clock.h"
#include "ingest/trace/trace_names.h"
#include "ingest/trace/trace_records.h"
#include "wire/trace_format.h"

namespace rangefinder {

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

// The rank of the process that wrote the trace at `path`, read from the header
// alone. Nothing: the file is no trace, or its rank is unknown.
std::optional<int> RankOfTrace(const std::filesystem::path& path);

// kCorrupt: the header cannot be read. kUnsupported: another version or byte
// order. The bytes must outlive the Trace.
Result<Trace> OpenTrace(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
