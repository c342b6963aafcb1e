// The cost of a token, from a trace with samples and planted costs to a report.

#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// A server that decodes: each step reads the weights, and for each request its
// keys and values; its tensor cycles are always the same.
struct Server {
  double fixed_us = 1000, us_per_request = 9;
  double weights = 3e9, bytes_per_request = 12e6;
  double cycles = 400000;
  int interval_us = 200;
  int steps = 600;
  unsigned seed = 1;

  std::string Trace() const {
    std::mt19937 draw(seed);
    std::normal_distribution<double> normal;
    std::string text =
        "process pid=7 exe=/bin/server\ngpu 0 NVIDIA_H200\npeaks 0 "
        "memory_khz=3000000 bus=6144 sms=100 khz=2000000\n";
    std::string work;
    struct Kernel {
      double start = 0, end = 0, bytes = 0, cycles = 0;
    };
    std::vector<Kernel> kernels;
    double now = 50;
    int call = 0;
    const auto kernel = [&](const char* name, double us, double bytes,
                            double with_cycles) {
      text += fmt::format("{:.3f} launch {}\n", now - 3, ++call);
      work += fmt::format("kernel {} {:.3f}-{:.3f} of={} grid=264 block=128\n",
                          name, now, now + us, call);
      kernels.push_back({now, now + us, bytes, with_cycles});
      now += us + 0.5;
    };
    int requests = 8;
    for (int step = 0; step < steps; ++step) {
      if (draw() % 6 == 0) requests = 1 + static_cast<int>(draw() % 16);
      const double noise = 1 + 0.01 * normal(draw);
      text += fmt::format(
          "{0:.3f} push execute_context_0(0)_generation_{1}({1})\n{2:.3f} push "
          "forward\n",
          now - 8, requests, now - 6);
      for (int layer = 0; layer < 4; ++layer) {
        kernel("gemm", fixed_us / 4 * (1 + 0.003 * normal(draw)),
               weights / 4 * noise, cycles / 4);
        kernel("attention", 10 + us_per_request / 4 * requests,
               bytes_per_request / 4 * requests * noise, 0);
      }
      text += fmt::format("{:.3f} pop\n{:.3f} pop\n", now + 1, now + 2);
      now += 60 + static_cast<double>(draw() % 150);
      text += fmt::format("{:.3f} push bookkeep\n", now - 8);
      kernel("copy", 12, 4e6, 0);
      text += fmt::format("{:.3f} pop\n", now + 1);
      now += 40 + static_cast<double>(draw() % 90);
    }
    return text + work + Samples(kernels, now);
  }

 private:
  template <typename Kernels>
  std::string Samples(const Kernels& kernels, double end) const {
    std::string text = fmt::format(
        "sampling 0 interval={} chip=GH100 metrics=dram__bytes_read.sum,"
        "sm__pipe_tensor_cycles_active.avg\n",
        interval_us);
    std::size_t first = 0;
    for (double from = 0; from + interval_us < end; from += interval_us) {
      double bytes = 0, with_cycles = 0;
      const double to = from + interval_us;
      while (first < kernels.size() && kernels[first].end <= from) ++first;
      for (std::size_t k = first; k < kernels.size() && kernels[k].start < to;
           ++k) {
        const auto& one = kernels[k];
        const double part =
            (std::min(one.end, to) - std::max(one.start, from)) /
            (one.end - one.start);
        bytes += part * one.bytes;
        with_cycles += part * one.cycles;
      }
      text += fmt::format("sample 0 {:.0f}-{:.0f} {:.0f},{:.0f}\n", from, to,
                          bytes, with_cycles);
    }
    return text;
  }
};

struct Costs {
  Json region{};
  testing::Documents documents{};

  // Null without one.
  Json Of(const std::string& metric) const {
    for (const Json& unit : region.value("units", Json::array())) {
      if (unit["metric"] == metric) return unit;
    }
    return nullptr;
  }
};

Costs CostsOf(const Server& server, std::uint64_t parameter_bytes = 0) {
  const auto analysis = testing::AnalyzeTrace(server.Trace());
  ReportOptions options = ReportOptionsOf(ShippedSettings());
  if (parameter_bytes > 0) options.parameter_bytes = parameter_bytes;
  Costs costs{.documents = testing::WriteAll(MakeReport(*analysis, options))};
  const Json report = Json::parse(costs.documents.json);
  for (const Json& region : report["scopes"][0]["regions"]) {
    if (region["name"] == "execute (decode)") costs.region = region;
  }
  return costs;
}

void ExpectCost(const Json& cost, double truth, double within) {
  EXPECT_NEAR(cost["value"].get<double>(), truth, within * truth);
  const double error = cost["standard_error"];
  EXPECT_LT(error, within * truth);
  EXPECT_LT(std::abs(cost["value"].get<double>() - truth), 4 * error);
}

TEST(UnitCosts, ArePlantedOnes) {
  const Server server;
  const Costs costs = CostsOf(server, 3'000'000'000);
  const Json time = costs.Of("gpu_time_ns");
  ASSERT_FALSE(time.is_null()) << costs.region;
  EXPECT_EQ(time["instances"], server.steps);
  ExpectCost(time["per_instance"], 1e3 * (server.fixed_us + 40), 0.01);
  ASSERT_EQ(time["costs"].size(), 1U);
  EXPECT_EQ(time["costs"][0]["unit"], "generated_tokens");
  EXPECT_EQ(time["costs"][0]["same"], Json({"generation_requests"}));
  ExpectCost(time["costs"][0], 1e3 * server.us_per_request, 0.05);

  const Json bytes = costs.Of("dram__bytes_read.sum");
  ASSERT_FALSE(bytes.is_null());
  ExpectCost(bytes["per_instance"], server.weights, 0.01);
  ASSERT_EQ(bytes["costs"].size(), 1U);
  ExpectCost(bytes["costs"][0], server.bytes_per_request, 0.2);
  EXPECT_EQ(bytes["parameter_bytes"], 3'000'000'000);
  // Nothing is said about costs that do not depend on requests.
  EXPECT_TRUE(costs.Of("sm__pipe_tensor_cycles_active.avg").is_null());

  for (const std::string* text :
       {&costs.documents.terminal, &costs.documents.markdown}) {
    EXPECT_THAT(*text, HasSubstr("Costs per unit"));
    EXPECT_THAT(*text, HasSubstr("generated token ="));
    EXPECT_THAT(*text, HasSubstr("103.3 % of the 3 GB of the parameters"));
  }
}

TEST(UnitCosts, InstancesShorterThanSamplesAreTakenTogether) {
  const Server server{.fixed_us = 120,
                      .us_per_request = 1,
                      .weights = 3e8,
                      .bytes_per_request = 6e6,
                      .steps = 6000};
  const Costs costs = CostsOf(server);
  const Json bytes = costs.Of("dram__bytes_read.sum");
  ASSERT_FALSE(bytes.is_null()) << costs.region;
  ExpectCost(bytes["per_instance"], server.weights, 0.03);
  ExpectCost(bytes["costs"][0], server.bytes_per_request, 0.2);
}

TEST(UnitCosts, NothingIsSaidWhereNothingDependsOnTheNumber) {
  const Costs costs =
      CostsOf({.us_per_request = 0, .bytes_per_request = 0, .seed = 3});
  ASSERT_FALSE(costs.region.is_null());
  EXPECT_FALSE(costs.region.contains("units")) << costs.region["units"];
  EXPECT_THAT(costs.documents.terminal, Not(HasSubstr("Costs per unit")));
  // Nor of a handful of instances.
  EXPECT_EQ(CostsOf({.steps = 30}).region.value("units", Json()), Json());
}

TEST(UnitCosts, WithoutSamplesTheyAreOfGpuTimeAlone) {
  std::string trace = Server{}.Trace();
  trace.resize(trace.find("sampling 0"));
  const auto analysis = testing::AnalyzeTrace(trace);
  const Report report = testing::ShippedReport(*analysis);
  ASSERT_EQ(report.unit_costs.size(), 1U);
  EXPECT_EQ(report.unit_costs[0].metric, "");
}

}  // namespace
}  // namespace rangefinder
