#include "profile/metric_facts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

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

TEST(MetricFacts, RatiosKnowWhatTheyDivide) {
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
  EXPECT_EQ(KnownChips().size(), 30);
  EXPECT_TRUE(ChipHasMetric("GH100", "sm__inst_executed_pipe_tma"));
  EXPECT_FALSE(ChipHasMetric("GV100", "sm__inst_executed_pipe_tma"));
  for (const std::string& chip : KnownChips()) {
    EXPECT_TRUE(ChipHasMetric(chip, "sm__cycles_elapsed")) << chip;
    EXPECT_TRUE(ChipHasMetric(chip, "gpu__time_duration")) << chip;
  }
}

TEST(MetricFacts, TheChipIsToldByTheComputeCapability) {
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

// ---- Against what ncu printed ----------------------------------------------

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

}  // namespace
}  // namespace rangefinder
