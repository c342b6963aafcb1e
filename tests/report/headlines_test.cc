// The headlines of a report: only statements that the measurements support.

#include "insight/headlines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string Lines(const Analysis& analysis) {
  const Report report =
      MakeReport(analysis, ReportOptionsOf(ShippedSettings()));
  std::string lines;
  for (const Headline& headline : report.diagnosis.headlines)
    lines += HeadlineText(report, headline) + "\n";
  return lines;
}

// `count` instances of region step inside LLM, each with one launch of a kernel
// of 2 µs that runs at once, one every `every_us`; the first is open for
// `first_us`.
std::string Steps(int count, int every_us, int first_us) {
  std::string trace = "process pid=7 exe=/bin/app\n1 push LLM\n";
  std::string kernels;
  int now = 10;
  for (int i = 0; i < count; ++i) {
    const int open = i == 0 ? first_us : 4;
    trace += fmt::format("{} push step\n{} launch {}\n{} pop\n", now, now + 1,
                         i + 1, now + open);
    kernels +=
        fmt::format("kernel tiny {}-{} of={}\n", now + 3, now + 5, i + 1);
    now += std::max(open, every_us);
  }
  return trace + fmt::format("{} pop\n", now) + kernels;
}

TEST(Headlines, AnIdleGpuBetweenManyShortLaunches) {
  EXPECT_EQ(Lines(*testing::AnalyzeTrace(Steps(40, 50, 4))),
            "LLM: perhaps launch-bound, GPU idle 96 %, 40 kernels of 2.00 µs "
            "each; at stake 1.93 ms (96 %)\n");
  EXPECT_EQ(
      Lines(*testing::AnalyzeTrace("fact api launches\n" + Steps(40, 50, 4))),
      "LLM: launch-bound, GPU idle 96 %, 40 kernels of 2.00 µs each; at "
      "stake 1.93 ms (96 %)\n");
}

TEST(Headlines, AFirstInstanceThatTakesLonger) {
  EXPECT_THAT(Lines(*testing::AnalyzeTrace(Steps(8, 50, 20000))),
              StartsWith("LLM › step: warm-up, 20.00 ms in its first instance, "
                         "then 4.00 µs each; at stake 20.00 ms (98 %)\n"));
}

TEST(Headlines, ARangeThatIsNeverClosed) {
  EXPECT_THAT(Lines(*testing::AnalyzeTrace(
                  "process pid=7 exe=/bin/app\n"
                  "1 push leak\n2 launch 1\nkernel k 3-4 of=1\n")),
              StartsWith("leak was never closed: "));
}

TEST(Headlines, ALibrarysRangeThatIsNeverClosedHoldsNoRegionsOfTheProgram) {
  const auto analysis = testing::AnalyzeTrace(
      "process pid=7 exe=/bin/app\n1 push NCCL@init\n2 launch 1\n3 push step\n"
      "4 launch 2\n5 pop\nkernel k 3-4 of=1\nkernel k 5-6 of=2\n");
  std::vector<std::string> paths;
  for (std::size_t i = 1; i < analysis->tree.regions().size(); ++i)
    paths.push_back(PathText(analysis->profile,
                             analysis->tree.PathTo(static_cast<RegionId>(i))));
  EXPECT_THAT(paths, UnorderedElementsAre("NCCL@init", "step"));
  EXPECT_EQ(Lines(*analysis), "");
}

TEST(Headlines, AShortProgramHasNone) {
  EXPECT_EQ(Lines(*testing::AnalyzeTrace(Steps(2, 50, 4))), "");
}

constexpr std::string_view kBusy =
    "sm__throughput.avg.pct_of_peak_sustained_elapsed={} "
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed={} @ {}";

std::string Kernel(int ns, int compute, int memory, std::string_view path) {
  return fmt::format("kernel k gpu__time_duration.sum={} ", ns) +
         fmt::format(fmt::runtime(kBusy), compute, memory, path) + "\n";
}

TEST(Headlines, WhatARegionIsBoundByWhereItsCountersTell) {
  EXPECT_EQ(Lines(*testing::AnalyzeText(Kernel(9000, 20, 71, "decode") +
                                        Kernel(5000, 88, 30, "prefill") +
                                        Kernel(10, 5, 99, "tiny"))),
            "decode: memory-bound, 71 % of peak; at stake 6.39 µs (46 %)\n"
            "prefill: compute-bound, 88 % of peak; at stake 4.40 µs (31 %)\n");
}

TEST(Headlines, TheInnermostRegionThatHasMostOfIt) {
  EXPECT_EQ(
      Lines(*testing::AnalyzeText(Kernel(9000, 20, 71, "LLM/decode") +
                                  Kernel(100, 20, 71, "LLM"))),
      "LLM › decode: memory-bound, 71 % of peak; at stake 6.39 µs (70 %)\n");
}

TEST(Headlines, StandFirstInTheDocuments) {
  const auto analysis = testing::AnalyzeText(Kernel(9000, 20, 71, "decode"));
  const testing::Documents documents = testing::WriteAll(
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings())));
  EXPECT_THAT(documents.markdown,
              StartsWith("# NCU Region Reports\n\nMeasured by "));
  EXPECT_THAT(documents.markdown,
              HasSubstr(".\n\n- **decode: memory-bound, 71 % of peak; at stake "
                        "6.39 µs (71 %)**. To do: "));
  EXPECT_THAT(documents.glance, HasSubstr("- **decode: memory-bound"));
  const auto json = nlohmann::json::parse(documents.json);
  ASSERT_EQ(json["headlines"].size(), 1U);
  EXPECT_EQ(json["headlines"][0]["kind"], "memory_bound");
  EXPECT_EQ(json["headlines"][0]["text"],
            "decode: memory-bound, 71 % of peak; at stake 6.39 µs (71 %)");
  EXPECT_EQ(json["headlines"][0]["certain"], true);
  EXPECT_EQ(json["headlines"][0]["region_id"],
            json["scopes"][0]["regions"][0]["id"]);
}

}  // namespace
}  // namespace rangefinder
