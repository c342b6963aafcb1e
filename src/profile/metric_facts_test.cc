#include "profile/metric_facts.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

std::string Unit(std::string_view metric) {
  return MetricUnit("GH100", metric);
}

TEST(MetricFacts, SubmetricsHaveTheirOwnUnits) {
  EXPECT_EQ(Unit("dram__bytes.sum"), "byte");
  EXPECT_EQ(Unit("dram__bytes.sum.per_second"), "byte/s");
  EXPECT_EQ(Unit("dram__bytes.sum.peak_sustained"), "byte/cycle");
  EXPECT_EQ(Unit("dram__bytes.sum.pct_of_peak_sustained_elapsed"), "%");
  EXPECT_EQ(Unit("sm__cycles_elapsed.avg"), "cycle");
  EXPECT_EQ(Unit("sm__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(Unit("smsp__warps_active.avg.per_cycle_active"), "warp");
  EXPECT_EQ(Unit("smsp__issue_active.avg.per_cycle_active"), "");
  EXPECT_EQ(Unit("gpu__time_duration.sum"), "ns");
  EXPECT_EQ(Unit("launch__shared_mem_per_block_static"), "byte/block");
  EXPECT_EQ(Unit("TPC.TriageCompute.sm__cycles_active.avg"), "cycle");
}

TEST(MetricFacts, RatiosHaveTheirDividedCounters) {
  const auto inputs = [](std::string_view metric) {
    const auto facts = FindMetricFacts("GH100", metric);
    return facts ? facts->over + " / " + facts->under : "none";
  };
  EXPECT_EQ(inputs("l1tex__t_sector_hit_rate.pct"),
            "l1tex__t_sectors_lookup_hit / l1tex__t_sectors");
  EXPECT_EQ(inputs("smsp__average_warp_latency.ratio"),
            "smsp__warps_active / smsp__warps_launched");
  EXPECT_EQ(
      inputs("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"),
      "smsp__warps_issue_stalled_wait / smsp__issue_active");
  EXPECT_EQ(inputs("idc__request_hit_rate.pct"),
            "idc__requests_lookup_hit / idc__requests");
  EXPECT_EQ(inputs("sm__average_inst_latency_pipe_tex_cmd_read.ratio"),
            "sm__inst_pending_pipe_tex_cmd_read / "
            "sm__inst_executed_pipe_tex_cmd_read");
  EXPECT_EQ(inputs("nobody__knows.ratio"), "none");
}

TEST(MetricFacts, ThroughputsKnowTheirInputs) {
  const auto facts = FindMetricFacts(
      "GH100", "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->kind, MetricKind::kThroughput);
  EXPECT_GE(facts->inputs.size(), 2);
}

TEST(MetricFacts, EveryChipHasItsOwnMetrics) {
  EXPECT_TRUE(ChipHasMetric("GH100", "sm__inst_executed_pipe_tma"));
  EXPECT_FALSE(ChipHasMetric("GV100", "sm__inst_executed_pipe_tma"));
  for (const std::string_view chip : {"GV100", "TU102", "GA100", "GA102",
                                      "AD102", "GH100", "GB100", "GB202"}) {
    EXPECT_TRUE(ChipHasMetric(chip, "sm__cycles_elapsed")) << chip;
    EXPECT_TRUE(ChipHasMetric(chip, "gpu__time_duration")) << chip;
  }
}

TEST(MetricFacts, TheComputeCapabilityTellsTheChip) {
  EXPECT_EQ(ChipOfCapability(9, 0), "GH100");
  EXPECT_EQ(ChipOfCapability(3, 5), "");
  Profile profile;
  profile.devices.push_back({.index = 0});
  profile.devices[0].attributes = {
      {profile.strings.Intern("compute_capability_major"), Value::Integer(8)},
      {profile.strings.Intern("compute_capability_minor"), Value::Integer(9)}};
  profile.measurements.push_back({.device = 0});
  EXPECT_EQ(ChipOf(profile), "AD102");
  EXPECT_EQ(ChipOf(profile, 1), "");
  profile.devices[0].attributes[0].second = Value::Number(1e300);
  EXPECT_EQ(ChipOf(profile), "");
}

// ---- units that ncu printed -------------------------------------------------

// Fields of one line; ncu quotes every field and doubles no quote in headers.
std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

// ncu scales units by the column: "Mbyte/s" and "us" become "byte/s" and "ns".
std::string Unscaled(const std::string& unit) {
  static const std::map<std::string, std::string> kTimes = {
      {"us", "ns"},
      {"ms", "ns"},
      {"s", "ns"},
      {"sector/ns", "sector/s"},
      {"sector/us", "sector/s"},
      {"sector/ms", "sector/s"},
      {"%/Kbyte", "%/byte"}};
  if (const auto at = kTimes.find(unit); at != kTimes.end()) return at->second;
  for (const std::string base : {"byte", "hz"}) {
    const std::size_t at = unit.find(base);
    if (at == 1 && std::string_view("KMGT").find(unit[0]) != std::string::npos)
      return unit.substr(1);
  }
  return unit;
}

TEST(MetricFacts, UnitsAreThoseThatNcuPrints) {
  const char* shared = std::getenv("RANGEFINDER_SHARED");
  const std::filesystem::path folder =
      std::filesystem::path(
          shared != nullptr ? shared : RANGEFINDER_SOURCE_DIR "/../shared") /
      "fixtures" / "ncu";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "NO CAPTURES: " << folder << " does not exist";
  std::set<std::string> checked;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(".raw.csv")) continue;
    std::ifstream file(entry.path());
    std::string names;
    std::string units;
    std::getline(file, names);
    std::getline(file, units);
    const std::vector<std::string> name = Fields(names);
    const std::vector<std::string> unit = Fields(units);
    ASSERT_EQ(name.size(), unit.size()) << entry.path();
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i].find('_') == std::string::npos ||
          name[i].find(':') != std::string::npos)
        continue;  // the columns before the metrics
      EXPECT_EQ(Unit(name[i]), Unscaled(unit[i])) << name[i];
      checked.insert(name[i]);
    }
  }
  std::cout << checked.size() << " units compared\n";
  EXPECT_GT(checked.size(), 2000);
}

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(CounterDoc, DescribesACounterWithItsSuffix) {
  EXPECT_THAT(CounterDoc("dram__bytes_read.sum"), StartsWith("Bytes that"));
  EXPECT_THAT(CounterDoc("sm__cycles_active.avg"),
              EndsWith("; the mean over all SMs"));
  EXPECT_THAT(
      CounterDoc("TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum"),
      StartsWith("Instructions of warps"));
  EXPECT_EQ(CounterDoc("sm__cycles_active.max"), "");
  EXPECT_EQ(CounterDoc("sm__cycles_active.avg.per_second"), "");
  EXPECT_EQ(CounterDoc("dram__bytes"), "");
}

// "5 byte/s": a sample of 2 ms with `value`, on a clock of 2 GHz.
std::string Drawn(std::string_view metric, double value, double clock = 2e9) {
  const SampleScale scale = ScaleOfSamples("GH100", metric, clock);
  char text[64];
  std::snprintf(text, sizeof text, "%g ", OnScale(scale, value, 2'000'000));
  return text + scale.unit;
}

TEST(SampleScales, CountersAreRates) {
  EXPECT_EQ(Drawn("dram__bytes_read.sum", 4000), "2e+06 byte/s");
  EXPECT_EQ(Drawn("sm__inst_executed.sum", 10), "5000 inst/s");
  EXPECT_EQ(Drawn("lts__t_sectors.avg", 10), "5000 sector/s");
}

TEST(SampleScales, CyclesOfTheSmsAreAShareOfTheirClock) {
  EXPECT_EQ(Drawn("sm__cycles_active.avg", 1e6), "25 %");
  EXPECT_EQ(Drawn("sm__pipe_tensor_cycles_active.avg", 4e6), "100 %");
}

TEST(SampleScales, WithoutAKnownClockCyclesAreARate) {
  EXPECT_EQ(Drawn("sm__cycles_active.avg", 1e6, 0), "5e+08 hz");
}

TEST(SampleScales, RatiosStayAsTheyAre) {
  EXPECT_EQ(Drawn("sm__warps_active.avg.pct_of_peak_sustained_active", 40),
            "40 %");
}

TEST(SampleScales, WithoutTimeThereIsNoRate) {
  const SampleScale scale = ScaleOfSamples("", "dram__bytes_read.sum", 0);
  EXPECT_TRUE(std::isnan(OnScale(scale, 7, 0)));
}

TEST(SampleScales, TheClockIsTheDevicesOwn) {
  Profile profile;
  profile.devices.push_back({.index = 1});
  profile.devices.back().attributes.emplace_back(
      profile.strings.Intern("device__attribute_clock_rate"),
      Value::Number(1'980'000));
  EXPECT_EQ(HighestClock(profile, 1), 1.98e9);
  EXPECT_EQ(HighestClock(profile, 0), 0);
}

}  // namespace

}  // namespace rangefinder
