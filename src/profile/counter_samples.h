// The GPU's counters over time: what its hardware counted in each of many short
// intervals that follow one another, whatever ran in them. Of one device, as
// one process sampled it; the whole device is counted, other processes' work
// with it.
//
// Not to be confused with Sample, the value of a metric in one measurement.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/strings.h"

namespace rangefinder {

enum class ProcessId : std::uint32_t;

// Why there are no samples of a time.
enum class SampleGapReason : std::uint8_t {
  kUnknown,
  kImageFull,  // decoding fell behind
  kOverflow,   // the GPU's own buffer overflowed, and sampling began anew
  kNoRoom,     // the trace had no room
  kNoContext,  // the program had no CUDA context: nothing is lost
  kDamaged,    // a part of the trace is missing
};

// What a report says of it: "decoding fell behind".
std::string_view SampleGapText(SampleGapReason reason);

struct SampleGap {
  std::uint64_t from_ns = 0, to_ns = 0;  // on the profile's clock
  std::uint64_t samples = 0;  // that are missing, by the interval; 0: none is
  SampleGapReason reason = SampleGapReason::kUnknown;
};

struct CounterSamples {
  ProcessId process{};            // that sampled
  std::int32_t device = -1;       // -1: it came to none, and `reason` says why
  StringId chip{};                // "GH100"; empty: unknown
  std::uint64_t interval_ns = 0;  // as asked for; 0: unknown
  std::vector<StringId> metrics{};  // the columns: "dram__bytes_read.sum"
  // Of each sample, in order of time and without overlap, on the profile's
  // clock (ns of CLOCK_REALTIME in traces).
  std::vector<std::uint64_t> start_ns{}, end_ns{};
  // Row after row: of sample i and column m at i * metrics.size() + m. NaN
  // where the hardware gave no value.
  std::vector<double> values{};
  std::vector<SampleGap> gaps{};  // in order of time
  std::uint64_t lost = 0;         // samples that are missing in the gaps
  std::uint64_t started_ns = 0;   // when sampling first began; 0: never
  std::uint64_t stopped_ns = 0;   // when it ended; 0: unknown, as after a kill
  // For how long the program was held up to begin and to end it.
  std::uint64_t held_up_ns = 0;
  // Why there are no samples, or none after stopped_ns although the program
  // went on; empty: there is nothing to say.
  std::string reason{};

  std::size_t size() const { return start_ns.size(); }
  std::span<const double> Row(std::size_t sample) const {
    return std::span(values).subspan(sample * metrics.size(), metrics.size());
  }
};

}  // namespace rangefinder
