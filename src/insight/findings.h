// The findings of Nsight Compute's rules on a region's kernels, grouped and
// ranked; and the limit of a region in one line.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

// One message of one rule, on one kernel or on several.
struct Finding {
  std::string rule{};     // "CPIStall"
  std::string name{};     // "Warp Stall"
  std::string section{};  // "WarpStateStats"
  RuleMessageKind kind = RuleMessageKind::kNone;
  std::string title{};        // "Long Scoreboard Stalls", may be empty
  std::string text{};         // on the kernel with most time, without markup
  std::uint32_t kernels = 0;  // measurements that have the message
  double time_ns = 0;         // of these measurements
  double time_share = 0;  // of the region's time, 0 to 1; 0 without durations
  // The gain that ncu estimates, in percent: of the region's time if the rule
  // is about whole kernels, else of the part that the rule is about.
  std::optional<double> speedup_percent{};
  bool speedup_is_global = false;
};

// The findings on the measurements, sorted by time times estimated speedup,
// then by kind and time.
std::vector<Finding> FindingsOf(const Profile& profile,
                                std::span<const MeasurementId> measurements);

// The kernels of a region and its inner regions in the scope, in file order.
std::vector<MeasurementId> KernelsIn(const Profile& profile,
                                     const RegionTree& tree, RegionId region,
                                     const Scope& scope);

// Replaces `@section:Id:Label@` and `@url:Label:https://...@` by their labels.
std::string WithoutMarkup(std::string_view text);

// The limit of a region: compute, memory, latency (neither is near its peak) or
// launches (they do not fill the device).
struct LimitVerdict {
  // "memory bound: compute 31 %, memory 87 % of peak"; empty if the two
  // throughputs were not collected.
  std::string text{};
  double compute_percent = 0;
  double memory_percent = 0;
  // Standard errors of estimates.
  double compute_error = 0;
  double memory_error = 0;
  bool is_bound = false;  // one of the two is only a bound
};

LimitVerdict VerdictOf(const Rollup& rollup, const Amounts& amounts);

}  // namespace rangefinder
