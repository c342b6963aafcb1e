// The gate of a build: slower regions and metrics beyond their limits fail it,
// unless a change was accepted with a reason and a last day.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// Limit of one metric of one region, in its base unit.
struct MetricLimit {
  std::optional<double> growth{};  // relative to the base's value
  std::optional<double> min{}, max{};
};

struct Accepted {
  std::string region{};  // path
  std::string reason{};
  std::string until{};  // 2026-12-31, the last day of its validity
};

struct GateRules {
  std::map<std::string, MetricLimit> metrics{};  // for every region
  // By region, then by metric; takes precedence over `metrics`.
  std::map<std::string, std::map<std::string, MetricLimit>> regions{};
  std::vector<Accepted> accepted{};
  std::string today{};  // 2026-12-31
};

struct Crossing {
  std::size_t region = 0;  // into Comparison::regions
  std::string what{};      // "time", or a metric
  std::string text{};      // a sentence without its full stop
  std::string accepted{};  // reason of the acceptance; empty: none

  bool fails() const { return accepted.empty(); }
};

// In the order of the regions. AMBIGUOUS regions never cross.
std::vector<Crossing> CrossingsOf(const Comparison& comparison,
                                  const GateRules& rules);
bool Fails(const std::vector<Crossing>& crossings);

// Rules for regions or metrics that no side has. They can never be crossed, so
// a misspelt name would switch a gate off.
std::vector<std::string> UnusedRules(const Comparison& comparison,
                                     const GateRules& rules);
// Acceptances of regions that no side has. An acceptance may outlive its
// region, so this fails no gate.
std::vector<std::string> UnusedAcceptances(const Comparison& comparison,
                                           const GateRules& rules);

}  // namespace rangefinder
