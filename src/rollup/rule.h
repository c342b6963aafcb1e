// The rules for combining a metric over measurements. The rule of a metric is
// the user's; else it follows from the facts about ratios and throughputs; else
// from the name. docs/rollup.md has the proofs.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profile/profile.h"
#include "rollup/cell.h"

namespace rangefinder {

// Counters, bytes, time: values add up.
struct SumRule {
  Bound bound = Bound::kNone;  // a maximum over instances is only bounded
  bool sampled = false;        // sampled over time, so never exact
};

// The source of a quantity: a metric, or the product of two. A counter that was
// not collected may follow from another: x.sum is x.sum.per_second times the
// duration. kTimeWeight stands for the duration of the measurement.
struct MetricSource {
  std::string metric{};
  std::string times{};  // empty: the metric alone
};
inline constexpr std::string_view kTimeWeight = "gpu__time_duration.sum";

// A rate: the mean, weighted by the divisor of the rate.
struct MeanRule {
  // A candidate for the weight. `exact`: it is the divisor of the rate, or
  // proportional to it.
  struct Weight {
    MetricSource source{};
    bool exact = false;
  };
  std::vector<Weight> weights{};  // best first; time comes after all of them
  bool time_is_exact = false;     // per second
  Bound bound = Bound::kNone;
};

// A ratio, computed from summed inputs: scale * sum(over) / sum(under).
struct RatioRule {
  MetricSource over{};
  MetricSource under{};
  double scale = 1;
};

// A throughput: the largest of its inputs, each combined by its own rule.
struct LargestRule {
  std::vector<std::string> inputs{};
  Bound bound = Bound::kNone;  // of a maximum or minimum over instances
};

// A property of the chip or device, or a text: all values must agree.
struct SameRule {};

// An attribute of a launch: its spread, and a value only if all agree.
struct SpreadRule {};

// No rule is known to be right.
struct NoRule {
  Word reason = "no rule for this metric";
};

using Rule = std::variant<SumRule, MeanRule, RatioRule, LargestRule, SameRule,
                          SpreadRule, NoRule>;

// "sum" "weighted_mean" "ratio" "largest" "same" "spread" "none"
Word RuleName(const Rule& rule);

// The rule by the name alone, which does not tell the inputs: a ratio is a mean
// over time, a throughput has no inputs.
Rule RuleFromName(std::string_view metric);

// A rule of a user: conf/rollup/*.yaml.
struct UserRule {
  std::string match{};   // a metric's name, a glob with * and ?, or regex:RE
  std::string rule{};    // sum | mean | ratio | same | spread | none
  std::string weight{};  // of mean; empty: time
  std::string over{};    // of ratio
  std::string under{};
  double scale = 1;  // of ratio
};

// The key of an invalid rule that is wrong ("match" "rule" "over"), and why.
// Nothing for a valid rule.
struct RuleFault {
  std::string_view key{};
  std::string text{};
};
std::optional<RuleFault> FaultOf(const UserRule& rule);

class RuleBook {
 public:
  RuleBook(const Profile& profile, const std::vector<UserRule>& rules);

  Rule For(std::string_view metric) const;
  // The mean that replaces For(metric) if its inputs are missing.
  MeanRule Fallback(std::string_view metric) const;
  // The unit of a column; "": none, or unknown.
  std::string Unit(std::string_view metric) const;

 private:
  std::optional<Rule> RatioFor(std::string_view metric, std::string_view over,
                               std::string_view under) const;
  bool Has(std::string_view metric) const;

  const Profile& profile_;
  const std::vector<UserRule>& rules_;
  std::string chip_;
};

}  // namespace rangefinder
