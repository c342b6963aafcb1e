// pipeline.counters.*: hardware counters without kernel replay.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "counters/counter_host.h"

namespace rangefinder {

// What exact counting may add to the program's time.
struct CounterBudget {
  bool is_share = true;
  double value = 0.05;  // of the undisturbed run; or seconds
};

struct CounterSettings {
  bool enable = false;
  // Samples of an undisturbed run, divided among the regions, or exact counts
  // of chosen instances; nothing: off, as with `enable` false.
  std::optional<CounterMode> mode = CounterMode::kSample;
  std::vector<std::string> metrics{};  // full names, each once, as listed
  std::uint64_t interval_ns = 200'000;
  CounterBudget budget{};
  bool check = false;  // count some instances, too, and compare
};

// Of a tree that CheckSettingsKeys() has been through. kUsage, with the key and
// what it may be, for an interval or a budget that is none, and for a list
// without metrics where counters are wanted.
Result<CounterSettings> ReadCounterSettings(const Node& tree);

}  // namespace rangefinder
