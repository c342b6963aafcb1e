// Who has the most of a region's time, over ranks and over processes.

#include "insight/imbalance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "region/tree.h"
#include "tests/support/composed.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

// "region: 1.50 of 3 rank 2 (max 30 mean 20)", a line a region.
std::string DrawnImbalance(Profile profile) {
  const testing::Composed composed(std::move(profile));
  const Report report = composed.MakeReport();
  const Members& members = *report.members;
  std::string text;
  for (std::size_t i = 1; i < composed.tree.regions().size(); ++i) {
    const auto region = static_cast<RegionId>(i);
    const auto imbalance = members.Of(region);
    text += RegionName(report, region) + ": ";
    if (imbalance) {
      text += fmt::format("{:.2f}× {}", imbalance->ratio(), imbalance->who) +
              " of " + std::to_string(imbalance->count) + ", max " +
              std::to_string(static_cast<int>(imbalance->max_ns)) + " mean " +
              std::to_string(static_cast<int>(imbalance->mean_ns));
    } else {
      text += "none";
    }
    text += "\n";
  }
  return text;
}

constexpr std::string_view kThree = R"(
  kernel f pid=1 ns=10 @ A
  kernel f pid=2 ns=20 @ A
  kernel f pid=2 device=1 ns=10 @ A
  kernel f pid=3 ns=20 @ A
  kernel f pid=3 ns=30 @ B
)";

TEST(Imbalance, IsOverTheProcessesOfOneRun) {
  EXPECT_EQ(DrawnImbalance(testing::BuildProfile(kThree)),
            "A: 1.50× process 2 of 3, max 30 mean 20\n"
            "B: 3.00× process 3 of 3, max 30 mean 10\n");
}

TEST(Imbalance, IsOverRanksWhereThereAreSome) {
  Profile profile = testing::BuildProfile(kThree);
  ASSERT_EQ(profile.processes.size(), 3U);
  profile.processes[0].rank = 0;
  profile.processes[1].rank = 1;
  profile.processes[2].rank = 0;  // a helper of the same rank
  EXPECT_EQ(DrawnImbalance(profile),
            "A: 1.00× rank 0 of 2, max 30 mean 30\n"
            "B: 2.00× rank 0 of 2, max 30 mean 15\n");
  profile.processes[2].rank = -1;  // not of the job
  EXPECT_EQ(DrawnImbalance(profile),
            "A: 1.50× rank 1 of 2, max 30 mean 20\n"
            "B: none\n");
}

TEST(Imbalance, RunsAfterEachOtherAreNoMembers) {
  Profile profile = testing::BuildProfile(kThree);
  profile.artifacts.resize(3);
  for (Measurement& m : profile.measurements)
    m.artifact = static_cast<std::uint32_t>(Index(m.process));
  EXPECT_EQ(DrawnImbalance(profile), "A: none\nB: none\n");
  // The traces of one run are a file a process.
  for (Artifact& artifact : profile.artifacts) artifact.format = "trace";
  EXPECT_EQ(DrawnImbalance(profile),
            "A: 1.50× process 2 of 3, max 30 mean 20\n"
            "B: 3.00× process 3 of 3, max 30 mean 10\n");
}

TEST(Imbalance, OneMemberIsNone) {
  EXPECT_EQ(DrawnImbalance(testing::BuildProfile("kernel f ns=1 @ A")),
            "A: none\n");
}

TEST(ScopeTitle, NamesTheRankAndWithSeveralHostsTheHost) {
  testing::Composed composed(testing::BuildProfile(kThree));
  Profile& profile = composed.profile;
  const auto title = [&](std::size_t scope) {
    return ScopeTitle(composed.MakeReport(),
                      composed.rollup.scopes[scope].scope);
  };
  EXPECT_EQ(title(0), "aggregate");
  EXPECT_EQ(title(1), "process:1/device:0");
  profile.processes[0].rank = 3;
  EXPECT_EQ(title(1), "process:1/device:0 (rank 3)");
  profile.processes[0].host = profile.strings.Intern("node1");
  EXPECT_EQ(title(1), "process:1/device:0 (rank 3)");
  profile.processes[1].host = profile.strings.Intern("node2");
  EXPECT_EQ(title(1), "process:1/device:0 (rank 3 on node1)");
  EXPECT_EQ(title(2), "process:2/device:0 (on node2)");
}

}  // namespace
}  // namespace rangefinder
