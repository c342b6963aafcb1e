// Ranges whose names differ by a counter, from the bytes of a trace to the
// bytes of a report: in all that is said, one region of that name.

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "insight/times.h"
#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr int kStepsPerRank = 100;

// Steps in two threads with two layers in each, which two streams work on at
// once; `name` is that of step i.
template <typename Name>
std::string Loop(Name name) {
  std::string text = "process pid=7 exe=/bin/app\n";
  std::string kernels;
  for (int thread = 1; thread <= 2; ++thread) {
    text += fmt::format("thread {}\n", thread);
    for (int i = 0; i < kStepsPerRank; ++i) {
      const int at = 1000 * i + 300 * thread;
      const int call = 10 * (kStepsPerRank * thread + i);
      text += fmt::format(
          "{} push {}\n{} launch {}\n{} push layer0\n{} launch {}\n{} pop\n"
          "{} push layer1\n{} launch {}\n{} pop\n{} pop\n",
          at, name(i), at + 1, call, at + 2, at + 3, call + 1, at + 4, at + 5,
          at + 6, call + 2, at + 7, at + 8 + i % 7);
      kernels += fmt::format(
          "kernel mm {}-{} of={}\nkernel add {}-{} of={} stream=8\n"
          "copy {}-{} of={} bytes=64\n",
          at + 20, at + 60 + i % 5, call, at + 50, at + 70, call + 1, at + 80,
          at + 90, call + 2);
    }
  }
  return text + kernels;
}

struct MergedReport {
  std::unique_ptr<Analysis> analysis{};
  testing::Documents documents{};
  Json json{};
};

MergedReport MergedReportOf(const std::string& trace) {
  MergedReport made;
  made.analysis = testing::AnalyzeTrace(trace);
  ReportOptions options = ReportOptionsOf(ShippedSettings());
  options.generated_at = "2026-11-23T00:00:00Z";  // two of them are compared
  made.documents =
      testing::WriteAll(MakeReport(*made.analysis, std::move(options)));
  made.json = Json::parse(made.documents.json);
  return made;
}

const Json& RegionIn(const MergedReport& report, const std::string& name) {
  for (const Json& region : report.json["scopes"][0]["regions"]) {
    if (region["name"] == name) return region;
  }
  ADD_FAILURE() << "no region " << name;
  static const Json kNone;
  return kNone;
}

// Equal except for the rounding of deviations, and for rows that merging adds.
void ExpectSame(const Json& a, const Json& b, const std::string& where) {
  ASSERT_EQ(a.is_number(), b.is_number()) << where;
  if (a.is_number()) {
    const double x = a, y = b;
    EXPECT_NEAR(x, y, 1e-9 * std::abs(x)) << where;
  } else if (a.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (key == "merged" || !b.contains(key)) {
        EXPECT_TRUE(key == "merged" || key == "name") << where << '/' << key;
      } else {
        ExpectSame(value, b[key], where + "/" + key);
      }
    }
  } else if (a.is_array()) {
    ASSERT_EQ(a.size(), b.size()) << where;
    for (std::size_t i = 0; i < a.size(); ++i)
      ExpectSame(a[i], b[i], fmt::format("{}/{}", where, i));
  } else {
    EXPECT_EQ(a, b) << where;
  }
}

TEST(MergedReports, SayTheSameAsOfOneRegionOfThatName) {
  const auto merged =
      MergedReportOf(Loop([](int i) { return fmt::format("decode_{}", i); }));
  const auto one = MergedReportOf(Loop([](int) { return "decode_*"; }));
  ASSERT_EQ(RegionIn(one, "decode_*")["instances"], 2 * kStepsPerRank);
  EXPECT_FALSE(RegionIn(one, "decode_*").contains("merged"));
  ExpectSame(merged.json["scopes"], one.json["scopes"], "");
  EXPECT_EQ(merged.documents.csv, one.documents.csv);
  EXPECT_EQ(merged.documents.glance, one.documents.glance);
}

TEST(MergedReports, NameTheRangesTheFirstAndTheSlowest) {
  const auto report =
      MergedReportOf(Loop([](int i) { return fmt::format("decode_{}", i); }));
  const Json& merged = RegionIn(report, "decode_*")["merged"];
  EXPECT_EQ(merged["count"], kStepsPerRank);
  ASSERT_EQ(merged["members"].size(), 64U);
  EXPECT_EQ(merged["members"][3]["name"], "decode_3");
  EXPECT_EQ(merged["members"][3]["instances"], 2);
  EXPECT_EQ(merged["members"][3]["kernel_count"], 4);
  EXPECT_EQ(merged["members"][3]["gpu_time_ns"], 2 * 63000);
  EXPECT_EQ(merged["members"][3]["cpu_ns"], 2 * 11000);
  EXPECT_EQ(merged["slowest"]["name"], "decode_4");
  EXPECT_EQ(RegionIn(report, "decode_*")["times"]["slowest"][0]["name"],
            "decode_6");
  EXPECT_FALSE(RegionIn(report, "layer0").contains("merged"));
  EXPECT_THAT(report.documents.markdown,
              HasSubstr("100 names of ranges are merged here; the first is "
                        "decode_0, the slowest decode_4."));
  EXPECT_THAT(report.documents.markdown, HasSubstr(" 6 (decode_6) at "));
}

TEST(Together, IsExactWhereUsesDoNotOverlapAndAtMostTheSpanWhereTheyDo) {
  const GpuUse a{.kernels = 1, .first_ns = 10, .last_ns = 20, .busy_ns = 5};
  const GpuUse b{.kernels = 2, .first_ns = 30, .last_ns = 40, .busy_ns = 10};
  const GpuUse c{.kernels = 3, .first_ns = 35, .last_ns = 45, .busy_ns = 9};
  const GpuUse apart = Together({&b, &a});
  EXPECT_EQ(apart.kernels, 3U);
  EXPECT_EQ(apart.first_ns, 10U);
  EXPECT_EQ(apart.last_ns, 40U);
  EXPECT_EQ(apart.busy_ns, 15U);
  EXPECT_EQ(Together({&b, &c}).busy_ns, 15U);  // not 19
  EXPECT_EQ(Together({&c, &a, &b}).busy_ns, 20U);
}

}  // namespace
}  // namespace rangefinder
