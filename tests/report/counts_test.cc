// Exact counts of regions, from a trace's bytes to every document, alone and
// next to estimates.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ingest/trace/trace_reader.h"
#include "report/documents.h"
#include "report/sentences.h"
#include "tests/support/analyze.h"
#include "tests/support/report_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using Json = nlohmann::json;

// Steps of 80 us with a kernel that reads 3 MB and one that reads 1 MB, and
// samples of that every 130 us.
std::string Sampled(int steps,
                    const std::string& metric = "dram__bytes_read.sum") {
  std::string text = "process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H200\n";
  std::string rest =
      "sampling 0 interval=130 chip=GH100 metrics=" + metric + "\n";
  const auto part = [](double from, double to, double at) {
    return std::max(0.0, std::min(to, at + 130) - std::max(from, at)) /
           (to - from);
  };
  for (int i = 0; i < steps; ++i) {
    const int at = 10 + 100 * i;
    text += fmt::format(
        "{0} push step\n{0} push a\n{1} launch {2}\n{1} pop\n"
        "{1} launch {3}\n{1} pop\n",
        at, at + 1, 2 * i + 1, 2 * i + 2);
    rest += fmt::format("kernel load {}-{} of={} grid=64 block=128\n", at + 3,
                        at + 33, 2 * i + 1);
    rest += fmt::format("kernel add {}-{} of={} grid=64 block=128\n", at + 34,
                        at + 80 + i % 3, 2 * i + 2);
  }
  for (int at = 0; at + 130 < steps * 100; at += 130) {
    double bytes = 0;
    for (int i = at / 100 - 1; i <= at / 100 + 2; ++i) {
      if (i < 0 || i >= steps) continue;
      const int from = 10 + 100 * i;
      bytes += 3e6 * part(from + 3, from + 33, at) +
               1e6 * part(from + 34, from + 80 + i % 3, at);
    }
    rest += fmt::format("sample 0 {}-{} {}\n", at, at + 130, bytes);
  }
  return text + rest;
}

class Counts : public testing::ReportTest {
 protected:
  void Make(const std::vector<std::string>& traces) {
    const TempDir folder;
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      files.push_back(testing::WriteTo(folder, fmt::format("{}.rftrace", i),
                                       testing::BuildTrace(traces[i])));
    }
    auto analysis = Analyze(files, AnalysisOptions{});
    ASSERT_TRUE(analysis.ok()) << analysis.error().message();
    Take(std::move(analysis).value());
  }
  Json Measured(const std::string& region) {
    return Region(region).value("measured", Json());
  }
};

constexpr char kCounted[] =
    "process pid=8 exe=/bin/app\n"
    "10 push step\n20 pop\n"
    "counting 0 metrics=dram__bytes_read.sum\n"
    "row step\nrow step/a\n";

TEST_F(Counts, AreTheMeanOfAnInstanceAndItsDeviation) {
  Make({std::string(kCounted) +
        "count 0 2 4000000\ncount 0 5 4000004\ncount 1 3 3000000\n"
        "skipped 1 7 why=3\n"});
  const Json step = Measured("step");
  ASSERT_EQ(step.size(), 1U);
  EXPECT_EQ(step[0]["mode"], "counters");
  EXPECT_EQ(step[0]["instances"], 2);
  EXPECT_EQ(step[0]["metrics"]["dram__bytes_read.sum"]["value"], 4000002);
  EXPECT_NEAR(step[0]["standard_deviation"]["dram__bytes_read.sum"],
              std::sqrt(8.0), 1e-9);
  const Json a = Measured("a");
  EXPECT_EQ(a[0]["instances"], 1);
  EXPECT_FALSE(a[0].contains("standard_deviation"));
  EXPECT_THAT(documents_.markdown, HasSubstr("counters, mean of 2 instances"));
  EXPECT_THAT(documents_.markdown,
              HasSubstr("instances of step / a were not counted: a stream was "
                        "being captured"));
  EXPECT_EQ(CheckText(report_), "");
}

TEST_F(Counts, OfPartsAddUp) {
  Make({std::string(kCounted) +
        "count 0 2 1000000\ncount 0 2 7\ncount 1 3 3000000 in=0 of=2\n"
        "count 1 4 3000000 in=0 of=2\n"});
  EXPECT_EQ(Measured("step")[0]["metrics"]["dram__bytes_read.sum"]["value"],
            7000007);
  EXPECT_EQ(Measured("a")[0]["metrics"]["dram__bytes_read.sum"]["value"],
            3000000);
}

// A region around itself, and instances of rows that are not there.
TEST_F(Counts, ThatCannotBeDoNoHarm) {
  Make({std::string(kCounted) +
        "count 0 2 5 in=0 of=2\ncount 1 3 3 in=1 of=3\ncount 0 4 5 in=1 of=3\n"
        "count 1 9 3 in=77 of=1\ncount 9 1 5\n"});
  EXPECT_EQ(Measured("step")[0]["metrics"]["dram__bytes_read.sum"]["value"], 5);
  EXPECT_EQ(Measured("a")[0]["metrics"]["dram__bytes_read.sum"]["value"], 3);
}

// Of a cut or damaged trace, all that is read are counts of regions.
TEST_F(Counts, OfADamagedTraceAreThoseBeforeTheDamage) {
  const std::string trace =
      testing::BuildTrace(std::string(kCounted) +
                          "count 0 2 4000000\ncount 1 3 3000000 in=0 of=2\n");
  const auto read = [](std::string_view bytes) {
    Notes notes;
    const auto profile = ReadRangefinderTrace(
        {.path = "trace", .bytes = bytes, .forget = [](std::string_view) {}},
        notes);
    std::size_t count = 0;
    if (!profile.ok()) return count;
    for (const Measurement& m : profile.value().measurements) {
      EXPECT_EQ(m.mode, ReplayMode::kCounters);
      count += m.counted > 0;
    }
    return count;
  };
  ASSERT_EQ(read(trace), 2U);
  std::size_t before = 0;
  for (std::size_t cut = 0; cut <= trace.size(); cut += 8) {
    const std::size_t now = read(std::string_view(trace).substr(0, cut));
    EXPECT_GE(now, before) << cut;
    before = now;
  }
  EXPECT_EQ(before, 2U);
  for (std::size_t at = 0; at < trace.size(); at += 3) {
    std::string damaged = trace;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    EXPECT_LE(read(damaged), 2U) << at;
  }
}

TEST_F(Counts, LeaveTheTimesToTheTrace) {
  Make({Sampled(600), std::string(kCounted) + "count 0 2 4000000\n"});
  for (const Json& one : json_["scopes"][0]["regions"]) {
    if (one["name"] != "step") continue;
    EXPECT_EQ(one["times"]["instances"], 600);
  }
}

TEST_F(Counts, CheckEstimatesOfTheSameRegions) {
  Make({Sampled(600), std::string(kCounted) +
                          "count 0 2 4000000\ncount 0 5 4010000\n"
                          "count 0 9 3990000\ncount 1 3 3900000\n"});
  const Json& check = json_["capture"]["check"];
  ASSERT_EQ(check.size(), 2U);
  EXPECT_EQ(check[0]["region"], "step");
  EXPECT_EQ(check[0]["instances"], 600);
  EXPECT_EQ(check[0]["counted"], 3);
  EXPECT_EQ(check[0]["exact"], 4000000);
  EXPECT_NEAR(check[0]["exact_standard_error"], 1e4 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(check[0]["estimate"], 4e6, 4e4);
  EXPECT_TRUE(check[0]["agrees"]);
  EXPECT_EQ(check[1]["region"], "step/a");
  EXPECT_EQ(check[1]["exact_standard_error"], 0);
  EXPECT_FALSE(check[1]["agrees"]);
  EXPECT_EQ(CheckText(report_),
            "1 of 2 estimates of cycles and memory traffic agree with exact "
            "counts of instances, within the 95 % of both; cycles and traffic "
            "also differ from run to run");
  EXPECT_THAT(documents_.markdown, HasSubstr("## Estimates and exact counts"));
  EXPECT_THAT(documents_.markdown, HasSubstr("| differs |"));
}

TEST_F(Counts, OfCodeAreCheckedApartFromTraffic) {
  const std::string metric = "sm__pipe_tensor_cycles_active.sum";
  Make(
      {Sampled(600, metric),
       "process pid=8 exe=/bin/app\n10 push step\n20 pop\ncounting 0 metrics=" +
           metric + "\nrow step\ncount 0 2 4000000\ncount 0 5 4010000\n" +
           "count 0 9 3990000\n"});
  EXPECT_EQ(CheckText(report_),
            "1 of 1 estimates of instructions and pipes agree with exact "
            "counts of instances, within the 95 % of both");
}

TEST_F(Counts, StandBesideTheEstimatesOnTheTerminal) {
  Make({Sampled(600), std::string(kCounted) +
                          "count 0 2 4000000\ncount 0 5 4010000\n"
                          "count 0 9 3990000\ncount 1 3 3900000\n"});
  std::ostringstream out;
  WriteTerminal(ShowDocument(report_, {}), {}, out);
  EXPECT_THAT(out.str(), Not(HasSubstr("as a whole (")));
  EXPECT_THAT(out.str(), HasSubstr("1 of 2 estimates of"));
  const auto row = [&](std::string_view region) {
    const std::size_t table = out.str().find("estimate ");
    const std::size_t at = out.str().find(region, table);
    return out.str().substr(at, out.str().find('\n', at) - at);
  };
  EXPECT_THAT(row("step "),
              MatchesRegex("step +.+ (3\\.99|4\\.0).+ ± .+ MB +4.+ ± "
                           "0\\.00.+ MB +.+ % +agrees"));
  EXPECT_THAT(row("a "), MatchesRegex("a +.+ ± .+ MB +3.90 MB +.+ % +differs"));

  Document first;
  AddChecks(first, report_, 3, {RegionId{1}, RegionId{2}}, Detail::kShort);
  ASSERT_GE(first.blocks.size(), 2U);
  EXPECT_EQ(std::get<Table>(first.blocks[1]).rows.size(), 2U);
}

}  // namespace
}  // namespace rangefinder
