#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/counter_host.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Names = std::vector<std::string>;

// A chip with `room` slots per pass. A metric takes one slot; a "wide" metric
// takes more slots than a pass has.
PassCount Slots(std::size_t room) {
  return [room](std::span<const std::string> metrics) -> Result<std::size_t> {
    for (const std::string& metric : metrics) {
      if (metric.find("wide") != std::string::npos) return room + 1;
      if (metric == "broken")
        return Error(ErrorCode::kUsage, "there is no broken");
    }
    return (metrics.size() + room - 1) / room;
  };
}

MetricSets Cut(const Names& metrics, std::size_t room) {
  const auto cut = SetsOfOnePass(metrics, Slots(room));
  EXPECT_TRUE(cut.ok());
  return cut.ok() ? cut.value() : MetricSets{};
}

TEST(MetricSets, AListThatFitsIsOneSetInItsOrder) {
  EXPECT_THAT(Cut({"sm__b.sum", "dram__a.sum", "sm__b.sum"}, 4).sets,
              ElementsAre(ElementsAre("sm__b.sum", "dram__a.sum")));
  EXPECT_THAT(Cut({}, 4).sets, IsEmpty());
}

TEST(MetricSets, MetricsOfOneUnitStayTogether) {
  EXPECT_THAT(
      Cut({"sm__a.sum", "dram__a.sum", "sm__b.sum", "dram__b.sum", "sm__c.sum"},
          3)
          .sets,
      ElementsAre(ElementsAre("sm__a.sum", "sm__b.sum", "sm__c.sum"),
                  ElementsAre("dram__a.sum", "dram__b.sum")));
  // The group before the unit is not part of the unit.
  EXPECT_THAT(Cut({"A.Triage.sm__a.sum", "dram__a.sum", "sm__b.sum"}, 2).sets,
              ElementsAre(ElementsAre("A.Triage.sm__a.sum", "sm__b.sum"),
                          ElementsAre("dram__a.sum")));
}

TEST(MetricSets, AUnitThatIsTooLargeIsCutIntoFewSets) {
  const MetricSets cut =
      Cut({"sm__a.sum", "sm__b.sum", "sm__c.sum", "sm__d.sum", "sm__e.sum"}, 2);
  EXPECT_THAT(cut.sets, ElementsAre(ElementsAre("sm__a.sum", "sm__b.sum"),
                                    ElementsAre("sm__c.sum", "sm__d.sum"),
                                    ElementsAre("sm__e.sum")));
}

TEST(MetricSets, MetricsOfSeveralPassesAreListed) {
  const MetricSets cut =
      Cut({"sm__wide.sum", "dram__a.sum", "lts__wide.sum", "sm__a.sum"}, 2);
  EXPECT_THAT(cut.too_large, ElementsAre("sm__wide.sum", "lts__wide.sum"));
  EXPECT_THAT(cut.sets, ElementsAre(ElementsAre("dram__a.sum", "sm__a.sum")));
}

TEST(MetricSets, EveryMetricHasOnePlace) {
  for (std::size_t room = 1; room <= 5; ++room) {
    Names metrics;
    std::set<std::string> left;
    for (int i = 0; i < 23; ++i) {
      metrics.push_back("unit" + std::to_string(i * i % 7) + "__" +
                        (i % 6 == 5 ? "wide" : "m") + std::to_string(i));
      left.insert(metrics.back());
    }
    const MetricSets cut = Cut(metrics, room);
    for (const Names& set : cut.sets) {
      EXPECT_EQ(Slots(room)(set).value(), 1U);
      for (const std::string& metric : set) EXPECT_EQ(left.erase(metric), 1U);
    }
    for (const std::string& metric : cut.too_large)
      EXPECT_EQ(left.erase(metric), 1U);
    EXPECT_THAT(left, IsEmpty());
    // No more than a third above the fewest that could be.
    EXPECT_LE(cut.sets.size(), (19 + room - 1) / room * 4 / 3 + 1);
  }
}

TEST(MetricSets, AnErrorEndsTheCutting) {
  const Names metrics = {"sm__a.sum", "broken"};
  const auto cut = SetsOfOnePass(metrics, Slots(1));
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message(), "there is no broken");
}

}  // namespace
}  // namespace rangefinder
