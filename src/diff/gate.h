// The gate of a build: slower regions and metrics beyond their limits, except
// changes that were accepted with a reason and a last day.

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

// Rules for regions or metrics that no side has, which can never be crossed:
// a misspelt name must not switch a gate off.
std::vector<std::string> UnusedRules(const Comparison& comparison,
                                     const GateRules& rules);
// Acceptances of regions that no side has. An acceptance may outlive its
// region, so this fails no gate.
std::vector<std::string> UnusedAcceptances(const Comparison& comparison,
                                           const GateRules& rules);

}  // namespace rangefinder
