// Samples of the GPU's counters over time: in the page's timeline and as
// Perfetto's counter tracks; and the roofline of estimates.

#include "writers/json/sample_tracks.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "export/formats.h"
#include "report/sentences.h"
#include "tests/support/analyze.h"
#include "tests/support/sampled_loop.h"
#include "tests/support/trace_builder.h"
#include "writers/json/json_parts.h"
#include "writers/json/json_stream.h"
#include "writers/json/timeline_json.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kThreeSamples = R"(
process pid=7 rank=3 exe=/bin/app
gpu 0 NVIDIA_H200
peaks 0 memory_khz=3000000 bus=6144 sms=132 khz=2000000
150 push step
160 launch 1
550 pop
kernel load 170-180 of=1
sampling 0 interval=200 chip=GH100 metrics=dram__bytes_read.sum,dram__bytes_write.sum,sm__cycles_active.avg
sample 0 100-300 400,100,200000
sample 0 300-500 600,0,nan
gap 0 500-700 missing=1 why=1
sample 0 700-900 0,0,100000
)";

class SampleTracksOf : public ::testing::Test {
 protected:
  void Make(std::string_view trace) {
    path_ = testing::WriteTo(folder_, "a.rftrace", testing::BuildTrace(trace));
    analysis_ = testing::AnalyzeFile(path_);
    report_ = testing::ShippedReport(*analysis_);
  }
  Json Samples() { return Json::parse(TimelineText(report_))["samples"]; }
  Json Perfetto() {
    std::ostringstream out;
    Notes notes;
    const std::vector<std::filesystem::path> paths = {path_};
    EXPECT_TRUE(WritePerfetto(paths, out, notes).ok());
    return Json::parse(out.str())["traceEvents"];
  }
  const TempDir folder_{};
  std::filesystem::path path_{};
  std::unique_ptr<Analysis> analysis_{};
  Report report_{};
};

TEST_F(SampleTracksOf, FewSamplesAreAPointEachAndGapsStayGaps) {
  Make(kThreeSamples);
  const Json timeline = Json::parse(TimelineText(report_));
  EXPECT_EQ(timeline["end_ns"], 800'000);  // samples began first
  EXPECT_EQ(timeline["ranges"]["start"], Json({50'000}));
  ASSERT_EQ(timeline["samples"].size(), 1U);
  const Json& track = timeline["samples"][0];
  EXPECT_EQ(track["process"], 7);
  EXPECT_EQ(track["rank"], 3);
  EXPECT_EQ(track["device"], 0);
  EXPECT_EQ(track["samples"], 3);
  EXPECT_EQ(track["lost"], 1);
  EXPECT_EQ(track["interval_ns"], 200'000);
  EXPECT_EQ(track["start"], Json({0, 200'000, 400'000}));
  EXPECT_EQ(track["length"], Json({200'000, 200'000, 200'000}));
}

TEST_F(SampleTracksOf, CountersAreRatesAndTheMemoryIsOneLine) {
  Make(kThreeSamples);
  std::string drawn;
  const Json track = Samples()[0];
  for (const Json& line : track["metrics"]) {
    EXPECT_FALSE(line.contains("max"));
    drawn += fmt::format("{} [{}] {}\n", line["name"].get<std::string>(),
                         line["unit"].get<std::string>(), line["mean"].dump());
  }
  EXPECT_EQ(drawn,
            "dram__bytes.sum [byte/s] [2500000.0,3000000.0,0]\n"
            "dram__bytes_read.sum [byte/s] [2000000.0,3000000.0,0]\n"
            "dram__bytes_write.sum [byte/s] [500000.0,0,0]\n"
            "sm__cycles_active.avg [%] [50,null,25]\n");
}

// Every tenth counts; `from` and `to` are missing.
std::string ManySamples(int count, int from, int to) {
  std::string trace =
      "process pid=7\n10 push step\n20 pop\nsampling 0 interval=10 chip=GH100 "
      "metrics=lts__t_sectors.sum,dram__bytes_read.sum\n";
  for (int i = 0; i < count; ++i) {
    if (i >= from && i < to) continue;
    trace += fmt::format("sample 0 {}-{} {},0\n", 10 * i, 10 * i + 10,
                         i % 10 == 0 ? 50 : 0);
  }
  return trace;
}

TEST_F(SampleTracksOf, ManySamplesAreFewPointsWithMeanAndMost) {
  constexpr int kCount = 100'000, kFrom = 40'000, kTo = 50'000;
  Make(ManySamples(kCount, kFrom, kTo));
  const Json track = Samples()[0];
  const std::size_t points = track["start"].size();
  EXPECT_LE(points, SampleTracks::kMostPoints);
  EXPECT_GE(points, SampleTracks::kMostPoints * 8 / 10);
  const Json& line = track["metrics"][0];
  ASSERT_EQ(line["mean"].size(), points);
  ASSERT_EQ(line["max"].size(), points);
  double sectors = 0;
  std::uint64_t at = 0, sampled = 0;
  for (std::size_t i = 0; i < points; ++i) {
    at += track["start"][i].get<std::uint64_t>();
    const std::uint64_t length = track["length"][i];
    EXPECT_FALSE(at < kTo * 10'000 && at + length > kFrom * 10'000) << at;
    sampled += length;
    sectors +=
        line["mean"][i].get<double>() * static_cast<double>(length) / 1e9;
    EXPECT_EQ(line["max"][i], 5e6);  // sectors a second
  }
  EXPECT_EQ(sampled, (kCount - (kTo - kFrom)) * 10'000ULL);
  EXPECT_NEAR(sectors, 50 * (kCount - (kTo - kFrom)) / 10, 500);
  EXPECT_LT(TimelineText(report_).size(), 150'000U);
}

TEST_F(SampleTracksOf, WithoutSamplesThereAreNone) {
  Make(
      "process pid=7\n10 push step\n20 pop\nsampling 0 interval=200 "
      "chip=GH100 metrics=a.sum\nstopped 0 15 reason=no_permission\n");
  EXPECT_THAT(TimelineText(report_), Not(HasSubstr("samples")));
  for (const Json& event : Perfetto()) EXPECT_NE(event["ph"], "C");
}

TEST_F(SampleTracksOf, PerfettoHasACounterAMetricAndTheGapsBeside) {
  Make(kThreeSamples);
  std::map<std::string, std::string> counters;
  std::string gaps;
  for (const Json& event : Perfetto()) {
    if (event["ph"] == "C") {
      EXPECT_EQ(event["pid"], 7);
      counters[event["name"]] +=
          fmt::format(" {}:{}", event["ts"].get<double>(),
                      event["args"]["value"].get<double>());
    } else if (event["ph"] == "X" && event["cat"] == "samples") {
      gaps +=
          fmt::format("{} {}+{}", event["name"].get<std::string>(),
                      event["ts"].get<double>(), event["dur"].get<double>());
    }
  }
  EXPECT_EQ(counters.size(), 3U);
  EXPECT_EQ(counters["GPU 0 dram__bytes_read.sum [byte/s]"],
            " 100:2000000 300:3000000 500:0");
  EXPECT_EQ(counters["GPU 0 dram__bytes_write.sum [byte/s]"],
            " 100:500000 300:0");
  EXPECT_EQ(counters["GPU 0 sm__cycles_active.avg [%]"],
            " 100:50 300:0 700:25 900:0");
  EXPECT_EQ(gaps, "decoding fell behind 500+200");
}

TEST_F(SampleTracksOf, EstimatesHaveARooflineOfInstructions) {
  Make(testing::SampledLoop());
  const testing::Documents documents = testing::WriteAll(report_);
  const Json json = Json::parse(documents.json);
  const Json& region = json["scopes"][0]["regions"][0];
  ASSERT_EQ(region["roofline"].size(), 1U);
  const Json& row = region["roofline"][0];
  EXPECT_EQ(row["precision"], "instructions");
  EXPECT_EQ(row["unit"], "inst");
  EXPECT_EQ(row["how"], "estimated");
  EXPECT_FALSE(row.contains("flop"));
  EXPECT_NEAR(row["instructions"], 400 * 1e8, 400 * 2e6);
  EXPECT_NEAR(row["intensity"], 0.5, 0.01);
  EXPECT_NEAR(row["achieved_instructions"], 1e12, 2e10);
  EXPECT_EQ(row["peak_instructions"], 4 * 100 * 2e9);
  EXPECT_EQ(row["peak_bandwidth"], 2 * 3e9 * 6144 / 8);
  EXPECT_EQ(row["limit_instructions"], 4 * 100 * 2e9);
  ASSERT_EQ(region["kernels"].size(), 1U);
  EXPECT_EQ(region["kernels"][0]["roofline"][0]["precision"], "instructions");
  EXPECT_THAT(documents.markdown, HasSubstr("| instructions |"));
  EXPECT_THAT(documents.markdown, HasSubstr("inst/B"));
}

// A window begins with work that was launched before it.
TEST_F(SampleTracksOf, SamplesAtTheBordersOfAWindowAreNotFitted) {
  const auto quality = [&](const std::string& trace) {
    Make(trace);
    return report_.options.estimates->devices().front().fit->quality();
  };
  const FitQuality whole = quality(testing::SampledLoop());
  const FitQuality window =
      quality("fact window 1\n" + testing::SampledLoop(100));
  EXPECT_EQ(whole.samples_used, 857U);
  EXPECT_EQ(window.samples_used, 641U);
  EXPECT_GT(window.metrics[0].r2, 0.99);
  EXPECT_LT(quality(testing::SampledLoop(100)).metrics[0].r2, 0.9);
}

TEST_F(SampleTracksOf, EstimatesBesideMeasuredValuesAreObjects) {
  Make(testing::SampledLoop());
  RegionRollup rolled;
  rolled.inclusive_beside = {{.column = 0,
                              .cell = {.how = How::kEstimated,
                                       .value = 100,
                                       .error = 2,
                                       .low = 96,
                                       .high = 104,
                                       .distinct = 7,
                                       .present = 400},
                              .comparable = true,
                              .agrees = true}};
  std::ostringstream out;
  {
    JsonStream json(out);
    json.BeginObject();
    WriteBesideJson(json, report_, rolled);
    json.EndObject();
    json.Flush();
  }
  const Json written = Json::parse(out.str());
  const Json& beside = written["estimated"]["inclusive"];
  ASSERT_EQ(beside.size(), 1U);
  const Json& cell = beside[report_.rollup->columns[0].name];
  EXPECT_EQ(cell["value"], 100);
  EXPECT_EQ(cell["standard_error"], 2);
  EXPECT_EQ(cell["launches"], 400);
  EXPECT_EQ(cell["agrees"], true);
  EXPECT_EQ(written["estimated"]["exclusive"], Json::object());
}

TEST_F(SampleTracksOf, WhatTheDeviceCanIsKnownBesideEstimates) {
  Make(testing::SampledLoop());
  const Json json = Json::parse(testing::WriteAll(report_).json);
  const Json& metrics = json["scopes"][0]["regions"][0]["inclusive"]["metrics"];
  EXPECT_EQ(metrics["nominal_dram_bandwidth"]["value"], 2 * 3e9 * 6144 / 8);
  EXPECT_EQ(metrics["nominal_dram_bandwidth"]["how"], "exact");
  EXPECT_NEAR(metrics["peak_sm_cycles"]["value"], 2e9 * 400 * 100e-6, 1);
}

}  // namespace
}  // namespace rangefinder
