// Counter samples: the values of the GPU's counters in consecutive short
// intervals. They include the work of all processes on the device.
//
// A Sample, in contrast, is the value of a metric in one measurement.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/value.h"

namespace rangefinder {

// Why samples are missing. The first reasons have the numbers of
// wire::SampleLoss.
enum class SampleGapReason : std::uint8_t {
  kUnknown,
  kImageFull,  // decoding fell behind
  kOverflow,   // the GPU's own buffer overflowed, and sampling was restarted
  kNoRoom,     // the trace had no room
  kNoContext,  // the program had no CUDA context: nothing is lost
  kDamaged,    // a part of the trace is missing
};

// "decoding fell behind" ...
std::string_view SampleGapText(SampleGapReason reason);

struct SampleGap {
  std::uint64_t from_ns = 0, to_ns = 0;  // on the profile's clock
  std::uint64_t samples = 0;             // missing, by the interval
  SampleGapReason reason = SampleGapReason::kUnknown;
};

// The samples of one device by one process.
struct CounterSamples {
  ProcessId process{};              // that sampled
  std::int32_t device = -1;         // -1: none was sampled; `reason` says why
  StringId chip{};                  // "GH100"; empty: unknown
  std::uint64_t interval_ns = 0;    // usual length of a sample; 0: unknown
  std::vector<StringId> metrics{};  // the columns: "dram__bytes_read.sum"
  // Of each sample, by time and without overlap, on the profile's clock (ns of
  // CLOCK_REALTIME in traces).
  std::vector<std::uint64_t> start_ns{}, end_ns{};
  // Row after row: sample i and column m at i * metrics.size() + m. NaN: the
  // hardware gave no value.
  std::vector<double> values{};
  std::vector<SampleGap> gaps{};  // in order of time
  std::uint64_t lost = 0;         // samples missing in the gaps
  std::uint64_t started_ns = 0;   // start of sampling; 0: never
  std::uint64_t stopped_ns = 0;   // its end; 0: unknown, as after a kill
  // Time that the program was held up to start and stop sampling.
  std::uint64_t held_up_ns = 0;
  // Why there are no samples, or none after stopped_ns although the program
  // continued; else empty.
  std::string reason{};

  std::size_t size() const { return start_ns.size(); }
  std::span<const double> Row(std::size_t sample) const {
    return std::span(values).subspan(sample * metrics.size(), metrics.size());
  }
};

}  // namespace rangefinder
