// What fails a build: regions that are slower, counters beyond their limits,
// less what was accepted with a reason and until a day.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// Of one metric of one region, in its base unit.
struct MetricLimit {
  std::optional<double> growth{};  // relative, of the base's value
  std::optional<double> min{}, max{};
};

struct Accepted {
  std::string region{};  // path
  std::string reason{};
  std::string until{};  // 2026-12-31, the last day on which it holds
};

struct GateRules {
  std::map<std::string, MetricLimit> metrics{};  // of every region
  // By region, by metric; before those of `metrics`.
  std::map<std::string, std::map<std::string, MetricLimit>> regions{};
  std::vector<Accepted> accepted{};
  std::string today{};  // 2026-12-31
};

struct Crossing {
  std::size_t region = 0;  // into Comparison::regions
  std::string what{};      // "time", or a metric
  std::string text{};      // a sentence without its full stop
  std::string accepted{};  // the reason; empty: it fails the gate
};

// In the order of the regions. Nothing AMBIGUOUS is among them.
std::vector<Crossing> CrossingsOf(const Comparison& comparison,
                                  const GateRules& rules);
bool Fails(const std::vector<Crossing>& crossings);

// Rules that nothing can ever cross, since no side has such a region or metric:
// a gate with a misspelt name would be none.
std::vector<std::string> UnusedRules(const Comparison& comparison,
                                     const GateRules& rules);
// Acceptances of regions that no side has. One may have outlived its region,
// which fails no gate.
std::vector<std::string> UnusedAcceptances(const Comparison& comparison,
                                           const GateRules& rules);

}  // namespace rangefinder
