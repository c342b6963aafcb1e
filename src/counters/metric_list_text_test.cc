#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "counters/metric_list.h"

namespace rangefinder {
namespace {

ListedMetric Bytes() {
  return {.name = "dram__bytes",
          .in_sample = true,
          .in_count = true,
          .sample = 1,
          .count = 12,
          .properties = {.description = "# of bytes accessed in DRAM",
                         .unit = "byte"},
          .suffixes = {".avg", ".avg.per_second", ".sum", ".sum.per_second"}};
}

ListedMetric HitRate() {
  return {.name = "lts__t_sector_hit_rate",
          .type = cupti::MetricType::kRatio,
          .in_count = true,
          .count = 2,
          .properties = {.description = "proportion of sectors that hit"},
          .suffixes = {".pct", ".ratio"}};
}

CounterList List(std::vector<ListedMetric> metrics) {
  return {.chip = "GH100",
          .device = "NVIDIA H200",
          .cupti = 130001,
          .metrics = std::move(metrics)};
}

TEST(CounterListText, AMetricHasPassesUnitMeaningAndSuffixes) {
  EXPECT_EQ(CounterTable(List({Bytes(), HitRate()}), 80),
            "GH100 (NVIDIA H200), by CUPTI 130001\n"
            "\n"
            "metric                  sample  count  unit\n"
            "dram__bytes                  1     12  byte\n"
            "    # of bytes accessed in DRAM\n"
            "    .avg .sum; behind each, or nothing: .per_second\n"
            "lts__t_sector_hit_rate       -      2\n"
            "    proportion of sectors that hit\n"
            "    .pct .ratio\n");
}

TEST(CounterListText, FullNamesHaveTheirPassesTogether) {
  ListedMetric sum = Bytes();
  sum.name += ".sum";
  sum.suffixes.clear();
  ListedMetric rate = HitRate();
  rate.name += ".pct";
  rate.suffixes.clear();
  CounterList list = List({sum, rate});
  list.count_together = 13;
  list.hints = {"no metric of GH100 matches 'x'"};
  EXPECT_THAT(
      CounterTable(list, 80),
      ::testing::EndsWith("\ntogether: sample not together, count 13 "
                          "passes\n\nno metric of GH100 matches 'x'\n"));
}

TEST(CounterListText, ALongNameIsNotCutAndNothingIsWider) {
  ListedMetric metric = Bytes();
  metric.name = "dram__" + std::string(60, 'x');
  metric.properties.description =
      "a description of many words that goes on and on until it is wider than "
      "the terminal is, and hostile: \x1b[31m";
  const std::string table = CounterTable(List({metric}), 60);
  EXPECT_THAT(table, ::testing::HasSubstr("\n" + metric.name + "\n"));
  EXPECT_THAT(table, ::testing::Not(::testing::HasSubstr("\x1b")));
  for (const std::string& line : Split(table, '\n')) {
    if (line == metric.name) continue;
    EXPECT_LE(DisplayWidth(line), 60U) << line;
  }
}

TEST(CounterListText, TheOverviewCountsUnitsAndGroups) {
  ListedMetric grouped = Bytes();
  grouped.name = "FBP.Triage.dram__bytes";
  ListedMetric written = Bytes();
  written.name = "dram__bytes_write";
  written.in_count = false;
  const std::string table =
      CounterUnitsTable(List({grouped, Bytes(), written, HitRate()}), 100);
  EXPECT_THAT(table,
              ::testing::HasSubstr("unit  sample  count  metrics\n"
                                   "dram       2      1  bytes, bytes_write\n"
                                   "lts        0      1  t_sector_hit_rate\n"));
  EXPECT_THAT(table, ::testing::HasSubstr("1 more have a fixed group"));
}

TEST(CounterListText, TheJsonDistinguishesNotOfferedFromNotRequested) {
  const auto asked =
      nlohmann::json::parse(CounterJson(List({Bytes(), HitRate()}), true));
  EXPECT_EQ(asked["schema"], "rangefinder.counters/1");
  EXPECT_EQ(asked["device"], "NVIDIA H200");
  EXPECT_EQ(asked["metrics"][0]["sample"],
            (nlohmann::json{{"offered", true}, {"passes", 1}}));
  EXPECT_EQ(asked["metrics"][1]["sample"],
            (nlohmann::json{{"offered", false}, {"passes", nullptr}}));
  EXPECT_EQ(asked["metrics"][1]["type"], "ratio");
  EXPECT_EQ(asked["metrics"][1]["hardware_unit"], "lts");
  const auto all = nlohmann::json::parse(CounterJson(List({Bytes()}), false));
  EXPECT_EQ(all["metrics"][0]["sample"], (nlohmann::json{{"offered", true}}));
}

}  // namespace
}  // namespace rangefinder
