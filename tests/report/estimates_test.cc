// Counters estimated from a trace's samples, from its bytes to every document.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/precision.h"
#include "report/sentences.h"
#include "tests/support/analyze.h"
#include "tests/support/report_test.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

struct Work {
  double start_us = 0, end_us = 0;
  double bytes = 0, instructions = 0;
};

// A loop of steps, each with a kernel in `a` and one in `b`, and the samples
// that a device would give of it.
class Program {
 public:
  // The kernel in `b` does by so much more at the end of the run.
  // With `copied` bytes, a copy behind it moves as many in each step.
  explicit Program(int steps, double growth = 0, int copied = 0) {
    text_ = "process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H200\n";
    for (int i = 0; i < steps; ++i) {
      const int at = 10 + 100 * i;
      text_ += fmt::format(
          "{0} push step\n{0} push a\n{1} launch {2}\n{1} pop\n{1} push b\n"
          "{3} launch {4}\n{3} pop\n{3} pop\n",
          at, at + 1, 2 * i + 1, at + 2, 2 * i + 2);
      Kernel("load", at + 3, at + 33, 2 * i + 1, 3e6);
      Kernel("add", at + 34, at + 84 + i % 3, 2 * i + 2,
             1e6 * (1 + growth * i / steps));
      if (copied > 0) {
        text_ += fmt::format("copy {}-{} of={} bytes={}\n", at + 88, at + 96,
                             2 * i + 2, copied);
        work_.push_back({at + 88.0, at + 96.0, 1.0 * copied, 0});
      }
    }
    last_us_ = 10 + 100 * steps;
  }

  // Every `interval_us`, up to the end of the program.
  std::string Sampled(int interval_us) const {
    std::string text =
        text_ + fmt::format(
                    "sampling 0 interval={} chip=GH100 "
                    "metrics=dram__bytes_read.sum,sm__inst_executed.sum,"
                    "dram__bytes_write.sum\n",
                    interval_us);
    for (int at = 0; at + interval_us < last_us_; at += interval_us) {
      double bytes = 0, instructions = 0;
      for (const Work& work : work_) {
        const double part =
            std::max(0.0, std::min<double>(work.end_us, at + interval_us) -
                              std::max<double>(work.start_us, at)) /
            (work.end_us - work.start_us);
        bytes += part * work.bytes;
        instructions += part * work.instructions;
      }
      text += fmt::format("sample 0 {}-{} {},{},{}\n", at, at + interval_us,
                          bytes, instructions, bytes / 2);
    }
    return text;
  }
  const std::string& text() const { return text_; }

 private:
  // 64 blocks of 128 threads, which the tracer adds its instructions to.
  void Kernel(const char* name, int from, int to, int of, double bytes) {
    text_ += fmt::format("kernel {} {}-{} of={} grid=64 block=128\n", name,
                         from, to, of);
    constexpr double kOwn = 500'000, kWarps = 64 * 4;
    work_.push_back({static_cast<double>(from), static_cast<double>(to), bytes,
                     kOwn + 8 * kWarps + 40});
  }

  std::string text_;
  std::vector<Work> work_;
  int last_us_ = 0;
};

class Estimates : public testing::ReportTest {
 protected:
  // The column of dram__bytes_read.sum.
  std::size_t BytesRead() const {
    const auto& columns = report_.rollup->columns;
    return static_cast<std::size_t>(
        std::ranges::find(columns, "dram__bytes_read.sum", &Column::name) -
        columns.begin());
  }
  std::string Precision() const {
    return ExplainPrecision(report_, report_.rollup->scopes.front(),
                            RegionId{1}, BytesRead());
  }
  void Make(const std::string& trace, std::optional<double> precision = {}) {
    ReportOptions options = ReportOptionsOf(ShippedSettings());
    options.precision = precision;
    Take(testing::AnalyzeTrace(trace), std::move(options));
  }
  Json Metric(const std::string& region, const std::string& metric,
              const char* part = "inclusive") {
    return Region(region).at(part).at("metrics").at(metric);
  }
};

TEST_F(Estimates, AreCellsOfEveryRegionAtAllDepths) {
  Make(Program(600).Sampled(130));
  const std::string bytes = "dram__bytes_read.sum";
  EXPECT_EQ(Metric("a", bytes)["how"], "estimated");
  EXPECT_EQ(Metric("a", bytes)["launches"], 600);
  EXPECT_GT(Metric("a", bytes)["samples"], 100);
  EXPECT_EQ(Metric("a", bytes)["unit"], "byte");
  EXPECT_NEAR(Metric("a", bytes)["value"], 600 * 3e6, 600 * 3e4);
  EXPECT_NEAR(Metric("b", bytes)["value"], 600 * 1e6, 600 * 3e4);
  EXPECT_NEAR(Metric("step", bytes)["value"], 600 * 4e6, 600 * 3e4);
  const Json total = json_["scopes"][0]["totals"]["metrics"][bytes];
  EXPECT_NEAR(total["value"], 600 * 4e6, 600 * 3e4);
  EXPECT_LE(Metric("a", bytes)["low"], Metric("a", bytes)["value"]);
  EXPECT_GE(Metric("a", bytes)["high"], Metric("a", bytes)["value"]);
  EXPECT_LT(Metric("a", bytes)["standard_error"].get<double>(), 600 * 3e4);
}

TEST_F(Estimates, LeaveTheTracersInstructionsOut) {
  Make(Program(600).Sampled(130));
  EXPECT_NEAR(Metric("a", "sm__inst_executed.sum")["value"], 600 * 5e5,
              600 * 5e3);
}

TEST_F(Estimates, MakeDerivedMetricsWithErrors) {
  Make(Program(600).Sampled(130));
  // Half as much is written as read, so 1.5 times 3 MB for half a million.
  const Json traffic = Metric("a", "bytes_per_instruction");
  EXPECT_EQ(traffic["how"], "estimated");
  EXPECT_NEAR(traffic["value"], 9, 0.1);
  EXPECT_GT(traffic["standard_error"].get<double>(), 0);
  EXPECT_LT(traffic["low"], traffic["value"]);
  // Over the 30 us of each of its kernels.
  EXPECT_NEAR(Metric("a", "dram_bandwidth")["value"], 4.5e6 / 30e-6, 2e9);
}

TEST_F(Estimates, ChargeNoKernelWithACopy) {
  Make(Program(600, 0, 20'000'000).Sampled(130));
  const std::string bytes = "dram__bytes_read.sum";
  EXPECT_NEAR(Metric("a", bytes)["value"], 600 * 3e6, 600 * 6e4);
  EXPECT_NEAR(Metric("b", bytes)["value"], 600 * 1e6, 600 * 6e4);
  for (const Json& region : json_["scopes"][0]["regions"]) {
    const bool has = region["name"] != "a";  // copies are launched in b
    ASSERT_EQ(region.contains("copies"), has) << region["name"];
    if (!has) continue;
    EXPECT_NEAR(region["copies"][bytes]["value"], 600 * 20e6, 600 * 2e5);
    EXPECT_LE(region["copies"][bytes]["low"], region["copies"][bytes]["value"]);
  }
}

TEST_F(Estimates, AreSaidInEveryDocument) {
  Make(Program(600).Sampled(130));
  EXPECT_THAT(documents_.markdown, HasSubstr("3 counters estimated from "));
  const Json& fit = json_["capture"]["sampling"][0]["fit"];
  EXPECT_EQ(fit["verdict"], "good");
  EXPECT_GT(fit["metrics"]["dram__bytes_read.sum"]["r2"], 0.99);
}

TEST_F(Estimates, AreOfKernelsToo) {
  Make(Program(600).Sampled(130));
  for (const Json& region : json_["scopes"][0]["regions"]) {
    if (region["name"] != "step") continue;
    ASSERT_EQ(region["kernels"].size(), 2U);
    for (const Json& kernel : region["kernels"]) {
      const bool load = kernel["kernel_name"] == "load";
      EXPECT_NEAR(kernel["metrics"]["dram__bytes_read.sum"]["value"],
                  600 * (load ? 3e6 : 1e6), 600 * 3e4);
    }
  }
}

TEST_F(Estimates, ShowWhatGrowsOverTheRun) {
  Make(Program(800, 0.5).Sampled(130));
  for (const Json& region : json_["scopes"][0]["regions"]) {
    if (region["name"] != "b") continue;
    const Json& blocks = region["over_time"][0]["blocks"];
    ASSERT_EQ(blocks.size(), 8U);
    for (std::size_t b = 0; b < 8; ++b) {
      EXPECT_EQ(blocks[b]["instances"], 100);
      const double expected = 1e6 * (1 + (static_cast<double>(b) + 0.5) / 16);
      EXPECT_NEAR(blocks[b]["metrics"]["dram__bytes_read.sum"]["value"],
                  expected, expected * 0.03);
    }
    EXPECT_LT(blocks[0]["end_ns"], blocks[1]["start_ns"]);
  }
  EXPECT_THAT(documents_.markdown,
              HasSubstr("Per instance over the run: `dram__bytes_read.sum` "
                        "grows from 1.0"));
  EXPECT_THAT(documents_.markdown, HasSubstr("to 1.4"));
}

TEST_F(Estimates, SayNothingOfWhatStaysAsItIs) {
  Make(Program(600).Sampled(130));
  EXPECT_THAT(documents_.markdown, Not(HasSubstr("over the run")));
}

TEST_F(Estimates, AreAbsentWithAReasonWhereNothingWasSampled) {
  Make(Program(10).text() +
       "sampling 0 interval=200 chip=GH100 metrics=dram__bytes_read.sum\n"
       "stopped 0 20 reason=no_permission\n");
  EXPECT_THAT(documents_.markdown, HasSubstr("not sampled: no_permission"));
  const Json cell = Metric("a", "dram__bytes_read.sum");
  EXPECT_EQ(cell["value"], nullptr);
  EXPECT_EQ(cell["how"], "absent");
  EXPECT_NE(cell["reason"], "");
}

TEST_F(Estimates, AreAbsentForAReasonThatIsSaidOnce) {
  Make(Program(3).Sampled(130));
  const std::string& text = documents_.markdown;
  const std::size_t section = text.find("## Why values are absent\n\n1. ");
  ASSERT_NE(section, std::string::npos);
  EXPECT_THAT(text.substr(0, section), HasSubstr("| absent, reason 1 |"));
  const std::size_t from = text.find("1. ", section) + 3;
  const std::string reason = text.substr(from, text.find('\n', from) - from);
  EXPECT_EQ(text.find(reason), from);
  EXPECT_EQ(text.find(reason, from + 1), std::string::npos);
}

TEST_F(Estimates, SayWhatTheirCountersAre) {
  Make(Program(600).Sampled(130));
  EXPECT_EQ(json_["metrics"]["dram__bytes_read.sum"]["doc"],
            "Bytes that were read from the GPU's memory, past its caches");
  EXPECT_THAT(json_["metrics"]["dram_bandwidth"]["doc"].get<std::string>(),
              StartsWith("Bytes moved to and from the GPU's memory"));
  EXPECT_THAT(
      documents_.markdown,
      HasSubstr(
          "- **DRAM bandwidth**: `dram_bandwidth`, Bytes moved to and from"));
  EXPECT_THAT(
      ExplainEstimate(report_, report_.rollup->scopes.front(), RegionId{1},
                      BytesRead()),
      MatchesRegex("  .+ ± .+ GB, estimated by regression of 1,200 "
                   "launches from .+ samples\n"
                   "  95 % interval: .+ GB to .+ GB\n"
                   "  result: .+ byte, standard error .+\n"
                   "  half of the interval is .+ % of the value, .+\n"));
}

TEST_F(Estimates, SayHowManyMoreInstancesWouldDo) {
  Make(Program(100).Sampled(130));
  EXPECT_EQ(PrecisionText(report_), "");
  EXPECT_FALSE(json_["capture"].contains("precision"));
  Make(Program(100).Sampled(130), 1e-6);
  const Json& missed = json_["capture"]["precision"]["missed"];
  ASSERT_FALSE(missed.empty());
  EXPECT_EQ(missed[0]["instances"], 100);
  EXPECT_GT(missed[0]["precision"].get<double>(), 1e-6);
  EXPECT_THAT(documents_.markdown,
              HasSubstr("values are less certain than ± 0.0001 % (95 %)"));
  EXPECT_THAT(documents_.terminal, HasSubstr("no number of instances would"));
  EXPECT_THAT(Precision(),
              MatchesRegex("  half of the interval is .+ % of the value, and "
                           ".+ % however many instances there are\n"
                           "  for 0.0001 %: .+\n"));
}

TEST_F(Estimates, OfOneInstanceMayHaveTooNarrowIntervals) {
  Make(Program(1).Sampled(1));
  EXPECT_THAT(
      Precision(),
      HasSubstr("  the region has 1 instance: the interval may be too narrow"));
  Make(Program(2).Sampled(7));
  EXPECT_THAT(Precision(), AllOf(HasSubstr("half of the interval"),
                                 Not(HasSubstr("too narrow"))));
}

// A kernel whose count cannot be told from 0 has a bound.
TEST_F(Estimates, ThatReachZeroAreBounds) {
  Make(Program(60).Sampled(130));
  for (const Json& scope : json_["scopes"]) {
    for (const Json& region : scope["regions"]) {
      for (const auto& [name, cell] : region["inclusive"]["metrics"].items()) {
        if (cell["how"] != "estimated") continue;
        const bool reaches = cell["low"] == 0 && cell["high"] > cell["value"];
        EXPECT_EQ(cell.contains("bound"), reaches) << name;
      }
    }
  }
}

// One kernel of `bytes` in each of 400 steps, on a device.
struct DeviceLoop {
  int device = 0;
  const char* region = "a";
  int bytes = 0;
  int first_call = 1;
  int from_us = 0;  // within a step of 100 us
  int to_us = 0;

  std::string Launches() const {
    std::string text;
    for (int i = 0; i < kSteps; ++i) {
      const int at = 10 + 100 * i + from_us;
      text += fmt::format(
          "{} push {}\n{} launch {}\n{} pop\nkernel load{} {}-{} of={} "
          "device={}\n",
          at - 4, region, at - 3, first_call + i, at - 2, device, at, End(i),
          first_call + i, device);
    }
    return text;
  }
  // No step is as long as another, so that the samples tell them apart.
  int End(int i) const { return 10 + 100 * i + to_us + i % 7; }

  static constexpr int kSteps = 400;
};

// The counts of all loops of a device, every 130 us.
std::string SamplesOf(int device, const std::vector<DeviceLoop>& loops) {
  constexpr int kInterval = 130;
  std::string text = fmt::format(
      "sampling {} interval={} chip=GH100 metrics=dram__bytes_read.sum\n",
      device, kInterval);
  for (int at = 0; at + kInterval < 100 * DeviceLoop::kSteps; at += kInterval) {
    double bytes = 0;
    for (const DeviceLoop& loop : loops) {
      for (int i = 0; i < DeviceLoop::kSteps; ++i) {
        const int start = 10 + 100 * i + loop.from_us, end = loop.End(i);
        bytes += loop.bytes *
                 std::max(0.0, std::min<double>(end, at + kInterval) -
                                   std::max<double>(start, at)) /
                 (end - start);
      }
    }
    text +=
        fmt::format("sample {} {}-{} {}\n", device, at, at + kInterval, bytes);
  }
  return text;
}

constexpr char kBytes[] = "dram__bytes_read.sum";

// A region's value over all devices is the sum of theirs, with an error of all;
// each device's own is its scope's.
TEST_F(Estimates, AddUpOverDevices) {
  const DeviceLoop one{.bytes = 3'000'000, .from_us = 5, .to_us = 35};
  const DeviceLoop two{.device = 1,
                       .bytes = 1'000'000,
                       .first_call = 1001,
                       .from_us = 45,
                       .to_us = 80};
  Make("process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H200\ngpu 1 NVIDIA_H200\n" +
       one.Launches() + two.Launches() + SamplesOf(0, {one}) +
       SamplesOf(1, {two}));
  ASSERT_EQ(json_["capture"]["sampling"].size(), 2U);
  EXPECT_NEAR(Metric("a", kBytes)["value"], 400 * 4e6, 400 * 4e4);
  EXPECT_EQ(Metric("a", kBytes)["launches"], 800);
  std::map<std::string, double> by_device;
  for (const Json& scope : json_["scopes"]) {
    if (!scope["device"].is_string()) continue;
    for (const Json& region : scope["regions"])
      by_device[scope["device"]] =
          region["inclusive"]["metrics"][kBytes]["value"];
  }
  EXPECT_NEAR(by_device["cuda:0"], 400 * 3e6, 400 * 3e4);
  EXPECT_NEAR(by_device["cuda:1"], 400 * 1e6, 400 * 1e4);
}

TEST_F(Estimates, AreAbsentWhereADeviceWasNotSampled) {
  const DeviceLoop one{.bytes = 3'000'000, .from_us = 5, .to_us = 35};
  const DeviceLoop two{.device = 1,
                       .region = "b",
                       .bytes = 1'000'000,
                       .first_call = 1001,
                       .from_us = 45,
                       .to_us = 80};
  Make("process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H200\ngpu 1 NVIDIA_H200\n" +
       one.Launches() + two.Launches() + SamplesOf(0, {one}) +
       "sampling 1 interval=130 chip=GH100 metrics=dram__bytes_read.sum\n"
       "stopped 1 5 reason=busy\n");
  EXPECT_NEAR(Metric("a", kBytes)["value"], 400 * 3e6, 400 * 3e4);
  EXPECT_EQ(Metric("b", kBytes)["value"], nullptr);
  EXPECT_EQ(Metric("b", kBytes)["reason"],
            "some of its kernels ran on a GPU while it was not sampled");
}

// Two processes on one device, which one of them samples: launches of both have
// their own estimates.
TEST_F(Estimates, AreOfAllProcessesOnADevice) {
  const DeviceLoop one{.bytes = 3'000'000, .from_us = 5, .to_us = 35};
  const DeviceLoop two{
      .region = "b", .bytes = 1'000'000, .from_us = 45, .to_us = 80};
  const TempDir folder;
  const auto first = testing::WriteTo(
      folder, "a.rftrace",
      testing::BuildTrace("process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H200\n"
                          "bus 0 65\n" +
                          one.Launches() + SamplesOf(0, {one, two})));
  const auto second = testing::WriteTo(
      folder, "b.rftrace",
      testing::BuildTrace("process pid=8 exe=/bin/app\ngpu 0 NVIDIA_H200\n"
                          "bus 0 65\n" +
                          two.Launches()));
  Take(testing::AnalyzeFiles({first, second}));
  EXPECT_NEAR(Metric("a", kBytes)["value"], 400 * 3e6, 400 * 3e4);
  EXPECT_NEAR(Metric("b", kBytes)["value"], 400 * 1e6, 400 * 1e4);
}

// Two runs, of which the first was sampled: nothing is known of the second.
TEST_F(Estimates, AreNotOfARunAtAnotherTime) {
  const DeviceLoop one{.bytes = 3'000'000, .from_us = 5, .to_us = 35};
  const DeviceLoop later{
      .bytes = 3'000'000, .from_us = 1'000'005, .to_us = 1'000'035};
  const TempDir folder;
  const auto first = testing::WriteTo(
      folder, "a.rftrace",
      testing::BuildTrace("process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H200\n"
                          "bus 0 65\n" +
                          one.Launches() + SamplesOf(0, {one})));
  const auto second = testing::WriteTo(
      folder, "b.rftrace",
      testing::BuildTrace("process pid=8 exe=/bin/app\ngpu 0 NVIDIA_H200\n"
                          "bus 0 65\n" +
                          later.Launches()));
  Take(testing::AnalyzeFiles({first, second}));
  EXPECT_EQ(Metric("a", kBytes)["value"], nullptr);
  EXPECT_EQ(Metric("a", kBytes)["reason"],
            "some of its kernels ran on a GPU while it was not sampled");
}

TEST_F(Estimates, AreNoneWhereSamplesAreFew) {
  Make(Program(3).Sampled(130));
  EXPECT_EQ(Metric("a", "dram__bytes_read.sum")["value"], nullptr);
  EXPECT_THAT(documents_.markdown, HasSubstr("Estimates: **bad: "));
}

Json Recorded(const char* fixture) {
  const auto analysis = testing::AnalyzeFile(testing::Fixture(fixture));
  const Report report = testing::ShippedReport(*analysis);
  return Json::parse(testing::WriteAll(report).json);
}

struct Compared {
  std::vector<double> apart{};  // relative, ascending
  std::size_t held = 0;
  double median() const { return apart[apart.size() / 2]; }
  double share() const {
    return static_cast<double>(held) / static_cast<double>(apart.size());
  }
};

// A PyTorch program on an H200, whose regions were counted exactly in a run of
// their own: tests/fixtures/README.md.
struct RecordedProgram {
  Json sampled{};
  Json counted{};
};

const RecordedProgram& Llm() {
  static const RecordedProgram program = {Recorded("llm_sampled.rftrace.zst"),
                                          Recorded("llm_counted.rftrace.zst")};
  return program;
}

const RecordedProgram& Vision() {
  static const RecordedProgram program = {
      Recorded("vision_sampled.rftrace.zst"),
      Recorded("vision_counted.rftrace.zst")};
  return program;
}

// The same program as one captured CUDA graph, and counted eagerly: the graph's
// regions are below a range more.
const RecordedProgram& Graph() {
  static const RecordedProgram program = [] {
    RecordedProgram graph = {Recorded("graph_sampled.rftrace.zst"),
                             Recorded("graph_counted.rftrace.zst")};
    for (Json& region : graph.sampled["scopes"][0]["regions"]) {
      auto& path = region["path"].get_ref<Json::array_t&>();
      if (path.size() > 1 && path[1] == "graph launch")
        path.erase(path.begin() + 1);
    }
    return graph;
  }();
  return program;
}

// Estimates per instance against counts, for regions with so many instances.
Compared Compare(const RecordedProgram& program, std::uint64_t least,
                 std::uint64_t most, const std::vector<std::string>& metrics) {
  const auto& [sampled, counted] = program;
  EXPECT_EQ(sampled["capture"]["sampling"][0]["fit"]["verdict"], "good");
  std::map<Json, Json> exact;  // values of an instance, by path
  for (const Json& region : counted["scopes"][0]["regions"]) {
    if (!region["measured"].empty())
      exact[region["path"]] = region["measured"][0]["metrics"];
  }
  Compared compared;
  for (const Json& region : sampled["scopes"][0]["regions"]) {
    const auto known = exact.find(region["path"]);
    if (known == exact.end() || region["instances"] < least ||
        region["instances"] > most)
      continue;
    for (const std::string& metric : metrics) {
      const Json& cell = region["inclusive"]["metrics"][metric];
      const double instances = region["instances"];
      const double truth = known->second[metric]["value"];
      compared.apart.push_back(
          std::abs(cell["value"].get<double>() / instances / truth - 1));
      compared.held += cell["low"].get<double>() <= truth * instances &&
                       truth * instances <= cell["high"].get<double>();
    }
  }
  std::ranges::sort(compared.apart);
  return compared;
}

const std::vector<std::string> kWork = {"sm__inst_executed.sum",
                                        "sm__pipe_tensor_cycles_active.avg"};
const std::vector<std::string> kMemory = {"lts__t_sectors.sum",
                                          "dram__bytes_read.sum"};

// The attention executes up to 0.4 % more instructions than when it is counted,
// probably in matrix products that wait in loops (docs/measured.md "Where the
// truth differs").
TEST(RecordedEstimates, AreWhatWasCountedExactly) {
  const Compared compared = Compare(Llm(), 50, 1000, kWork);
  ASSERT_EQ(compared.apart.size(), 17U * 2);
  EXPECT_LT(compared.median(), 0.003);
  EXPECT_LT(compared.apart.back(), 0.005);
  EXPECT_GE(compared.share(), 0.8);
  EXPECT_EQ(Compare(Llm(), 50, 1000, {kWork[1]}).share(), 1);
}

TEST(RecordedEstimates, AreItOfFewInstancesToo) {
  const Compared compared = Compare(Llm(), 4, 49, kWork);
  ASSERT_EQ(compared.apart.size(), 17U * 2);
  EXPECT_LT(compared.median(), 0.001);
  EXPECT_LT(compared.apart.back(), 0.01);
  // Five layers' multilayer perceptrons are one pool, and 0.3 % below.
  EXPECT_GE(compared.share(), 0.85);
}

// Hundreds of short launches, some of one kernel and grid with unequal work,
// and some long ones whose rate varies.
TEST(RecordedEstimates, AreItOfShortLaunchesToo) {
  const Compared compared = Compare(Vision(), 50, 1000, kWork);
  ASSERT_EQ(compared.apart.size(), 24U * 2);
  EXPECT_LT(compared.median(), 0.0005);
  EXPECT_LT(compared.apart[43], 0.004);  // of nine in ten
  EXPECT_GE(compared.share(), 0.90);
}

// Kernels back to back in one order: layer norms of 15 us have a hundredth of
// their layer's instructions, and are 10 % off.
TEST(RecordedEstimates, AreItInACapturedGraph) {
  const Compared compared =
      Compare(Graph(), 200, 200, {"sm__inst_executed.sum"});
  ASSERT_GE(compared.apart.size(), 35U);
  EXPECT_LT(compared.median(), 0.005);
  EXPECT_LT(compared.apart[compared.apart.size() / 2 + 4], 0.02);
  EXPECT_GE(compared.share(), 0.95);
}

// Traffic of memory and its cache truly differs where regions are counted by
// themselves and begin with an idle device, and exact counts include the counts
// of L2 while nothing runs:
// docs/measured.md#counters.
TEST(RecordedEstimates, AreNearItWhereTheTruthDiffers) {
  const Compared decoder = Compare(Llm(), 50, 1000, kMemory);
  ASSERT_EQ(decoder.apart.size(), 17U * 2);
  EXPECT_LT(decoder.median(), 0.005);
  EXPECT_LT(decoder.apart.back(), 0.02);
  const Compared vision = Compare(Vision(), 50, 1000, kMemory);
  ASSERT_EQ(vision.apart.size(), 24U * 2);
  EXPECT_LT(vision.median(), 0.015);
  EXPECT_LT(vision.apart[43], 0.08);
}

// An exact count has all work of its region: kernels, and the driver's kernels
// that copy and set memory, which count by their bytes. Without the copies,
// `rank` would be 7 % below.
TEST(RecordedEstimates, AreItWithCopies) {
  const auto checks_of = [](const std::string& name) {
    const auto analysis = testing::AnalyzeFiles(
        {testing::Fixture(name + "_sampled.rftrace.zst"),
         testing::Fixture(name + "_counted.rftrace.zst")});
    const Report report = testing::ShippedReport(*analysis);
    const Json json = Json::parse(testing::WriteAll(report).json);
    std::map<std::string, Json> checks;
    for (const Json& check : json["capture"]["check"]) {
      if (check["metric"] == "sm__inst_executed.sum")
        checks[check["region"]] = check;
    }
    return checks;
  };
  std::map<std::string, Json> checks = checks_of("copies");
  EXPECT_EQ(checks.size(), 12U);
  checks["batch/rank"] = checks_of("vision")["batch/rank"];
  for (const auto& [region, check] : checks) {
    const double exact = check["exact"];
    EXPECT_NEAR(check["estimate"], exact, 0.001 * exact + 50) << region;
    EXPECT_TRUE(check["agrees"]) << region;
  }
}

// Before it, without a gap, runs a kernel of 112 us whose last quarter has an
// eighth of its instructions.
TEST(RecordedEstimates, AreNotWrongBehindALongKernelWhoseRateVaries) {
  for (const Json& region : Vision().sampled["scopes"][0]["regions"]) {
    if (region["path"] != Json({"batch", "network", "layer1", "block0"}))
      continue;
    const Json& cell = region["inclusive"]["metrics"]["sm__inst_executed.sum"];
    const double each = cell["value"].get<double>() / 300;
    for (const Json& counted : Vision().counted["scopes"][0]["regions"]) {
      if (counted["path"] != region["path"]) continue;
      const double exact =
          counted["measured"][0]["metrics"]["sm__inst_executed.sum"]["value"];
      EXPECT_NEAR(each, exact, 0.015 * exact);
      EXPECT_LE(cell["low"].get<double>(), exact * 300);
      EXPECT_GE(cell["high"].get<double>(), exact * 300);
      return;
    }
  }
  ADD_FAILURE() << "no such region";
}

}  // namespace
}  // namespace rangefinder
