#include "rollup/instances.h"

#include <string>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

class MergeInstancesTest : public testing::Test {
 protected:
  MeasurementId Add(std::string_view metric, std::vector<Instance> instances) {
    Measurement m;
    m.instances.push_back(
        {.metric = profile_.InternMetric(metric),
         .list = static_cast<std::uint32_t>(profile_.instance_lists.size())});
    profile_.instance_lists.push_back(std::move(instances));
    profile_.measurements.push_back(std::move(m));
    return static_cast<MeasurementId>(profile_.measurements.size() - 1);
  }
  std::string Merge(std::string_view metric,
                    std::vector<MeasurementId> measurements) {
    std::string text;
    for (const Instance& instance : MergeInstances(
             profile_, profile_.InternMetric(metric), measurements)) {
      if (!text.empty()) text += ' ';
      text += std::to_string(instance.key) + ":" +
              std::to_string(
                  static_cast<int>(instance.value.number().value_or(-1)));
    }
    return text;
  }

  Profile profile_;
};

TEST_F(MergeInstancesTest, CountsOfOneProgramCounterAdd) {
  const auto a =
      Add("inst_executed", {{32, Value::Integer(5)}, {16, Value::Integer(7)}});
  const auto b =
      Add("inst_executed", {{16, Value::Integer(1)}, {48, Value::Number(2)}});
  EXPECT_EQ(Merge("inst_executed", {a, b}), "16:8 32:5 48:2");
  EXPECT_EQ(Merge("inst_executed", {b, a}), "16:8 32:5 48:2");
}

TEST_F(MergeInstancesTest, TimelinesAndLaunchesFollowOneAnother) {
  const auto a = Add("launch__grid_size",
                     {{0, Value::Integer(64)}, {1, Value::Integer(32)}});
  const auto b = Add("launch__grid_size", {{0, Value::Integer(8)}});
  EXPECT_EQ(Merge("launch__grid_size", {a, b}), "0:64 1:32 0:8");
  const auto c = Add("TPC.TriageCompute.sm__cycles_active.avg",
                     {{100, Value::Number(1)}, {100, Value::Number(2)}});
  EXPECT_EQ(Merge("TPC.TriageCompute.sm__cycles_active.avg", {a, c}),
            "100:1 100:2");
}

TEST_F(MergeInstancesTest, ThereMayBeNone) {
  EXPECT_EQ(Merge("inst_executed", {}), "");
}

}  // namespace
}  // namespace rangefinder
