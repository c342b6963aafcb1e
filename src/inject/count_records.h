// Counts on their way into the trace: wire/count_format.h from the writer's
// side. Whoever writes holds the lock of counting.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/count_plan.h"
#include "inject/sample_settings.h"

namespace rangefinder::inject {

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
