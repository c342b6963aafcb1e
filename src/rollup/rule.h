// The closed set of ways to combine a metric over measurements, and which one
// is right for which metric. The proofs are in docs/rollup.md.

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rollup/cell.h"

namespace rangefinder {

// Counters, bytes, time: what happened in both happened in all.
struct SumRule {
  Bound bound = Bound::kNone;  // a maximum over instances is only bounded
  bool sampled = false;        // counted now and then, so never exact
};

// Where a quantity comes from: a metric, or the product of two of them. The
// name kTimeWeight stands for the duration of the measurement.
struct MetricSource {
  std::string metric{};
  std::string times{};  // empty: the metric alone
};
inline constexpr std::string_view kTimeWeight = "gpu__time_duration.sum";

// A rate: weighted by what it is a rate of.
struct MeanRule {
  // What may stand for the weight, and whether it is the very quantity that the
  // rate was divided by (or proportional to it).
  struct Weight {
    MetricSource source{};
    bool exact = false;
  };
  std::vector<Weight> weights{};  // best first; time comes after all of them
  bool time_is_exact = false;     // per second
  Bound bound = Bound::kNone;
};

// Divided again, after summing: scale * sum(over) / sum(under).
struct RatioRule {
  struct Term {
    double factor = 1;
    MetricSource source{};
  };
  std::vector<Term> over{};
  std::vector<Term> under{};
  double scale = 1;
};

// A throughput: the largest of its inputs, each combined by its own rule.
struct LargestRule {
  std::vector<std::string> inputs{};
  Bound bound = Bound::kNone;  // of a maximum or minimum over instances
};

// A property of the chip, of the device or of a text: all must agree.
struct SameRule {};

// An attribute of a launch: how it spreads; a value only where all agree.
struct SpreadRule {};

// No rule is known to be right.
struct NoRule {
  Word reason = "no rule for this metric";
};

using Rule = std::variant<SumRule, MeanRule, RatioRule, LargestRule, SameRule,
                          SpreadRule, NoRule>;

// "sum" "weighted_mean" "ratio" "largest" "same" "spread" "none"
Word RuleName(const Rule& rule);

// What the name alone says. It does not tell the inputs of a ratio, which comes
// out as a mean over time, nor those of a throughput, whose list is left empty.
Rule RuleFromName(std::string_view metric);

// The mean that stands in where a ratio's or throughput's inputs are missing.
MeanRule MeanFromName(std::string_view metric);

}  // namespace rangefinder
