#include "region/tree.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profile/range_depth.h"
#include "tests/support/draw.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using testing::BuildProfile;
using testing::Draw;

std::string Tree(std::string_view text, const SelectionOptions& options = {},
                 Notes* notes = nullptr) {
  const Profile profile = BuildProfile(text);
  Notes unread;
  const Result<Selection> selection = Selection::Make(options);
  if (!selection.ok()) return selection.error().message();
  const RegionTree tree = BuildRegionTree(profile, selection.value(),
                                          notes == nullptr ? unread : *notes);
  return Draw(profile, tree);
}

std::string Kinds(const Notes& notes) {
  std::string kinds;
  for (const Note& note : notes.all()) kinds += note.kind + " ";
  return kinds;
}

TEST(RegionTree, EveryMeasurementHasExactlyOnePlace) {
  EXPECT_EQ(Tree(R"(
    kernel gemm @ step/forward
    kernel relu @ step/forward
    kernel adam @ step
    kernel memset
  )"),
            "step 3/1\n"
            "  forward 2/2\n"
            "(unattributed) 1/1\n");
}

TEST(RegionTree, ARangeMeasuresItsRegionAsAWhole) {
  EXPECT_EQ(Tree(R"(
    range @ step
    kernel gemm @ step
  )"),
            "step 1/1 1r\n");
}

TEST(RegionTree, TheSameNameUnderTwoParentsIsTwoRegions) {
  EXPECT_EQ(Tree(R"(
    kernel k @ A/x
    kernel k @ B/x
    kernel k @ x
  )"),
            "A 1/0\n"
            "  x 1/1\n"
            "B 1/0\n"
            "  x 1/1\n"
            "x 1/1\n");
}

TEST(RegionTree, TheSameNameInTwoDomainsIsTwoRegions) {
  EXPECT_EQ(Tree(R"(
    kernel k @ x
    kernel k @ LLM@x
  )"),
            "x 1/1\n"
            "LLM@x 1/1\n");
}

TEST(RegionTree, PushPopAndStartEndOfOneNameAreOneRegion) {
  EXPECT_EQ(Tree(R"(
    kernel k @ x
    kernel k @ start x
  )"),
            "x 2/2\n");
}

TEST(RegionTree, OverlappingRangesAreAPathEach) {
  EXPECT_EQ(Tree(R"(
    kernel k @ start S1
    kernel k @ start S1; start S2
    kernel k @ start S2
  )"),
            "S1 2/1\n"
            "  S2 1/1\n"
            "S2 1/1\n");
}

TEST(RegionTree, MisnestedDomainsNestByTheOrderOfOpening) {
  // A opened, LLM@p opened, A closed while LLM@p goes on, A opened again.
  EXPECT_EQ(Tree(R"(
    kernel k @ A#1
    kernel k @ A#1; LLM@p#2
    kernel k @ LLM@p#2
    kernel k @ A#4; LLM@p#2
  )"),
            "A 2/1\n"
            "  LLM@p 1/1\n"
            "LLM@p 2/1\n"
            "  A 1/1\n");
}

TEST(RegionTree, ARangeThatIsNeverClosedHoldsAllThatFollows) {
  EXPECT_EQ(Tree(R"(
    kernel k
    kernel k @ open
    kernel k @ open/A
    kernel k @ open
  )"),
            "(unattributed) 1/1\n"
            "open 3/2\n"
            "  A 1/1\n");
}

TEST(RegionTree, ARangeStartedOnOneThreadHoldsTheLaunchesOfAnother) {
  EXPECT_EQ(Tree(R"(
    kernel k thread=1 @ start S
    kernel k thread=2 @ thread 1: start S; A
    kernel k thread=2 @ A
  )"),
            "S 2/1\n"
            "  A 1/1\n"
            "A 1/1\n");
}

TEST(RegionTree, AnEmptyNameIsARegion) {
  EXPECT_EQ(Tree(R"(
    kernel k @ A//B
    kernel k @ A
  )"),
            "A 2/1\n"
            "   1/0\n"
            "    B 1/1\n");
}

TEST(RegionTree, ANameNestedInItselfIsARegionEachTime) {
  EXPECT_EQ(Tree(R"(
    kernel k @ solve
    kernel k @ solve/solve
    kernel k @ solve/solve
  )"),
            "solve 3/1\n"
            "  solve 2/2\n");
}

TEST(RegionTree, ARangeNamedLikeTheUnattributedIsNotIt) {
  EXPECT_EQ(Tree(R"(
    kernel k @ (unattributed)
    kernel k
  )"),
            "(unattributed) 1/1\n"
            "(unattributed) 1/1\n");
}

TEST(RegionTree, AGraphBelongsToItsLaunch) {
  EXPECT_EQ(Tree(R"(
    graph @ replay
    graph @ replay
  )"),
            "replay 2/2\n");
}

TEST(RegionTree, PrunedDomainsMoveMeasurementsUpWithANote) {
  Notes notes;
  EXPECT_EQ(Tree(R"(
    kernel k @ A#1; LLM@p#2
    kernel k @ LLM@p
    kernel k @ A
  )",
                 {.domains_exclude = {"LLM"}}, &notes),
            "A 2/2\n"
            "(unattributed) 1/1\n");
  EXPECT_EQ(Kinds(notes), "domains_not_selected ");
}

TEST(RegionTree, WithoutStartEndTheyLeaveThePaths) {
  EXPECT_EQ(Tree(R"(
    kernel k @ start S; A
    kernel k @ start S
  )",
                 {.start_end = "ignore"}),
            "A 1/1\n"
            "(unattributed) 1/1\n");
}

TEST(RegionTree, ExcludedRegionsLeaveWithTheirInnerOnes) {
  Notes notes;
  EXPECT_EQ(
      Tree(testing::kNestedProgram, {.exclude = {"A", "decode_*"}}, &notes),
      "(unattributed) 4/4\n"
      "B 2/2\n"
      "LLM@prefill 3/1\n"
      "  LLM@attn 2/2\n"
      "S1 2/1\n"
      "  S2 1/1\n"
      "S2 1/1\n"
      "T0 1/1\n"
      "T1 2/2\n"
      "weird/na me,[x]@y* 1/1\n");
  EXPECT_EQ(Kinds(notes), "regions_not_selected ");
}

TEST(RegionTree, UnselectedLaunchesAreTheRestOfTheRun) {
  Profile profile = BuildProfile(R"(
    kernel k ns=100 @ A
    kernel k ns=500 @ A/B
    kernel k ns=150 @ C
    kernel k ns=250
    kernel k ns=1000 @ C
  )");
  const auto rest = [&](const SelectionOptions& options) {
    Notes notes;
    const auto selection = Selection::Make(options).value();
    const RegionTree tree = BuildRegionTree(profile, selection, notes);
    return tree.rest() ? RestText(*tree.rest()) : "";
  };
  EXPECT_EQ(rest({}), "");
  EXPECT_EQ(rest({.include = {"A"}}),
            "rest of the run: 3 launches, 1.40 µs of GPU time, 70.0 %");
  EXPECT_EQ(rest({.collected = {.include = {"A; B"}}}),
            rest({.include = {"A"}}));
  EXPECT_EQ(rest({.include = {"A"}, .only = false}), "");
  EXPECT_EQ(rest({.exclude = {"A"}}),
            "rest of the run: 2 launches, 600 ns of GPU time, 30.0 %");
  // The baseline run also has the regions that ncu left out.
  profile.traced = std::move(profile.measurements);
  profile.measurements.assign(1, profile.traced.front());
  EXPECT_EQ(rest({.include = {"A"}}),
            "rest of the run: 3 launches, 1.40 µs of GPU time, 70.0 %");
}

TEST(RegionTree, AnEmptySelectionIsNoted) {
  Notes notes;
  EXPECT_EQ(Tree("kernel k @ A", {.include = {"B"}}, &notes), "");
  EXPECT_EQ(Kinds(notes), "regions_not_selected nothing_selected ");
}

TEST(RegionTree, AnEmptySelectionNamesTheSettingThatLeavesRegionsOut) {
  const auto said = [](std::string_view text, const SelectionOptions& options) {
    Notes notes;
    EXPECT_EQ(Tree(text, options, &notes), "");
    const std::string all = notes.all().back().text;
    return all.substr(std::min(all.find("; "), all.size()));
  };
  EXPECT_EQ(said("kernel k @ A/B", {.include = {"B"}, .exclude = {"C", "A"}}),
            "; 'B': regions.exclude leaves 'A > B' out: it has 'A'");
  // All launches of A are in the excluded region inside it.
  EXPECT_EQ(said("kernel k @ A/B", {.include = {"A"}, .exclude = {"A/B"}}),
            "; 'A': regions.exclude leaves 'A > B' out: it has 'A/B'");
  EXPECT_EQ(
      said("kernel k @ LLM@p", {.include = {"p"}, .domains_exclude = {"LLM"}}),
      "; 'p': regions.domains or regions.start_end leaves ranges out of "
      "'LLM@p'");
  EXPECT_EQ(said("kernel k @ A/B", {.include = {"B/A"}, .exclude = {"C"}}),
            "; 'B/A': no region has this path; there are: 'A'");
}

TEST(RegionTree, KernelsAreSelectedByName) {
  EXPECT_EQ(Tree(R"(
    kernel gemm @ A
    kernel relu @ A
    kernel gemm @ A/B
  )",
                 {.kernels_include = {"gemm"}}),
            "A 2/1\n"
            "  B 1/1\n");
}

// The regions of the rows of a trace: "A: visits 0 2 uses 1 traced 3", the root
// as
// "". Each line is a row of its kind, drawn as a kernel.
std::string TraceRows(std::string_view lines,
                      const SelectionOptions& options = {}) {
  Profile profile = BuildProfile(lines);
  for (const Measurement& m : profile.measurements) {
    profile.visits.push_back(
        {.process = m.process, .thread = m.thread, .nvtx = m.nvtx});
    profile.uses.push_back({.process = m.process, .nvtx = m.nvtx});
    profile.uses.back().thread = m.thread;
  }
  profile.traced = std::move(profile.measurements);
  profile.measurements.clear();
  Notes notes;
  const RegionTree tree =
      BuildRegionTree(profile, Selection::Make(options).value(), notes);
  std::string drawn;
  for (std::size_t i = 0; i < tree.regions().size(); ++i) {
    const Region& region = tree.regions()[i];
    drawn += region.unattributed ? std::string(RegionTree::kUnattributed)
                                 : FrameText(profile, region.frame);
    drawn += fmt::format(
        ": visits {} uses {} traced {}\n", fmt::join(region.visits, " "),
        fmt::join(region.uses, " "), fmt::join(region.traced, " "));
  }
  EXPECT_EQ(Kinds(notes), tree.rest() ? "regions_not_selected " : "")
      << "rows of a trace are no measurements";
  return drawn;
}

TEST(RegionTree, RowsOfATraceHaveTheirPlacesToo) {
  constexpr std::string_view kRows = R"(
    kernel k @ A
    kernel k @ A/B
    kernel j
    kernel j @ A
    kernel k @ LLM@p
  )";
  EXPECT_EQ(TraceRows(kRows),
            ": visits 2 uses 2 traced \n"
            "A: visits 0 3 uses 0 3 traced 0 3\n"
            "B: visits 1 uses 1 traced 1\n"
            "LLM@p: visits 4 uses 4 traced 4\n"
            "(unattributed): visits  uses  traced 2\n");
  // The use of the GPU as a whole is of the chosen regions then.
  EXPECT_EQ(TraceRows(kRows, {.include = {"A"}, .kernels_include = {"k"}}),
            ": visits 2 uses 0 3 traced \n"
            "A: visits 0 3 uses 0 3 traced 0\n"
            "B: visits 1 uses 1 traced 1\n");
  EXPECT_EQ(TraceRows(kRows, {.exclude = {"LLM@p"}}),
            ": visits 2 uses 0 3 traced \n"
            "A: visits 0 3 uses 0 3 traced 0 3\n"
            "B: visits 1 uses 1 traced 1\n"
            "(unattributed): visits  uses  traced 2\n");
  // The outer range of a pruned range gets its kernels, not its instances.
  EXPECT_EQ(TraceRows(kRows, {.domains_exclude = {"LLM"}}),
            ": visits 2 uses 2 traced \n"
            "A: visits 0 3 uses 0 3 traced 0 3\n"
            "B: visits 1 uses 1 traced 1\n"
            "(unattributed): visits  uses  traced 2 4\n");
  EXPECT_EQ(TraceRows("kernel k @ A#1; LLM@p#2", {.domains_exclude = {"LLM"}}),
            ": visits  uses  traced \n"
            "A: visits  uses  traced 0\n");
}

TEST(RegionTree, APathThatIsTooDeepCountsForTheDeepestKeptRegion) {
  std::string path = "r";
  for (int i = 1; i < 256; ++i) path += "/r";
  Notes notes;
  const auto depth = [&](const std::string& line) {
    const std::string drawn = Tree(line, {}, &notes);
    return std::ranges::count(drawn, '\n');
  };
  EXPECT_EQ(depth("kernel k @ " + path), 256);
  EXPECT_EQ(Kinds(notes), "");
  EXPECT_EQ(depth("kernel k @ " + path + "/r"), 256);
  EXPECT_EQ(Kinds(notes), "deep_path ");
  EXPECT_EQ(notes.all()[0].count, 1U);
}

TEST(RegionTree, CountsExecutionsPerRegionAndNotPerLaunch) {
  const Profile profile = BuildProfile(R"(
    kernel k @ A#1
    kernel k @ A#1/B#2
    kernel k @ A#5
    kernel k pid=2 @ A#1
  )");
  Notes notes;
  const RegionTree tree = BuildRegionTree(profile, Selection(), notes);
  const auto a =
      tree.Find(RegionTree::kRoot, {.name = *profile.strings.Find("A")});
  ASSERT_TRUE(a);
  EXPECT_EQ(tree[*a].executions.size(), 3U);
}

}  // namespace
}  // namespace rangefinder
