#include "serve/metrics.h"

#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

Json Scope(int process, Json regions) {
  return {{"scope", fmt::format("process:{}/device:0", process)},
          {"process", process},
          {"device", "cuda:0"},
          {"regions", std::move(regions)}};
}

Json Amounts(const Json& gpu_time_ns, int launches, Json metrics = {}) {
  return {{"gpu_time_ns", gpu_time_ns},
          {"kernel_count", launches},
          {"metrics", std::move(metrics)}};
}

// A region at the root that launched `launches` kernels of 1 ms each.
Json Region(int id, const std::string& name, int launches) {
  const Json amounts = Amounts(1000000 * launches, launches);
  return {{"id", id},   {"name", name},         {"path", Json::array({name})},
          {"depth", 0}, {"inclusive", amounts}, {"exclusive", amounts}};
}

Result<std::vector<RegionFigures>> Figures(Json scopes) {
  const Json report = {{"schema", "rangefinder.report/2"},
                       {"scopes", std::move(scopes)}};
  std::istringstream in(
      report.dump(-1, ' ', false, Json::error_handler_t::ignore));
  return FiguresOfReport(in);
}

std::string Text(Json scopes,
                 MetricsFormat format = MetricsFormat::kPrometheus) {
  auto figures = Figures(std::move(scopes));
  if (!figures.ok()) return figures.error().message();
  const RunFigures run{.run = "7",
                       .windows = 1,
                       .up = true,
                       .start_unix_s = 1.5e9,
                       .seconds = 2,
                       .regions = std::move(figures).value()};
  return MetricsText({&run, 1}, format);
}

// The lines of `text` that begin with `start`.
std::string Lines(const std::string& text, const std::string& start) {
  std::string lines;
  for (const std::string& line : Split(text, '\n'))
    if (line.starts_with(start)) lines += line + "\n";
  return lines;
}

TEST(Metrics, AreTheFiguresOfRegions) {
  Json outer = Region(1, "decode", 4);
  outer["exclusive"] = Amounts(3000000, 3);
  outer["instances"] = 2;
  outer["times"] = {{"gpu", {{"copy_bytes", 100}, {"set_bytes", 20}}}};
  Json inner = Region(2, "attention", 1);
  inner["path"] = {"decode", "attention"};
  const std::string text = Text({{{"scope", "aggregate"}, {"regions", {outer}}},
                                 Scope(42, {outer, inner})});
  const std::string labels = "{run=\"7\",process=\"42\",device=\"cuda:0\",";
  EXPECT_EQ(Lines(text, "rangefinder_region"),
            "rangefinder_region_gpu_seconds" + labels +
                "region=\"decode\"} 0.004\n"
                "rangefinder_region_gpu_seconds" +
                labels +
                "region=\"decode/attention\"} 0.001\n"
                "rangefinder_region_exclusive_gpu_seconds" +
                labels +
                "region=\"decode\"} 0.003\n"
                "rangefinder_region_exclusive_gpu_seconds" +
                labels +
                "region=\"decode/attention\"} 0.001\n"
                "rangefinder_region_launches" +
                labels +
                "region=\"decode\"} 4\n"
                "rangefinder_region_launches" +
                labels +
                "region=\"decode/attention\"} 1\n"
                "rangefinder_region_exclusive_launches" +
                labels +
                "region=\"decode\"} 3\n"
                "rangefinder_region_exclusive_launches" +
                labels +
                "region=\"decode/attention\"} 1\n"
                "rangefinder_region_instances" +
                labels +
                "region=\"decode\"} 2\n"
                "rangefinder_region_copy_bytes" +
                labels + "region=\"decode\"} 120\n");
  EXPECT_EQ(Lines(text, "rangefinder_window"),
            "rangefinder_windows_total{run=\"7\"} 1\n"
            "rangefinder_window_failures_total{run=\"7\"} 0\n"
            "rangefinder_window_start_timestamp_seconds{run=\"7\"} 1500000000\n"
            "rangefinder_window_seconds{run=\"7\"} 2\n");
}

TEST(Metrics, HaveSharesAndBytesWithTheirErrors) {
  Json region = Region(1, "decode", 4);
  region["inclusive"]["metrics"] = {
      {"dram__bytes_read.sum",
       {{"value", 1e9}, {"how", "estimated"}, {"standard_error", 2e6}}},
      {"dram__bytes_write.sum", {{"value", 5e6}, {"how", "bound"}}},
      {"sm_busy_share", {{"value", nullptr}, {"how", "absent"}}},
      {"dram_peak_share",
       {{"value", 42.5}, {"how", "estimated"}, {"standard_error", 0.5}}}};
  const std::string text = Text({Scope(42, {region})});
  const std::string labels =
      "{run=\"7\",process=\"42\",device=\"cuda:0\",region=\"decode\"} ";
  EXPECT_EQ(Lines(text, "rangefinder_region_dram"),
            "rangefinder_region_dram_read_bytes" + labels +
                "1000000000\n"
                "rangefinder_region_dram_read_standard_error_bytes" +
                labels +
                "2000000\n"
                "rangefinder_region_dram_peak_ratio" +
                labels +
                "0.425\n"
                "rangefinder_region_dram_peak_standard_error_ratio" +
                labels + "0.005\n");
  EXPECT_THAT(text, Not(HasSubstr("sm_busy")));
}

TEST(Metrics, HaveNoSampleOfAbsentValues) {
  Json region = Region(1, "decode", 4);
  region["inclusive"] = Amounts(nullptr, 4);
  // A summary replaces the amounts, also if its value is null.
  region["summary"] = {{"gpu_time_ns", 5000000},
                       {"own_gpu_time_ns", nullptr},
                       {"launches", 6},
                       {"own_launches", nullptr}};
  const std::string text = Text({Scope(42, {region})});
  EXPECT_THAT(text,
              AllOf(HasSubstr("region_gpu_seconds{"), HasSubstr("} 0.005\n"),
                    HasSubstr("} 6\n"), Not(HasSubstr("exclusive")),
                    Not(HasSubstr("_bytes")), Not(HasSubstr("_ratio"))));

  const RunFigures before{.run = "7"};
  EXPECT_EQ(Lines(MetricsText({&before, 1}, MetricsFormat::kPrometheus),
                  "rangefinder_"),
            "rangefinder_windows_total{run=\"7\"} 0\n"
            "rangefinder_window_failures_total{run=\"7\"} 0\n");
}

TEST(Metrics, OfOpenMetricsHaveUnitsAndAnEnd) {
  const std::string text =
      Text({Scope(42, {Region(1, "decode", 4)})}, MetricsFormat::kOpenMetrics);
  EXPECT_THAT(text, EndsWith("\n# EOF\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE rangefinder_windows counter\n"));
  EXPECT_THAT(text, HasSubstr("\nrangefinder_windows_total{run=\"7\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("# UNIT rangefinder_region_gpu_seconds seconds\n"));
  // As the specification demands of a family with a unit.
  for (const std::string& line : Split(text, '\n')) {
    if (!line.starts_with("# UNIT ")) continue;
    const std::vector<std::string> words = Split(line, ' ');
    EXPECT_THAT(words[2], EndsWith("_" + words[3]));
  }
}

TEST(Metrics, EscapeHostileNames) {
  const std::string bad = "\"} 1\nrangefinder_up 7 \\ \xff end";
  const std::string text =
      Text({Scope(42, {Region(1, bad, 1), Region(2, "\xff\xfe", 1)})});
  EXPECT_THAT(text, HasSubstr("region=\"\\\"} 1\\nrangefinder_up 7 \\\\ "));
  EXPECT_EQ(Lines(text, "rangefinder_up"), "rangefinder_up{run=\"7\"} 1\n");
  EXPECT_TRUE(IsValidUtf8(text));

  const RunFigures run{.run = "a\xff\"\n"};
  EXPECT_THAT(MetricsText({&run, 1}, MetricsFormat::kOpenMetrics),
              HasSubstr("{run=\"a\xef\xbf\xbd\\\"\\n\"} 0"));
}

TEST(Metrics, HaveOneSampleForEachSetOfLabels) {
  const std::string longest(5000, 'x');
  Json joined = Region(3, "b", 1);
  joined["path"] = {"a", "b"};
  const std::string text = Text(
      {Scope(42, {Region(1, "a/b", 1), Region(2, longest + "1", 1), joined,
                  Region(4, longest + "2", 1), Region(5, "(others)", 1)})});
  std::set<std::string> seen;
  for (const std::string& line : Split(text, '\n')) {
    EXPECT_LT(line.size(), 1200U);
    EXPECT_TRUE(line.empty() || line.starts_with('#') ||
                seen.insert(line.substr(0, line.rfind(' '))).second)
        << line;
  }
  EXPECT_THAT(text, HasSubstr("region=\"a/b (2)\""));
  EXPECT_THAT(text, HasSubstr("region=\"(others) (2)\""));
}

TEST(Metrics, SumTheRegionsBeyondTheLimit) {
  Json regions = Json::array();
  for (int i = 0; i < 300; ++i)
    regions.push_back(Region(i + 1, fmt::format("step {}", i), i + 1));
  regions[0]["instances"] = 7;
  const auto figures = Figures({Scope(42, regions)}).value();
  ASSERT_EQ(figures.size(), kMostServedRegions + 1);
  EXPECT_EQ(figures.front().region, "step 100");
  EXPECT_EQ(figures.back().region, "(others)");
  EXPECT_NEAR(*figures.back().values[0], 5.050, 1e-9);  // 1 + … + 100 ms
  EXPECT_EQ(figures.back().values[2], 5050);
  EXPECT_EQ(RegionFamilyNames()[4], "rangefinder_region_instances");
  EXPECT_EQ(figures.back().values[4], std::nullopt);  // cannot be added
}

TEST(Metrics, CountNoKernelTwiceInTheSum) {
  // Each of 250 regions around one that has all of its time: the outer ones
  // come first, and the inner ones' time is theirs.
  Json regions = Json::array();
  for (int i = 0; i < 250; ++i) {
    Json outer = Region(2 * i + 1, fmt::format("outer {}", i), 1);
    outer["exclusive"] = Amounts(0, 0);
    Json inner = Region(2 * i + 2, "inner", 1);
    inner["path"] = {outer["name"], "inner"};
    inner["depth"] = 1;
    regions.push_back(std::move(outer));
    regions.push_back(std::move(inner));
  }
  const auto figures = Figures({Scope(42, regions)}).value();
  ASSERT_EQ(figures.size(), kMostServedRegions + 1);
  EXPECT_EQ(figures[199].region, "outer 199");
  // The exclusive times of all rows are the run's.
  double exclusive = 0;
  for (const RegionFigures& row : figures)
    exclusive += row.values[1].value_or(0);
  EXPECT_NEAR(exclusive, 0.250, 1e-9);
}

TEST(Metrics, AreBoundedOverManyProcesses) {
  Json regions = Json::array();
  for (int i = 0; i < 300; ++i)
    regions.push_back(Region(i + 1, fmt::format("step {}", i), i + 1));
  Json scopes = {{{"scope", "aggregate"}, {"regions", regions}}};
  Json brief = Scope(7, Json::array());
  brief["same_as"] = "aggregate";
  EXPECT_EQ(Figures({scopes[0], brief}).value().size(),
            Figures(scopes).value().size());
  for (int i = 0; i < 50; ++i) scopes.push_back(Scope(i, regions));
  EXPECT_EQ(Figures(scopes).value().size(), 50U * 41);
  for (int i = 50; i < 1000; ++i) scopes.push_back(Scope(i, {}));
  // With more scopes than the limit, only the aggregate.
  const auto together = Figures(scopes).value();
  EXPECT_EQ(together.size(), kMostServedRegions + 1);
  EXPECT_EQ(together.front().process, "");
}

TEST(Metrics, AreRefusedForOtherJson) {
  for (const char* text :
       {"", "{", "[1]", "\xff", R"({"schema": "other"})", "[[[[[["}) {
    std::istringstream in(text);
    EXPECT_FALSE(FiguresOfReport(in).ok()) << text;
  }
  std::istringstream empty(R"({"schema": "rangefinder.report/2",
      "scopes": [{"regions": [7, null, {"id": "x"}]}, 3]})");
  EXPECT_FALSE(FiguresOfReport(empty).ok());
  EXPECT_THAT(Figures(Json::array()).value(), IsEmpty());
}

}  // namespace
}  // namespace rangefinder
