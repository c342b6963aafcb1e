// Times in a report, from the bytes of a trace on.

#include "insight/times.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"
#include "tests/support/report_test.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// Two instances of step with a gap between them; in each, two streams overlap.
constexpr std::string_view kTwoSteps = R"(
process pid=7 exe=/bin/app
10 push step
12 launch 1
14 launch 2
20 pop
50 push step
52 launch 3
53 launch 4
60 pop
70 push alone
75 pop
kernel gemm 20-40 of=1
kernel relu 30-50 of=2 stream=8
kernel gemm 100-110 of=3
copy 120-125 of=4 stream=8 bytes=4096
)";

class Times : public testing::ReportTest {
 protected:
  const Report& Make(std::string_view trace) {
    Take(testing::AnalyzeTrace(trace));
    return report_;
  }
};

TEST_F(Times, OfARegionsInstancesOnCpuAndGpu) {
  Make(kTwoSteps);
  const Json& times = Region("step")["times"];
  EXPECT_EQ(times["instances"], 2);
  EXPECT_EQ(times["cpu_ns"]["total"], 20000);
  EXPECT_EQ(times["gpu_ns"]["instances"], 2);
  EXPECT_EQ(times["gpu_ns"]["max"], 40000);
  EXPECT_EQ(times["gpu_ns"]["min"], 10000);
  EXPECT_EQ(times["gpu_ns"]["standard_deviation"], 15000);
  EXPECT_EQ(times["gpu_span_ns"]["max"], 30000);  // 20 to 50
  EXPECT_EQ(times["gpu_span_ns"]["min"], 25000);  // 100 to 125
  EXPECT_EQ(times["gpu_idle_ns"]["total"], 10000);
  EXPECT_EQ(Region("alone")["times"]["cpu_ns"]["total"], 5000);
  EXPECT_EQ(Region("alone")["kernel_count"], 0);
}

TEST_F(Times, FromTheFirstInstanceToTheLast) {
  Make(kTwoSteps);
  const Json& step = Region("step")["times"];
  EXPECT_EQ(step["end_ns"].get<double>() - step["start_ns"].get<double>(),
            50000);
  EXPECT_EQ(Region("alone")["times"]["start_ns"].get<double>() -
                step["start_ns"].get<double>(),
            60000);
}

TEST_F(Times, ARegionThatWasNeverClosedHasNoEnd) {
  Make(
      "process pid=7 exe=/bin/app\n10 push step\n12 launch 1\n"
      "kernel gemm 20-40 of=1\n");
  EXPECT_TRUE(Region("step")["times"]["start_ns"].is_number());
  EXPECT_TRUE(Region("step")["times"]["end_ns"].is_null());
}

TEST_F(Times, BusyIsTheUnionAndIdleWhatIsLeftOfTheSpan) {
  Make(kTwoSteps);
  for (const Json& times :
       {Region("step")["times"], json_["scopes"][0]["times"],
        json_["scopes"][1]["times"]}) {
    const Json& gpu = times["gpu"];
    EXPECT_EQ(gpu["kernel_count"], 3);
    EXPECT_EQ(gpu["gpu_time_ns"], 50000);
    EXPECT_EQ(gpu["busy_ns"], 45000);
    EXPECT_EQ(gpu["span_ns"], 105000);
    EXPECT_EQ(gpu["idle_ns"], 60000);
    EXPECT_DOUBLE_EQ(gpu["concurrency"].get<double>(), 55.0 / 45);
    EXPECT_EQ(gpu["copies"], 1);
    EXPECT_EQ(gpu["copy_bytes"], 4096);
    EXPECT_EQ(gpu["latency_ns"]["kernels"], 3);
    EXPECT_EQ(gpu["latency_ns"]["min"], 8000);
    EXPECT_EQ(gpu["latency_ns"]["max"], 48000);
    ASSERT_EQ(times["streams"].size(), 2U);
    EXPECT_EQ(times["streams"][0]["stream"], 7);
    EXPECT_EQ(times["streams"][0]["gpu_time_ns"], 30000);
    EXPECT_EQ(times["streams"][1]["copy_ns"], 5000);
  }
}

TEST_F(Times, BusyIsOneUnionOverTheThreadsOfAProcess) {
  Make(R"(
10 push A
11 launch 1
12 pop
thread 2
10 push A
11 launch 2
12 pop
kernel a 20-40 of=1
kernel a 30-50 of=2 stream=8
)");
  const Json& times = Region("A")["times"];
  EXPECT_EQ(times["instances"], 2);
  EXPECT_EQ(times["gpu"]["busy_ns"], 30000);
  EXPECT_EQ(times["gpu"]["idle_ns"], 0);
}

TEST_F(Times, TheNthAndTheSlowestInstanceCanBeLookedUp) {
  std::string trace;
  for (int i = 0; i < 100; ++i) {
    const int at = 100 * i;
    trace += std::to_string(at) + " push A\n" + std::to_string(at + 1) +
             " launch " + std::to_string(i + 1) + "\n" +
             std::to_string(at + (i == 70 ? 50 : 10)) + " pop\nkernel k " +
             std::to_string(at + 20) + "-" + std::to_string(at + 21 + i % 9) +
             " of=" + std::to_string(i + 1) + "\n";
  }
  Make(trace);
  const Json& times = Region("A")["times"];
  const Json& first = times["first"];
  ASSERT_EQ(first["gpu_ns"].size(), 64U);
  EXPECT_EQ(first["start_ns"][3], 300000);
  EXPECT_EQ(first["cpu_ns"][3], 10000);
  EXPECT_EQ(first["gpu_ns"][3], 4000);
  ASSERT_EQ(times["slowest"].size(), 3U);
  EXPECT_EQ(times["slowest"][0]["ordinal"], 70);
  EXPECT_EQ(times["slowest"][0]["cpu_ns"], 50000);
  EXPECT_EQ(times["slowest"][0]["gpu_ns"], 8000);
  EXPECT_EQ(times["slowest_gpu"][0]["ordinal"], 8);
  EXPECT_EQ(times["slowest_gpu"][0]["cpu_ns"], 10000);
  EXPECT_THAT(documents_.markdown,
              HasSubstr("Slowest instances (counted from 0 in their thread): "
                        "70 at 7.00 ms, 50.00 µs CPU, 8.00 µs of kernels"));
}

TEST_F(Times, TheFirstInstanceIsSetApartWhereItIsAnOutlier) {
  std::string trace;
  for (int i = 0; i < 9; ++i) {
    trace +=
        fmt::format("{} push A\n{} launch {}\n{} pop\n", 10000 * i,
                    10000 * i + 1, i + 1, 10000 * i + (i == 0 ? 5000 : 20));
    trace += fmt::format("kernel k {}-{} of={}\n", 10000 * i + 10,
                         10000 * i + 16, i + 1);
  }
  Make(trace);
  const Json warmup = Region("A")["times"]["warmup"];
  EXPECT_EQ(warmup["instances"], 1);
  EXPECT_EQ(warmup["cpu_ns"], 5'000'000);
  EXPECT_EQ(warmup["steady_instances"], 8);
  EXPECT_EQ(warmup["steady_cpu_ns"], 20'000);
  EXPECT_EQ(Region("A")["times"]["cpu_ns"]["total"], 5'160'000);
  EXPECT_THAT(documents_.markdown,
              HasSubstr("20.00 µs CPU, 6.00 µs of kernels per instance, over "
                        "8.** Warm-up, the first: 5.00 ms CPU"));
}

TEST_F(Times, PeopleAreToldInTreeAndSection) {
  Make(kTwoSteps);
  EXPECT_THAT(
      documents_.markdown,
      HasSubstr(
          "| region | wall | each | GPU | share | GPU each | idle | launches "
          "| instances | exclusive | exclusive launches | busy |"));
  EXPECT_THAT(documents_.markdown,
              HasSubstr("| GPU span per instance | 55.00 µs | 2 | 25.00 µs |"));
  EXPECT_THAT(documents_.markdown,
              HasSubstr("From the first start to the last end of its GPU work "
                        "are 105.0 µs: 45.00 µs with it, 60.00 µs (57.1 %) "
                        "without; 1.22 activities at once while it ran."));
  EXPECT_THAT(documents_.terminal, HasSubstr("instances"));
  EXPECT_THAT(documents_.terminal, HasSubstr("busy"));
  EXPECT_THAT(documents_.terminal, HasSubstr("launches"));
}

TEST_F(Times, OfARegionInsideAnExcludedDomainAreKept) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.domains_exclude = {"outer"};
  const auto analysis = testing::AnalyzeTrace(R"(
10 push outer@O
11 push A
13 pop
14 pop outer
)",
                                              settings);
  const Report report = MakeReport(*analysis, ReportOptionsOf(settings));
  const Json json = Json::parse(testing::WriteAll(report).json);
  ASSERT_EQ(json["scopes"][0]["regions"].size(), 1U);
  EXPECT_EQ(json["scopes"][0]["regions"][0]["times"]["instances"], 1);
}

TEST_F(Times, OfADeviceThatHasAName) {
  Make(std::string(kTwoSteps) + "gpu 0 NVIDIA_H200\n");
  EXPECT_EQ(json_["capture"]["devices"], Json({"0: NVIDIA_H200"}));
  Make(kTwoSteps);
  EXPECT_EQ(json_["capture"]["devices"], Json({"0"}));
}

TEST_F(Times, AreNotThereWithoutATrace) {
  const auto analysis = testing::AnalyzeText("kernel k @ A\n");
  const Report report = testing::ShippedReport(*analysis);
  const auto documents = testing::WriteAll(report);
  EXPECT_EQ(documents.json.find("\"times\""), std::string::npos);
  EXPECT_EQ(documents.markdown.find("| busy |"), std::string::npos);
  EXPECT_EQ(documents.terminal.find("instances"), std::string::npos);
}

TEST_F(Times, OfAProcessOnTwoGpusAreReadAgainOnce) {
  const auto numbers = [](const Analysis& analysis) {
    const Report report = testing::ShippedReport(analysis);
    const auto times =
        TimesOf(report, report.rollup->scopes.front().scope, RegionId{1});
    return std::tuple(times->cpu_ns.count(), times->cpu_ns.sum(),
                      times->wall.total(), times->gpu.latency_ns.count(),
                      times->gpu.kernel_ns);
  };
  const auto analysis = testing::AnalyzeTrace(
      "process pid=7\ngpu 0 H100\ngpu 1 H100\n"
      "100 push A\n110 launch 1\n120 launch 2\n300 pop\n"
      "kernel k 130-150 of=1 device=0\nkernel k 130-230 of=2 device=1\n");
  const Report report = testing::ShippedReport(*analysis);
  const auto again = testing::AnalyzeAgain(report);
  EXPECT_EQ(numbers(*again), numbers(*analysis));
}

}  // namespace
}  // namespace rangefinder
