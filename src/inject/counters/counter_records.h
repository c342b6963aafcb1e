// Samples and counts on their way into the trace: wire/sample_format.h and
// wire/count_format.h from the writer's side.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/counters/count_plan.h"
#include "inject/counters/sample_settings.h"
#include "wire/sample_format.h"

namespace rangefinder::inject {

// The samples of one device, with the gaps found by the samples' times. One
// stream has the samples of all devices, with a lock of its own.
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

// One instance of a row that is, or was, being measured.
struct CountedInstance {
  std::uint32_t row = 0;
  std::uint64_t number = 0;  // of the row's instances in the process
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t held_up_ns = 0;
  std::uint64_t thread = 0;
  // The instance that is measured around it; kNoPlace: none.
  std::uint32_t outer_row = kNoPlace;
  std::uint64_t outer_number = 0;
  bool pushed = false;  // since it has this place in the image
  bool valid = true;    // false: written, or not to be
};

// Counts of the process, in a stream of their own. Whoever writes holds the
// lock of counting.h.
class CountRecords {
 public:
  struct Set {
    std::uint32_t device = 0;
    const char* chip = "";
    std::uint32_t passes = 0, ranges = 0;
    std::uint64_t device_bytes = 0;
  };
  static void Plan(const CountPlan& plan);
  // What is counted; the plan came before.
  static void Begin(const SampleSettings& settings, const Set& set);
  static void Started(std::uint32_t pass, std::uint64_t held_up_ns);
  // False: there is no room for it.
  static bool Counts(const CountedInstance& instance, std::uint32_t pass,
                     const double* values, std::size_t metrics);
  // What has changed since the last time.
  static void Skipped(const CountPlan& plan);
  // `reason` empty: the program ended.
  static void Stopped(std::uint64_t held_up_ns, const char* reason);
  static void Seal();
};

}  // namespace rangefinder::inject
