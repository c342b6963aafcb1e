// Samples on their way into the trace: wire/sample_format.h from the writer's
// side, with the gaps found by the samples' times.
//
// One stream has the samples of all devices, with a lock of its own.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/sample_settings.h"
#include "wire/sample_format.h"

namespace rangefinder::inject {

// The records of one device.
class SampleRecords {
 public:
  // The device and what is sampled on it. `chip` may be empty.
  void Begin(std::uint32_t device, const SampleSettings& settings,
             const char* chip);
  void Started(std::uint64_t held_up_ns);
  // Samples come in order; one that overlaps the last is left out, and what is
  // missing before one is counted and written as a gap.
  void Add(std::uint64_t start, std::uint64_t end, const double* values);
  // Why the next gap will be there, if there is one.
  void ExpectGap(wire::SampleLoss why);
  // Those between the last sample, or the start, and `until` are lost.
  void LoseRest(wire::SampleLoss why, std::uint64_t until);
  // `reason` empty: the program ended, or destroyed its contexts.
  void Stopped(std::uint64_t held_up_ns, const char* reason);

  std::uint64_t last_end() const { return last_end_; }

  // Completes the stream of all devices.
  static void Seal();

 private:
  bool WriteGap(std::uint64_t to);  // false: there is no room for it

  std::uint32_t set_ = 0;
  std::size_t metrics_ = 0;
  std::uint64_t interval_ns_ = 1;
  std::uint64_t started_ = 0;   // when, for the first time
  std::uint64_t last_end_ = 0;  // of the last sample; 0: there is none
  wire::SampleLoss why_ = wire::SampleLoss::kUnknown;
};

}  // namespace rangefinder::inject
