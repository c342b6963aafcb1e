#include "rollup/sections.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

class SectionsTest : public RollUpTest {
 protected:
  using Capabilities = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  Section::Row Row(std::string_view label, std::string_view metric,
                   Capabilities capabilities = {}) {
    return {.metric = profile_.InternMetric(metric),
            .label = profile_.strings.Intern(label),
            .capabilities = std::move(capabilities)};
  }
  // Of the last measurement.
  void Add(std::string_view name, std::int64_t order,
           std::vector<Section::Row> rows) {
    profile_.measurements.back().sections.push_back(
        static_cast<std::uint32_t>(profile_.sections.size()));
    profile_.sections.push_back({.identifier = profile_.strings.Intern(name),
                                 .display_name = profile_.strings.Intern(name),
                                 .order = order,
                                 .header = std::move(rows)});
  }
  std::string Text(RegionId region,
                   const std::vector<std::string>& wanted = {}) {
    const Rollup rollup = Roll();
    const SectionCatalog catalog(profile_, tree_, rollup, wanted);
    return SectionsText(
        profile_,
        catalog.TablesOf(region,
                         rollup.scopes[0].regions[Index(region)].inclusive));
  }
};

TEST_F(SectionsTest, AreInTheirOrderAndTheirRowsByMetric) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 1500}, {"b__x.sum", 2}, {"a__x.avg", 3}});
  Add("Second", 20, {Row("Bs", "b__x.sum"), Row("As", "a__x.avg")});
  Add("First", 10, {Row("Duration", kTime), Row("Nobody's", "no__body.sum")});
  EXPECT_EQ(Text(a),
            "    Section: First\n"
            "    ----------- ----------- ------------\n"
            "    Metric Name Metric Unit Metric Value\n"
            "    ----------- ----------- ------------\n"
            "    Duration             us         1.50\n"
            "    ----------- ----------- ------------\n"
            "\n"
            "    Section: Second\n"
            "    ----------- ----------- ------------\n"
            "    Metric Name Metric Unit Metric Value\n"
            "    ----------- ----------- ------------\n"
            "    As                                 3\n"
            "    Bs                                 2\n"
            "    ----------- ----------- ------------\n");
}

TEST_F(SectionsTest, AreThoseOfTheRegionAndItsInnerRegions) {
  const RegionId a = Region("A");
  const RegionId inner = Region(a, "A1");
  const RegionId b = Region("B");
  const auto titles = [&](RegionId region) {
    const Rollup rollup = Roll();
    const SectionCatalog catalog(profile_, tree_, rollup);
    std::string drawn;
    for (const SectionTable& table :
         catalog.TablesOf(region, rollup.scopes[0].totals))
      drawn += table.title + " ";
    return drawn;
  };
  Kernel(inner, {{kTime, 1}});
  Add("Inner", 1, {Row("Duration", kTime)});
  Kernel(a, {{kTime, 1}});
  Add("Outer", 2, {Row("Duration", kTime)});
  Range(b, {{kTime, 1}});
  Add("Whole", 3, {Row("Duration", kTime)});
  EXPECT_EQ(titles(inner), "Inner ");
  EXPECT_EQ(titles(a), "Inner Outer ");
  EXPECT_EQ(titles(b), "Whole ");
  EXPECT_EQ(titles(RegionTree::kRoot), "Inner Outer Whole ");
}

// 90 is an H100. Rows for other devices are dropped; of fitting rows the last
// one counts.
TEST_F(SectionsTest, TheRowThatFitsTheDeviceIsUsed) {
  const RegionId a = Region("A");
  Kernel(a, {{"old__x.sum", 1},
             {"any__x.sum", 2},
             {"new__x.sum", 3},
             {"device__attribute_compute_capability_major", 9},
             {"device__attribute_compute_capability_minor", 0}});
  Add("S", 1,
      {Row("X", "any__x.sum"), Row("X", "new__x.sum", {{80, 86}, {90, 90}}),
       Row("X", "old__x.sum", {{70, 89}, {91, 99}})});
  const auto metric = [&] {
    const Rollup rollup = Roll();
    const SectionCatalog catalog(profile_, tree_, rollup);
    return catalog.TablesOf(a, rollup.scopes[0].totals).at(0).rows.at(0).metric;
  };
  EXPECT_EQ(metric(), "new__x.sum");
  profile_.sections[0].header.pop_back();
  profile_.sections[0].header.back().capabilities = {{91, 99}};
  EXPECT_EQ(metric(), "any__x.sum");
}

}  // namespace
}  // namespace rangefinder
