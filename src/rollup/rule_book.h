// Which rule holds for which metric of a profile: the user's own rules first,
// then what the facts say about ratios and throughputs, then the name.
//
// Also how a counter can be had that was not collected itself: x.sum is
// x.sum.per_second times the duration, and so on. The rules of ratios and the
// weights of means are made of such sources.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "rollup/rule.h"

namespace rangefinder {

// A rule of the user's: conf/rollup/*.yaml.
struct UserRule {
  std::string match{};   // a metric's name, a glob with * and ?, or regex:RE
  std::string rule{};    // sum | mean | ratio | same | spread | none
  std::string weight{};  // of mean; empty: time
  std::string over{};    // of ratio
  std::string under{};
  double scale = 1;  // of ratio
};

// What is wrong with a rule: which key ("match" "rule" "over"), and how.
// Nothing where it can be used.
struct RuleFault {
  std::string_view key{};
  std::string text{};
};
std::optional<RuleFault> FaultOf(const UserRule& rule);

class RuleBook {
 public:
  RuleBook(const Profile& profile, const std::vector<UserRule>& rules);

  Rule For(std::string_view metric) const;
  // What stands in where the inputs of For(metric) are missing.
  MeanRule Fallback(std::string_view metric) const;
  // The unit of a column, "" when it has none or it is not known.
  std::string Unit(std::string_view metric) const;

  const std::string& chip() const { return chip_; }

 private:
  std::optional<Rule> RatioFor(std::string_view metric, std::string_view over,
                               std::string_view under) const;
  bool Has(std::string_view metric) const;

  const Profile& profile_;
  const std::vector<UserRule>& rules_;
  std::string chip_;
};

}  // namespace rangefinder
