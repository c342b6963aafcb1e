// Writes samples and counts into the trace, in the formats of
// wire/counter_format.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/counters/count_plan.h"
#include "inject/counters/sample_settings.h"
#include "wire/counter_format.h"

namespace rangefinder::inject {

// The samples of one device, and the gaps between them. One stream has the
// samples of all devices, with a lock of its own.
class SampleRecords {
 public:
  // Writes the device and its metrics. `chip` may be empty.
  void Begin(std::uint32_t device, const SampleSettings& settings,
             const char* chip);
  void Started(std::uint64_t held_up_ns);
  // Samples come in order of time. A sample that overlaps the previous one is
  // left out; samples missing before this one are counted and written as a gap.
  void Add(std::uint64_t start, std::uint64_t end, const double* values);
  // The interval of the samples from now on.
  void SetInterval(std::uint64_t ns) { interval_ns_ = ns; }
  // The reason of the next gap, if there is a gap.
  void ExpectGap(wire::SampleLoss why);
  // The samples between the last sample, or the start, and `until` are lost.
  void LoseRest(wire::SampleLoss why, std::uint64_t until);
  // `reason` empty: the program ended, or destroyed its contexts.
  void Stopped(std::uint64_t held_up_ns, const char* reason);

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

// A measured instance of a row.
struct CountedInstance {
  std::uint32_t row = 0;
  std::uint64_t number = 0;  // of the row's instances in the process
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t held_up_ns = 0;
  std::uint64_t thread = 0;
  // The measured instance around it; kNoPlace: none.
  std::uint32_t outer_row = kNoPlace;
  std::uint64_t outer_number = 0;
  bool pushed = false;  // since it has its place in the image
  bool valid = true;    // false: written, or not to be written
};

// The counts of the process, in a stream of their own. The caller holds the
// lock of counting.cc.
class CountRecords {
 public:
  struct Set {
    std::uint32_t device = 0;
    const char* chip = "";
    std::uint32_t passes = 0, ranges = 0;
    std::uint64_t device_bytes = 0;
  };
  static void Plan(const CountPlan& plan);
  // Writes the device and its metrics, after the plan.
  static void Begin(const SampleSettings& settings, const Set& set);
  static void Started(std::uint32_t pass, std::uint64_t held_up_ns);
  // False: there is no room for it.
  static bool Counts(const CountedInstance& instance, std::uint32_t pass,
                     const double* values, std::size_t metrics);
  // Writes the numbers of skipped instances that have changed since the last
  // call.
  static void Skipped(const CountPlan& plan);
  // `reason` empty: the program ended.
  static void Stopped(std::uint64_t held_up_ns, const char* reason);
  static void Seal();
};

}  // namespace rangefinder::inject
