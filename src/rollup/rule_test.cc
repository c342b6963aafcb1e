// The rule of each metric's name: the table of docs/rollup.md, row for row.

#include "rollup/rule.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

std::string Draw(const MeanRule& rule) {
  std::string text;
  if (rule.time_is_exact) text += " by time";
  for (const MeanRule::Weight& weight : rule.weights)
    text += fmt::format(" {}{}", weight.exact ? "" : "~", weight.source.metric);
  return text;
}

// "sum upper", "weighted_mean sm__cycles_active.avg ~sm__cycles_active.max".
std::string RuleOf(std::string_view metric) {
  const Rule rule = RuleFromName(metric);
  std::string text(std::string_view(RuleName(rule)));
  Bound bound = Bound::kNone;
  if (const auto* sum = std::get_if<SumRule>(&rule)) {
    bound = sum->bound;
    if (sum->sampled) text += " sampled";
  }
  if (const auto* largest = std::get_if<LargestRule>(&rule))
    bound = largest->bound;
  if (const auto* mean = std::get_if<MeanRule>(&rule)) {
    bound = mean->bound;
    text += Draw(*mean);
  }
  if (bound != Bound::kNone) text += fmt::format(" {}", BoundName(bound));
  return text;
}

TEST(RuleFromName, CountersAddAndMaximaAreBounds) {
  EXPECT_EQ(RuleOf("a__b.sum"), "sum");
  EXPECT_EQ(RuleOf("a__b.avg"), "sum");
  EXPECT_EQ(RuleOf("a__b.max"), "sum upper");
  EXPECT_EQ(RuleOf("a__b.min"), "sum lower");
  EXPECT_EQ(RuleOf("a__b.sum.peak_sustained_active"), "sum");
  EXPECT_EQ(RuleOf("a__b.sum.peak_sustained_elapsed"), "sum");
  EXPECT_EQ(RuleOf("gpu__time_duration.max"), "sum");
  EXPECT_EQ(RuleOf("profiler__replayer_passes.sum"), "spread");
  EXPECT_EQ(RuleOf("pmsampling:a__b.sum"), "sum sampled");
}

TEST(RuleFromName, PropertiesOfTheDeviceMustAgree) {
  EXPECT_EQ(RuleOf("a__b.sum.peak_sustained"), "same");
  EXPECT_EQ(RuleOf("a__b.max_rate"), "same");
}

TEST(RuleFromName, RatesAreWeightedByTimeOrByTheCyclesOfTheirUnit) {
  EXPECT_EQ(RuleOf("a__b.sum.per_second"), "weighted_mean by time");
  EXPECT_EQ(RuleOf("a__b.max.per_second"), "weighted_mean by time upper");
  const auto cycles = [](const char* unit, const char* what, bool exact) {
    const char* mark = exact ? "" : "~";
    return fmt::format(" {0}{1}__{2}.avg {0}{1}__{2}.sum ~{1}__{2}.max", mark,
                       unit, what);
  };
  constexpr const char* kActive = "cycles_active";
  constexpr const char* kElapsed = "cycles_elapsed";
  const auto of = [&](const char* unit, std::vector<const char*> others) {
    // Units of one clock share elapsed cycles; active cycles are each unit's
    // own.
    std::string elapsed = cycles(unit, kElapsed, true);
    std::string active = cycles(unit, kActive, true);
    for (const char* other : others) {
      elapsed += cycles(other, kElapsed, true);
      active += cycles(other, kActive, false);
    }
    for (const char* form : {"per_cycle_elapsed",
                             "pct_of_peak_sustained_"
                             "elapsed"})
      EXPECT_EQ(RuleOf(fmt::format("{}__b.avg.{}", unit, form)),
                "weighted_mean" + elapsed);
    for (const char* form :
         {"per_cycle_active", "pct_of_peak_sustained_active"})
      EXPECT_EQ(RuleOf(fmt::format("{}__b.avg.{}", unit, form)),
                "weighted_mean" + active);
  };
  of("sm", {"smsp", "l1tex"});
  of("smsp", {"sm", "l1tex"});
  of("l1tex", {"sm", "smsp"});
  of("idc", {"sm"});
  of("gcc", {"gpc"});
  of("lrc", {"lts"});
  of("fbpa", {"lts"});
  of("lts", {});
  EXPECT_EQ(RuleOf("dram__b.min.per_cycle_elapsed"),
            "weighted_mean" + cycles("dram", kElapsed, true) +
                cycles("sm", kElapsed, false) + " lower");
}

TEST(RuleFromName, ThroughputsAreTheLargestOfTheirInputs) {
  EXPECT_EQ(RuleOf("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            "largest");
  EXPECT_EQ(RuleOf("l1tex__throughput.max.pct_of_peak_sustained_active"),
            "largest upper");
}

TEST(RuleFromName, RatiosWithoutFactsAreMeans) {
  EXPECT_EQ(RuleOf("a__b.ratio"), "weighted_mean");
  EXPECT_EQ(RuleOf("a__b.pct"), "weighted_mean");
}

TEST(RuleFromName, NamesWithoutASuffixGoByTheirBeginning) {
  EXPECT_EQ(RuleOf("launch__grid_size"), "spread");
  EXPECT_EQ(RuleOf("device__attribute_x"), "same");
  EXPECT_EQ(RuleOf("profiler__pmsampler_interval_time"), "spread");
  EXPECT_EQ(RuleOf("nvlink__x"), "same");
  EXPECT_EQ(RuleOf("numa__x"), "same");
  EXPECT_EQ(RuleOf("c2clink__x"), "same");
  EXPECT_EQ(RuleOf("smsp__pcsamp_interval"), "spread");
  EXPECT_EQ(RuleOf("smsp__pcsamp_sample_buffer_full"), "sum");
  EXPECT_EQ(RuleOf("sm__maximum_warps_per_active_cycle_pct"), "weighted_mean");
  EXPECT_EQ(RuleOf("derived__memory_l2_theoretical_sectors_global"), "sum");
  EXPECT_EQ(RuleOf("derived__local_spilling_requests"), "sum");
  EXPECT_EQ(RuleOf("derived__local_spilling_requests_pct"), "weighted_mean");
  EXPECT_EQ(RuleOf("derived__sm__sass_thread_inst_executed_op_x_peak"), "same");
  EXPECT_EQ(RuleOf("derived__smsp__sass_thread_inst_executed_op_ffma_x2"),
            "weighted_mean smsp__cycles_elapsed.avg");
  EXPECT_EQ(RuleOf("derived__avg_thread_executed"), "none");
  EXPECT_EQ(RuleOf("derived__other"), "weighted_mean");
  EXPECT_EQ(RuleOf("inst_executed"), "sum");
  EXPECT_EQ(RuleOf("thread_inst_executed_true"), "sum");
  EXPECT_EQ(RuleOf("memory_l2_theoretical_sectors_global"), "sum");
  EXPECT_EQ(RuleOf("memory_access_type"), "none");
  EXPECT_EQ(RuleOf("memory_type"), "none");
  EXPECT_EQ(RuleOf("sass__inst_executed_per_opcode"), "sum");
  EXPECT_EQ(RuleOf("what_nobody_knows"), "none");
}

}  // namespace
}  // namespace rangefinder
